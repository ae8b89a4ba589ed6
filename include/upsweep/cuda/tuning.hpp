// Which algorithm runs, as named data. None of it changes a bit of a result.
#pragma once

#include <cstdint>

namespace upsweep::cuda {

// Below this many bytes read and written, look-back's single tiles a block start and finish sooner than the
// ring of look-ahead fills. Measured on an H200 (docs/performance-h200.md).
inline constexpr std::uint64_t look_ahead_from_bytes = 24 << 20;

// The same of compaction and partition, but of indices. Measured on an H100 and an H200.
inline constexpr std::uint64_t moves_ahead_from_bytes = 64 << 10;

// Scans of maps, recurrences among them, that read and write fewer bytes an element are faster by look-back
// at any length, but not backwards. Measured on an H100.
inline constexpr std::uint64_t maps_ahead_from_element_bytes = 9;

// Bytes of tiles, read and written, that lie between look-back's sums and its scan, for a cache of so many:
// far enough apart that nobody waits, near enough that the second reading finds them. Measured on an H200.
constexpr std::uint64_t look_back_bytes_ahead(std::uint64_t cache_bytes) { return cache_bytes / 2; }
// Sums go ahead in arrays of more tiles than this many times the distance.
inline constexpr std::uint64_t look_back_ahead_from_distances = 2;

// Axis scans, measured on an H200 and an H100. A lane scans a sequence from end to end where there are so
// many sequences for each multiprocessor; also where elements have to be turned and sequences are no longer
// than so.
inline constexpr std::uint64_t lanes_from_sequences = 48;
inline constexpr std::uint64_t turned_up_to_length = 256;
// Elements that lie side by side are not turned one by one where sequences are shorter.
inline constexpr std::uint64_t turned_from_length = 8;
// Sequences that lie in memory one element after the other are scanned tile by tile from this length on, or
// from the other one where they are fewer than lanes_from_sequences.
inline constexpr std::uint64_t lines_from_length = 2048;
inline constexpr std::uint64_t few_lines_from_length = 64;
// A block scans a line from end to end where there are so many lines for each multiprocessor.
inline constexpr std::uint64_t whole_lines_from_sequences = 2;
// One look-ahead scans all lines where these fill so many of its units, or have no rest, which would be a
// unit that is not full and takes longer than one that is, or where every unit has a block to itself.
inline constexpr std::uint64_t few_lines_ahead_from_units = 4;
// Where there are enough lines for a block each, and all are aligned for its accesses, from so many units on:
// without a rest, of elements of up to four bytes; of larger ones, or with a rest; of elements of one or two
// bytes, with a rest. Lines of maps are left to blocks then. Those that are not aligned go from the second
// number on if they are narrow and have a rest, else as above.
inline constexpr std::uint64_t even_lines_ahead_from_units = 2;
inline constexpr std::uint64_t lines_ahead_from_units = 6;
inline constexpr std::uint64_t narrow_lines_ahead_from_units = 16;
// Few sequences side by side are read once from this length on, with elements of up to so many bytes in all
// inputs; a block loads about so many bytes at once, in so many units and by so many warps at most
// (docs/cuda-design.md).
inline constexpr std::uint64_t columns_from_length = 1024;
inline constexpr int columns_up_to_bytes = 8;
inline constexpr int columns_loading_bytes = 100 << 10;
inline constexpr int columns_loading_bytes_by_engine = 66 << 10;
inline constexpr int columns_loading_units = 4;
inline constexpr int columns_loading_warps = 8;
// Bytes of a strip that several warps copy together, at most, and so many teams of a block at least; the same
// where each lane copies its own elements.
inline constexpr int columns_strip_bytes = 256;
inline constexpr int columns_strip_bytes_by_lanes = 512;
inline constexpr int columns_least_teams = 4;
inline constexpr int columns_least_teams_by_lanes = 3;

// Reductions along an axis: a lane has a sequence side by side with others from end to end where there are so
// many for each multiprocessor, of up to 1024 elements so many, or where they have at most so many elements.
inline constexpr std::uint64_t reduce_lanes_from_sequences = 2048;
inline constexpr std::uint64_t reduce_lanes_from_short_sequences = 640;
inline constexpr std::uint64_t reduce_lanes_to_length = 256;
// Bytes of shared memory for the columns that a block stages, one unit at least: few warps, which wait for
// each other the least, where there are so many tiles for each multiprocessor, and else more of them.
inline constexpr int reduce_staged_bytes = 25 * 1024;
inline constexpr std::uint64_t reduce_staged_tiles = 4;
inline constexpr int reduce_staged_few_tiles_bytes = 68 * 1024;
// A block has a tile to itself where there are at most so many for each multiprocessor, which is about as
// many blocks as run there at once; else a warp has.
inline constexpr std::uint64_t reduce_few_images = 3;
// A block has a super to itself where there are so many for each multiprocessor.
inline constexpr std::uint64_t reduce_many_supers = 3;
// Tiles that a warp reduces before it counts them, at most.
inline constexpr unsigned reduce_most_tiles_at_once = 8;

// Histograms: a block sees so many elements at least; its counters have copies up to so many words, each of
// which has so many elements to count; and so many blocks at most share the bins, each reading everything,
// before counts are added up in global memory.
inline constexpr std::uint64_t count_least_elements = 8192;
inline constexpr std::uint64_t count_most_copies = 8192;
inline constexpr std::uint64_t count_elements_a_counter = 4;
inline constexpr std::uint32_t count_most_parts = 8;
// Edges of bins get a table of cells from so many elements on, which are as many as edges at least; fewer
// edges than so many from more elements on.
inline constexpr std::uint64_t cells_from_elements = 1 << 16;
inline constexpr std::uint64_t cells_from_edges = 64;
inline constexpr std::uint64_t cells_of_few_edges_from_elements = 1 << 22;
inline constexpr std::uint64_t cells_up_to_edges = 1 << 24;

// Extraction of bins: up to so many bins in one pass over the elements; above, a pass for each digit of at
// most so many bits of the bin's number.
inline constexpr unsigned split_digit_bits = 8;
inline constexpr unsigned split_most_bins = 1u << split_digit_bits;
inline constexpr int split_blocks_per_multiprocessor = 2;

}  // namespace upsweep::cuda
