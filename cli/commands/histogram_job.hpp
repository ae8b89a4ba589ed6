// One `upsweep histogram`: what was asked for, what came out, and the ways to show it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/commands/bin_arguments.hpp"
#include "cli/plot/figure.hpp"

namespace upsweep::cli {

struct histogram_arguments : bin_arguments {
    bool has_output = false;  // else a table for people
    std::string plot;         // empty: none
};

struct histogram_report {
    bins_of_input by;
    std::vector<std::uint64_t> counts;
    std::string name;  // of the numbers: the column, or the file
    registry::dtype type{};
    std::vector<std::uint64_t> shape;
    std::uint64_t count = 0;    // numbers read
    std::uint64_t counted = 0;  // of them in bins
    std::uint64_t bytes = 0;
};

// To standard output, for people: a line for each bin, with a bar.
void print_histogram(const histogram_arguments& arguments, const histogram_report& report);
// To arguments.output: the counts as an array of int64, or a table with the edges.
void write_histogram(const histogram_arguments& arguments, const histogram_report& report,
                     output_file& output);
[[nodiscard]] plot_figure picture_of(const histogram_arguments& arguments, const histogram_report& report);

}  // namespace upsweep::cli
