// Elements of a run-time type chosen by comparisons with numbers, block by block: packed (compaction), or
// with the others behind them (partition).
//
//     chooser = make_chooser(device, dtype::float32, {{{comparison::less, "5"}}});  // x < 5
//     while ((n = read(in)) != 0) write(out, chooser->compact(in, out, n));
//
// An element is chosen if it satisfies all conditions. It is moved bit for bit. Comparisons are those of
// predicates.hpp, by the vector kernels of the executor; a NaN is different from everything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "registry/device.hpp"
#include "registry/dtype.hpp"
#include "registry/value.hpp"
#include "upsweep/predicates.hpp"

namespace upsweep::registry {

// Holds for an element x if `x how number` does. For integers the number is an integer of any length, and
// one that the type does not hold still compares as what it is: x < 300 holds for every uint8. For floating
// point it is rounded to the type, inf and nan are numbers, and one beyond the largest finite value compares
// as what it is too. For bool it is an integer, true or false; for complex types it is as parse_value reads
// it, and only == and != are defined.
struct condition {
    comparison how = comparison::equal;
    std::string number;
};

// The same with a number of the elements' type, float32 for halves and uint8 for bool: an element satisfies
// the condition if, as such a number, it compares so.
struct condition_value {
    comparison how;
    value number;
};
// Throws upsweep::error (invalid_argument) for a number that the type cannot be compared with, and for an
// order of complex numbers.
[[nodiscard]] condition_value resolve(const condition& given, dtype type);

class chooser {
  public:
    virtual ~chooser() = default;

    // Moves the chosen ones of n elements to out[0], out[1], ...; returns how many there are. `out` has room
    // for n elements and does not overlap `in`. Elements of type bool are bytes of 0 and 1.
    virtual std::size_t compact(const void* in, void* out, std::size_t n) const = 0;
    // The same, with the others behind the chosen ones.
    virtual std::size_t partition(const void* in, void* out, std::size_t n) const = 0;
    // The same with indices in place of elements: first + i for in[i].
    virtual std::size_t compact_indices(const void* in, std::int64_t first, std::int64_t* out,
                                        std::size_t n) const = 0;
    virtual std::size_t partition_indices(const void* in, std::int64_t first, std::int64_t* out,
                                          std::size_t n) const = 0;
    // Whether the element at `element` is chosen.
    [[nodiscard]] virtual bool chooses(const void* element) const = 0;
};

// The device must be the CPU and outlive the chooser. Throws upsweep::error: unsupported for other devices,
// invalid_argument for a number that the type cannot be compared with, for an order of complex numbers, and
// for no condition at all.
[[nodiscard]] std::unique_ptr<chooser> make_chooser(const device& where, dtype type,
                                                    std::span<const condition> conditions);

}  // namespace upsweep::registry
