// Which algorithm runs, as named data. None of it changes a bit of a result.
#pragma once

#include <cstdint>

namespace upsweep::cuda {

// Below this many bytes read and written, look-back's single tiles a block start and finish sooner than the
// ring of look-ahead fills. Measured on an H200 (docs/performance.md).
inline constexpr std::uint64_t look_ahead_from_bytes = 24 << 20;

// Bytes of tiles, read and written, that lie between look-back's sums and its scan, for a cache of so many:
// far enough apart that nobody waits, near enough that the second reading finds them. Measured on an H200.
constexpr std::uint64_t look_back_bytes_ahead(std::uint64_t cache_bytes) { return cache_bytes / 2; }
// Sums go ahead in arrays of more tiles than this many times the distance.
inline constexpr std::uint64_t look_back_ahead_from_distances = 2;

// Axis scans, measured on an H200. A lane scans a sequence from end to end where there are so many sequences
// for each multiprocessor; also where elements have to be turned and sequences are no longer than so.
inline constexpr std::uint64_t lanes_from_sequences = 64;
inline constexpr std::uint64_t turned_up_to_length = 256;
// Elements that lie side by side are not turned one by one where sequences are shorter.
inline constexpr std::uint64_t turned_from_length = 8;
// Sequences that lie in memory one element after the other are scanned tile by tile from this length on, or
// from the other one where they are fewer than lanes_from_sequences.
inline constexpr std::uint64_t lines_from_length = 2048;
inline constexpr std::uint64_t few_lines_from_length = 64;
// A block scans a line from end to end where there are so many lines for each multiprocessor.
inline constexpr std::uint64_t whole_lines_from_sequences = 2;

}  // namespace upsweep::cuda
