// Histograms and bin extraction over run-time types, with ranges given as text, or edges.
//
//     const auto binner = make_binner(device("cpu"), dtype::float32, {.lo = "0", .hi = "1", .count = 8});
//     binner->count(in, counts.data(), n);
//
// Bins are those of bin_range.hpp: find_bin of the elements as numbers. Those are int64 for bool and integers
// of up to 32 bits, so that a range may end past what the type holds (0:256 for uint8), float32 for float16
// and bfloat16, and otherwise of the elements' own type. Edges may be any numbers, and compare with elements
// as mathematics does. Complex elements have no bins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "registry/device.hpp"
#include "registry/dtype.hpp"
#include "registry/scanner.hpp"
#include "registry/value.hpp"

namespace upsweep::registry {

struct bin_limits {
    std::string lo;  // as parse_value reads numbers of the type above
    std::string hi;
    std::uint32_t count = 1;
    bool clamp = false;
    // If there are any, bins lie between these, and lo and hi mean nothing: count + 1 ascending numbers of
    // int64, uint64 or float64, none of them NaN. The last bin has its upper edge too; clamped, the first has
    // what is below it, and the last what is above.
    std::vector<value> edges{};
};

// Throws upsweep::error (invalid_argument) unless the edges, of which there are some, are such.
void check_edges(const bin_limits& limits);

// What the elements of a type are looked at as. Throws upsweep::error (invalid_argument) for complex types.
[[nodiscard]] dtype binned_as(dtype type);

// Sums by bin of elements that come block by block, in order, with the bits of one call for all.
class bin_sums {
  public:
    virtual ~bin_sums() = default;

    // The next n elements and their values, which may be of any type that converts to the accumulator.
    // Returns how many belong to any bin.
    virtual std::size_t take(const void* in, dtype type, const void* values, std::size_t n) = 0;
    // totals[b] = the sum of bin b's so far, one for each bin.
    virtual void store(void* totals) = 0;
};

class binner {
  public:
    virtual ~binner() = default;

    // counts[b] = how many of n elements belong to bin b; returns their sum. There is a count for each bin.
    virtual std::size_t count(const void* in, std::uint64_t* counts, std::size_t n) const = 0;
    // The elements of bin 0, in order, then those of bin 1, and so on; offsets[b] is where bin b begins, for
    // every b up to the number of bins. Returns how many there are. `out` has room for n elements and does
    // not overlap `in`.
    virtual std::size_t extract(const void* in, void* out, std::uint64_t* offsets, std::size_t n) const = 0;
    // The same with indices in place of elements: first + i for in[i].
    virtual std::size_t extract_indices(const void* in, std::int64_t first, std::int64_t* out,
                                        std::uint64_t* offsets, std::size_t n) const = 0;
    // totals[b] = the sum of values[i], in order, of the elements in[i] of bin b: bin_totals of
    // upsweep/bin_totals.hpp. Types are those of a sum of values: resolve_types has made them. Returns how
    // many elements belong to any bin. `totals` has one for each bin and overlaps neither `in` nor values.
    virtual std::size_t sum(const void* in, const scan_types& types, const void* values, void* totals,
                            std::size_t n) const = 0;
    // The same of elements that come block by block, by one thread where sums round: 65 bytes a bin for
    // float64, for complex numbers 128. The binner must outlive it.
    [[nodiscard]] virtual std::unique_ptr<bin_sums> make_sums(const scan_types& types) const = 0;

    // Where bin b begins, and bin b - 1 ends, b up to the number of bins: the edge that was given. Of a
    // range, the first integer of bin b, exactly; floating point, up to rounding.
    [[nodiscard]] virtual value edge(std::uint64_t bin) const = 0;
    // The same for drawing.
    [[nodiscard]] virtual double edge_position(std::uint64_t bin) const = 0;
};

// The device must be the CPU and outlive the binner. Throws upsweep::error: unsupported for other devices,
// invalid_argument for complex types, numbers that are none, and ranges that find_bin does not take.
[[nodiscard]] std::unique_ptr<binner> make_binner(const device& where, dtype type, const bin_limits& limits);

// The smallest and the largest element, to make a range of: NaNs are left out.
class extent {
  public:
    virtual ~extent() = default;

    virtual void include(const void* in, std::size_t n) = 0;
    // Limits whose last bin has the largest element too, as numpy.histogram's. Where all elements are equal
    // the range is one wide around them (for integers, from them on). Throws upsweep::error
    // (invalid_argument) where there is no element but NaNs, an infinite one, or no room for a range of one.
    [[nodiscard]] virtual bin_limits limits(std::uint32_t count) const = 0;
};
// Throws as make_binner.
[[nodiscard]] std::unique_ptr<extent> make_extent(const device& where, dtype type);

}  // namespace upsweep::registry
