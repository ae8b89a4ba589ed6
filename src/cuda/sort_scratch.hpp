// Arrays in a sort's scratch, one behind the other.
#pragma once

#include <cstddef>
#include <cstdint>

namespace upsweep::cuda::detail {

// Where the next one begins.
constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

// Of an index of one of n records.
constexpr std::size_t index_bytes(std::uint64_t n) { return n <= std::uint64_t{1} << 32 ? 4 : 8; }

}  // namespace upsweep::cuda::detail
