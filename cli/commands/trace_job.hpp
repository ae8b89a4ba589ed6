// One `upsweep trace`: what was asked for, and the forms in which the steps are told.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/file_arguments.hpp"
#include "cli/plot/figure.hpp"
#include "registry/trace.hpp"

namespace upsweep::cli {

struct trace_arguments : file_arguments {
    std::vector<std::string> words;  // numbers, or one file
    std::string op = "plus", dtype, initial, pivot, plot;
    std::string threads, warp_width = "32";
    bool exclusive = false;
    std::vector<file_identity> inputs;  // of the file that was read
};

// What is traced if nothing is named.
[[nodiscard]] const std::vector<std::string>& usual_numbers();
inline constexpr const char* usual_pivot = "4";

// Sets the request's type and elements, which its algorithm and operator are there for.
void read_elements(trace_arguments& arguments, registry::trace_request& request);

// "inclusive plus of 8 int64 values, 8 threads"
[[nodiscard]] std::string trace_words(const registry::trace_request& request,
                                      const registry::trace_report& report);
// "17 combines, depth 3; 7 barriers", and a line on shared memory if there is any.
[[nodiscard]] std::vector<std::string> count_words(const registry::trace_report& report);
// "left + right"
[[nodiscard]] std::string combine_words(const registry::trace_request& request, const std::string& left,
                                        const std::string& right);
// Whether the cells of a step's array are made or moved in it, by index.
[[nodiscard]] std::vector<bool> marked_cells(const registry::trace_report& report,
                                             const registry::trace_step& step);

struct text_shape {
    std::size_t width;  // of a line, where what it shows has room in so many
    bool bold;          // for marked cells; otherwise a * stands before them
};
[[nodiscard]] std::string trace_text(const registry::trace_request& request,
                                     const registry::trace_report& report, const text_shape& shape);
[[nodiscard]] std::string trace_json(const registry::trace_request& request,
                                     const registry::trace_report& report);
// A row for each step, with lines from what was combined to what came of it. Throws usage_error if that has
// no room.
[[nodiscard]] std::string trace_picture(const registry::trace_request& request,
                                        const registry::trace_report& report, picture_format format);

}  // namespace upsweep::cli
