// The pictures of scans: the input above the results, or a line for every group.
#pragma once

#include <string>
#include <vector>

#include "cli/commands/scan_job.hpp"
#include "cli/plot/accumulator.hpp"
#include "cli/plot/figure.hpp"

namespace upsweep::cli {

struct named_points {
    std::string name;
    plot_accumulator points;
};

// `name` is what the values are called: the column, or the file.
[[nodiscard]] plot_figure picture_of_sequence(const scan_job& job, const std::string& name,
                                              const plot_accumulator& input, const plot_accumulator& result);
[[nodiscard]] plot_figure picture_of_groups(const scan_job& job, const std::string& name,
                                            const std::vector<named_points>& groups);

}  // namespace upsweep::cli
