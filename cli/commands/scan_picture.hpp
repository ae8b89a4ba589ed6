// The pictures of `upsweep scan --plot`: the input above its running total, or a line for every group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/commands/scan_job.hpp"
#include "cli/plot/accumulator.hpp"
#include "cli/plot/figure.hpp"
#include "registry/dtype.hpp"

namespace upsweep::cli {

// Adds elements `first`, `first` + 1, ... of a real type.
void add_points(plot_accumulator& points, registry::dtype type, const void* elements, std::uint64_t first,
                std::size_t count);

struct named_points {
    std::string name;
    plot_accumulator points;
};

// `name` is what the values are called: the column, or the file.
[[nodiscard]] plot_figure picture_of_sequence(const scan_arguments& arguments, const std::string& name,
                                              const plot_accumulator& input, const plot_accumulator& result);
[[nodiscard]] plot_figure picture_of_groups(const scan_arguments& arguments, const std::string& name,
                                            const std::vector<named_points>& groups);

}  // namespace upsweep::cli
