// One `upsweep histogram`: what was asked for, what came out, and the ways to show it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/bin_arguments.hpp"
#include "cli/plot/figure.hpp"

namespace upsweep::cli {

struct histogram_arguments : bin_arguments {
    bool has_output = false;             // else a table for people
    std::string plot;                    // empty: none
    std::optional<std::string> weights;  // the file or the column of them
};

// Sums of weights by bin. Whether a table's weights are integers is known at its end only: until one tells,
// both kinds of sums are made.
class weight_sums {
  public:
    // Throws usage_error if arguments ask for what sums of these weights cannot be shown as.
    weight_sums(const histogram_arguments& arguments, const number_weights& weights);

    // For numbers in these bins, which must outlive it.
    void start(const bins_of_input& by);
    // Returns how many of the numbers belong to any bin.
    std::size_t take(const number_block& block);
    // Once all are taken.
    void finish();

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] registry::dtype weight_type() const { return types_.input; }
    [[nodiscard]] registry::dtype type() const { return types_.output; }
    // What finish() found, one sum for each bin.
    [[nodiscard]] const std::byte* data() const { return sums_.data(); }
    // For text, in which a sum of nothing is 0 and not -0.
    [[nodiscard]] registry::value shown(std::size_t bin) const;
    // For pictures; of complex numbers NaN.
    [[nodiscard]] double height(std::size_t bin) const;

  private:
    std::string name_;
    bool may_widen_;
    registry::scan_types types_;
    std::size_t bins_ = 0;
    std::unique_ptr<registry::bin_sums> made_;     // as types_ says
    std::unique_ptr<registry::bin_sums> widened_;  // in float64, where that may be wanted
    std::vector<std::byte> sums_;
};

struct histogram_report {
    bins_of_input by;
    std::vector<std::uint64_t> counts;  // one for each bin; none if there are
    std::optional<weight_sums> sums;
    std::string name;  // of the numbers: the column, or the file
    registry::dtype type{};
    std::vector<std::uint64_t> shape;
    std::uint64_t count = 0;    // numbers read
    std::uint64_t counted = 0;  // of them in bins
    std::uint64_t bytes = 0;

    [[nodiscard]] std::size_t bins() const { return by.limits.count; }
};

// To standard output, for people: a line for each bin, with a bar.
void print_histogram(const histogram_arguments& arguments, const histogram_report& report);
// To arguments.output: the counts as an array of int64, or the sums, or a table with the edges.
void write_histogram(const histogram_arguments& arguments, const histogram_report& report,
                     output_file& output);
[[nodiscard]] plot_figure picture_of(const histogram_arguments& arguments, const histogram_report& report);

}  // namespace upsweep::cli
