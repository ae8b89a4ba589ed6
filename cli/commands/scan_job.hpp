// One `upsweep scan`: what was asked for, what is scanned, and what is told about it afterwards.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/arguments.hpp"
#include "cli/commands/file_arguments.hpp"
#include "cli/plot/figure.hpp"
#include "registry/operation.hpp"
#include "registry/scanner.hpp"
#include "registry/value.hpp"

namespace upsweep::cli {

// The command line, with words turned into values as far as that is possible without the input.
struct scan_arguments : file_arguments {
    registry::operation op = registry::operation::plus;
    bool exclusive = false;
    bool reverse = false;
    std::optional<std::string> initial;  // its type follows from the input
    std::optional<int> axis;
    std::optional<registry::dtype> dtype;
    std::optional<registry::dtype> accumulate;
    std::optional<std::string> by;
    device_choice device;
    std::string plot;  // empty: none
};

struct scan_group {
    std::string key;
    std::uint64_t count = 0;
    registry::value total;  // of the output's type
};

struct scan_report {
    registry::scan_types types;
    std::uint64_t count = 0;
    std::vector<std::uint64_t> shape;
    std::optional<int> axis;               // from 0 on
    std::optional<registry::value> total;  // one sequence without groups: of the accumulator's type
    std::optional<std::vector<scan_group>> groups;
    std::uint64_t bytes = 0;  // of elements (of text, for tables) read and written
    std::optional<plot_figure> picture;
    std::unique_ptr<output_file> picture_file;  // opened before results are written, so that both can be
};

// The file of --plot, if there is one.
[[nodiscard]] std::unique_ptr<output_file> open_picture(const scan_arguments& arguments,
                                                        const byte_source& input);

// The request for elements of that type. Throws usage_error if op, types or initial value do not go together.
[[nodiscard]] registry::scan_request make_request(const scan_arguments& arguments, registry::dtype input);

// Each opens input and output, scans, and commits the output. Arrays are .npy and raw files, tables .csv and
// .tsv.
[[nodiscard]] scan_report scan_array(const scan_arguments& arguments, const registry::device& device);
[[nodiscard]] scan_report scan_table(const scan_arguments& arguments, const registry::device& device);

// "sum" for plus: the last word of the new column's name.
[[nodiscard]] std::string result_name(registry::operation op);
// "running sum", or "running sum, exclusive, from the end".
[[nodiscard]] std::string scan_words(const scan_arguments& arguments);

}  // namespace upsweep::cli
