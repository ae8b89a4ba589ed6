// One `upsweep reduce`: what was asked for, and the ways to it.
#pragma once

#include <string>

#include "cli/commands/fold_arguments.hpp"
#include "cli/io/array_file.hpp"
#include "registry/device.hpp"
#include "registry/scanner.hpp"

namespace upsweep::cli {

struct reduce_arguments : fold_arguments {
    bool has_output = false;   // else a line of text, a table, or what --json tells
    bool counts_rows = false;  // a column of a table
    std::string plot;          // empty: none

    // Whether results go to `output`: --json alone tells a total, or those of groups, itself.
    [[nodiscard]] bool writes_data() const { return has_output || axis || !json; }
    // Whether the result is a number in words.
    [[nodiscard]] bool writes_line() const { return !has_output && !axis && !json && !reads_table(); }
};

// Each opens input and output, reduces, and commits the output. Arrays are .npy and raw files, tables .csv
// and .tsv. The total is of the output's type.
[[nodiscard]] fold_report reduce_array(const reduce_arguments& arguments, const registry::device& device);
[[nodiscard]] fold_report reduce_table(const reduce_arguments& arguments, const registry::device& device);

// The part of reduce_array for an array of several dimensions and one of them, report.axis.
void reduce_axis(const reduce_arguments& arguments, const registry::device& device,
                 const registry::scan_request& request, array_reader reader, fold_report& report);

}  // namespace upsweep::cli
