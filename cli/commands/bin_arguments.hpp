// What `upsweep histogram` and `upsweep bins` have in common: the options that say where bins are, and how
// they are made of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/arguments.hpp"
#include "cli/commands/file_arguments.hpp"
#include "cli/commands/number_passes.hpp"
#include "cli/help.hpp"
#include "registry/binner.hpp"

namespace upsweep::cli {

struct bin_arguments : file_arguments {
    std::optional<std::string> bins;     // else 10
    std::string range;                   // "LO:HI"; empty: from the smallest number to the largest
    std::optional<std::string> listed;   // edges: "A,B,C"
    std::uint32_t count = 10;            // bins
    std::vector<registry::value> edges;  // of `listed`
    bool clamp = false;
    std::string dtype;
    device_choice device;

    // --bins, --range, --edges, --clamp, and what says what INPUT is.
    void add_bins_to(CLI::App& app);
    // What is wrong whatever the input holds. Finds the input's format.
    void check();
    // Passes that make_bins() takes.
    [[nodiscard]] int passes() const { return range.empty() && edges.empty() ? 1 : 0; }
    // Whether the last bin has its upper edge.
    [[nodiscard]] bool last_closed() const { return range.empty(); }
};

struct bins_of_input {
    registry::bin_limits limits;
    std::unique_ptr<registry::binner> binner;
};
// By --edges, by --range, or by a pass over the numbers.
[[nodiscard]] bins_of_input make_bins(const bin_arguments& arguments, const registry::device& device,
                                      number_input& input, number_passes& passes);

// The sections of both help pages.
void add_bin_sections(help_page& page);

// The members of both reports that say which bins: bins, range, clamp, last_closed, edges.
void tell_bins(json_writer& json, const bin_arguments& arguments, const bins_of_input& made);

}  // namespace upsweep::cli
