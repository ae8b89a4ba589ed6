// Scans of run-time types: one object for one sequence given block by block, for its segments, or for the
// axis of an array. The command line and other languages' bindings know the library through this alone.
//
//     scanner = make_scanner(device, {operation::plus, resolve_types(operation::plus, dtype::int32)});
//     while ((n = read(in)) != 0) { scanner->scan(in, out, n); write(out, n); }
//     total = scanner->total();
//
// Bits: those of one scan over all blocks (docs/numerics.md). Complex and segmented scans go through the
// generic engine, everything else through the vector kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "registry/device.hpp"
#include "registry/operation.hpp"
#include "registry/value.hpp"

namespace upsweep::registry {

struct scan_request {
    operation op = operation::plus;
    scan_types types{};
    bool exclusive = false;
    bool reverse = false;            // blocks come from the end: the last block of the sequence first
    std::optional<value> initial{};  // of type types.accumulator
    // Bytes of what a device takes at once, of the widest among its elements; rounded to whole supers, at
    // least one. 0: what is usual. The CPU takes everything at once.
    std::size_t piece_bytes = 0;
};

// Every block but the last must be a multiple of this on the CPU.
inline constexpr std::size_t block_multiple = 4096;
// Bytes of input or output in a block of a file that streams, so that all blocks in flight stay in a
// last-level cache.
inline constexpr std::size_t block_bytes = std::size_t{1} << 20;

// Strides count elements.
struct axis_layout {
    std::span<const std::int64_t> shape;
    std::span<const std::int64_t> in_strides;
    std::span<const std::int64_t> out_strides;
    int axis = 0;  // negative counts from the end
};

// The axis from 0 on; nothing for an array without elements. Throws as the scans of axis_scan.hpp do.
[[nodiscard]] std::optional<std::size_t> check_axis(const scan_types& types, const void* in, void* out,
                                                    const axis_layout& layout);

// Throws upsweep::error, invalid_argument, unless so many elements, which came in earlier blocks, are whole
// multiples.
void check_block(std::uint64_t count, std::size_t multiple);

class scanner {
  public:
    virtual ~scanner() = default;

    // What blocks should be like: all but the last a multiple of so many elements, and about so many bytes.
    [[nodiscard]] virtual std::size_t multiple() const { return block_multiple; }
    [[nodiscard]] virtual std::size_t usual_bytes() const { return block_bytes; }

    // The next n elements of the sequence. `out` may be `in` if the types have equal sizes.
    virtual void scan(const void* in, void* out, std::size_t n) = 0;
    // The same for a sequence of segments: heads[i] != 0 starts one; the first element of all always does.
    // Not to be mixed with scan() in one sequence.
    virtual void scan_segments(const void* in, const std::uint8_t* heads, void* out, std::size_t n) = 0;
    // Every sequence along the axis, each by itself; leaves the state of scan() alone.
    virtual void scan_axis(const void* in, void* out, const axis_layout& layout) = 0;

    // The fold of everything given to scan() since the start, of type accumulator; of no elements the initial
    // value or the identity.
    [[nodiscard]] virtual value total() const = 0;
    [[nodiscard]] virtual std::uint64_t count() const = 0;
    // Forgets all blocks: the next one begins a new sequence.
    virtual void restart() = 0;
};

// The device must outlive the scanner. Throws upsweep::error (invalid_argument) for a request whose types do
// not fit (see resolve_types). Devices that lack segments throw (unsupported) when they are asked for.
[[nodiscard]] std::unique_ptr<scanner> make_scanner(const device& where, const scan_request& request);

// The CPU's, of one operator; scanner_plus.cpp and so on define them.
template <class Op>
[[nodiscard]] std::unique_ptr<scanner> make_scanner_of(cpu::executor& executor, const scan_request& request);

}  // namespace upsweep::registry
