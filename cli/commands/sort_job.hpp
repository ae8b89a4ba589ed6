// One `upsweep sort`: what was asked for, and what is told about it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/file_arguments.hpp"
#include "registry/device.hpp"
#include "registry/dtype.hpp"

namespace upsweep::cli {

// Of --memory.
inline constexpr std::uint64_t least_sort_memory = std::uint64_t{1} << 20;

struct sort_arguments : file_arguments {
    bool descending = false;
    bool indices = false;
    bool text = false;                    // cells of a table in the order of their bytes
    std::vector<std::string> by;          // columns: rows with the same text in them stay together
    std::optional<std::uint64_t> first;   // so many elements or rows, of each group, and no others
    std::optional<std::uint64_t> memory;  // bytes that an array may take at most
};

struct sort_report {
    registry::dtype input_type{};  // of tables: of the column, unless that is text
    registry::dtype type{};        // of the results of an array, and of indices
    std::vector<std::uint64_t> shape;
    std::uint64_t count = 0;   // elements, or rows
    std::uint64_t groups = 0;  // of rows, with --by
    std::uint64_t runs = 0;    // of an array that was sorted by merging so many
    std::uint64_t bytes = 0;   // of elements (of text, for tables) read and written
};

// Each opens input and output, sorts, and commits the output. An array of which memory does not hold all is
// sorted in runs.
[[nodiscard]] sort_report sort_array(const sort_arguments& arguments, const registry::device& device);
// That of arguments.first, in memory for as many elements and a block.
[[nodiscard]] sort_report first_of_array(const sort_arguments& arguments, const registry::device& device);
[[nodiscard]] sort_report sort_table(const sort_arguments& arguments, const registry::device& device);

// Opens an array of one dimension whose elements have an order.
[[nodiscard]] array_reader open_sequence(const sort_arguments& arguments, const registry::device& device);

// Sorts what `reader` goes on with behind the elements in `begun`, in runs for which so many bytes are
// enough, and merges them to `output`, which is left to be committed.
void sort_in_runs(const sort_arguments& arguments, const registry::device& device, array_reader& reader,
                  std::vector<std::byte> begun, std::uint64_t memory, output_file& output,
                  sort_report& report);

// Throws upsweep::error if this machine has no memory for so many bytes: all is held there, and a program
// that asks for more than there is may be killed rather than refused.
void expect_memory(std::string_view input, std::uint64_t bytes);

}  // namespace upsweep::cli
