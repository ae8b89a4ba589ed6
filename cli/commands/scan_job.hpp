// One `upsweep scan`: what was asked for, what is scanned, and what is told about it afterwards.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/commands/arguments.hpp"
#include "cli/commands/fold_arguments.hpp"
#include "cli/plot/figure.hpp"
#include "registry/scanner.hpp"

namespace upsweep::cli {

struct scan_arguments : fold_arguments {
    bool exclusive = false;
    bool reverse = false;
    device_choice device;
    std::string plot;  // empty: none
};

// The total is of the accumulator's type, and there for one sequence without groups.
struct scan_report : fold_report {
    std::optional<plot_figure> picture;
    std::unique_ptr<output_file> picture_file;  // opened before results are written, so that both can be
};

// The file of --plot, if there is one.
[[nodiscard]] std::unique_ptr<output_file> open_picture(const scan_arguments& arguments,
                                                        const byte_source& input);

// What is asked for of elements of that type; throws as request_for does.
[[nodiscard]] registry::scan_request make_request(const scan_arguments& arguments, registry::dtype input);

// Each opens input and output, scans, and commits the output. Arrays are .npy and raw files, tables .csv and
// .tsv.
[[nodiscard]] scan_report scan_array(const scan_arguments& arguments, const registry::device& device);
[[nodiscard]] scan_report scan_table(const scan_arguments& arguments, const registry::device& device);

// "running sum", or "running sum, exclusive, from the end".
[[nodiscard]] std::string scan_words(const scan_arguments& arguments);

}  // namespace upsweep::cli
