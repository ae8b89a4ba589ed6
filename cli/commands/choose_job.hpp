// One `upsweep compact` or `upsweep partition`: what was asked for, how results are written, and what is told
// about them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "cli/commands/condition.hpp"
#include "cli/commands/file_arguments.hpp"
#include "cli/io/byte_sink.hpp"
#include "registry/device.hpp"

namespace upsweep::cli {

struct choose_arguments : file_arguments {
    bool with_others = false;  // partition
    bool indices = false;
    std::vector<where_condition> conditions;  // at least one
};

struct choose_report {
    registry::dtype input_type{};  // of tables: float64
    registry::dtype type{};        // of the results
    std::vector<std::uint64_t> shape;
    std::uint64_t count = 0;  // elements, or rows
    std::uint64_t chosen = 0;
    std::uint64_t bytes = 0;  // of elements (of text, for tables) read and written
};

// Each opens input and output, chooses, and commits the output.
[[nodiscard]] choose_report choose_array(const choose_arguments& arguments, const registry::device& device);
[[nodiscard]] choose_report choose_table(const choose_arguments& arguments, const registry::device& device);

// Writes an array of elements of that type: what `choose` writes to its first argument, then what it writes
// to its second one. `length` is that of both, if it is known before. Where the output cannot be gone back to
// and its header tells the length, all waits until it is known.
using chosen_and_others = std::function<void(byte_sink& chosen, byte_sink& others)>;
void write_chosen(const choose_arguments& arguments, output_file& output, registry::dtype type,
                  std::optional<std::uint64_t> length, const chosen_and_others& choose);

}  // namespace upsweep::cli
