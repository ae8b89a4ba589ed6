// The picture of `upsweep reduce --plot`: a bar for every group.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/reduce_job.hpp"
#include "cli/plot/accumulator.hpp"
#include "cli/plot/figure.hpp"
#include "registry/value.hpp"

namespace upsweep::cli {

// Totals of groups one after the other. Memory does not grow with their number.
class group_bars {
  public:
    // A real number.
    void add(const std::vector<std::string>& key, const registry::value& total);
    // `name` is what the column is called, which has so many rows.
    [[nodiscard]] plot_figure picture(const reduce_arguments& arguments, const std::string& name,
                                      std::uint64_t rows) const;

  private:
    plot_accumulator points_;
    std::vector<std::pair<double, std::string>> keys_;  // while bars have room for them
};

}  // namespace upsweep::cli
