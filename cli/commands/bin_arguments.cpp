// Bins by words, or by what the numbers are.
#include "cli/commands/bin_arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "cli/io/message.hpp"
#include "cli/usage.hpp"
#include "upsweep/error.hpp"

namespace upsweep::cli {
namespace {

// Of int64 or uint64 where it is one.
registry::value parse_edge(std::string_view text) {
    for (const registry::dtype whole : {registry::dtype::int64, registry::dtype::uint64}) {
        try {
            return registry::parse_value(text, whole);
        } catch (const error&) {
        }
    }
    return registry::parse_value(text, registry::dtype::float64);
}

std::vector<registry::value> parse_edges(std::string_view list) {
    std::vector<registry::value> edges;
    for (std::size_t first = 0; first <= list.size();) {
        const std::size_t end = std::min(list.find(',', first), list.size());
        try {
            edges.push_back(parse_edge(list.substr(first, end - first)));
        } catch (const error& problem) {
            throw usage_error(fmt::format("--edges {}: {}", in_quotes(list), problem.what()));
        }
        first = end + 1;
    }
    if (edges.size() < 2)
        throw usage_error(
            fmt::format("--edges {}: expected two numbers or more, as in 0,1,10", in_quotes(list)));
    return edges;
}

}  // namespace

void bin_arguments::add_bins_to(CLI::App& app) {
    app.add_option("--bins", bins, "number of bins; default: 10")->type_name("N");
    app.add_option(
           "--range", range,
           "from LO to below HI, cut into equal bins; default: from the smallest number to the largest")
        ->type_name("LO:HI");
    app.add_option("--edges", listed,
                   "bins between these numbers, which ascend, in place of --bins and --range")
        ->type_name("A,B,...");
    app.add_flag("--clamp", clamp,
                 "count what lies below all bins in the first one, and what lies above in the last");
    app.add_option("--dtype", dtype, "type of the elements of raw input")->type_name("TYPE");
    add_format_to(app);
    add_column_to(app, "column of a table that holds the numbers");
    add_table_options_to(app);
    device.add_threads_to(app);
}

void bin_arguments::check() {
    constexpr std::int64_t most = std::int64_t{1} << 26;  // some tens of bytes each
    if (bins) count = static_cast<std::uint32_t>(parse_whole("--bins", *bins, 1, most));
    if (listed) {
        if (bins || !range.empty())
            throw usage_error("--edges says where all bins are; leave --bins and --range out");
        edges = parse_edges(*listed);
        count = static_cast<std::uint32_t>(edges.size() - 1);
    }
    if (!range.empty() &&
        (range.find(':') == std::string::npos || range.front() == ':' || range.back() == ':'))
        throw usage_error(fmt::format("--range {}: expected two numbers, as in 0:1", in_quotes(range)));
    if (clamp && range.empty() && edges.empty())
        throw usage_error("--clamp needs --range or --edges; without them no number is outside");
    find_input_format(column.has_value(), !dtype.empty());
    read_raw_type(dtype);
    refuse_table_options();
}

bins_of_input make_bins(const bin_arguments& arguments, const registry::device& device, number_input& input,
                        number_passes& passes) {
    bins_of_input made;
    const std::uint32_t count = arguments.count;
    try {
        if (!arguments.edges.empty()) {
            made.limits.count = count;
            made.limits.clamp = arguments.clamp;
            made.limits.edges = arguments.edges;
        } else if (!arguments.range.empty()) {
            const std::size_t colon = arguments.range.find(':');
            made.limits = {arguments.range.substr(0, colon), arguments.range.substr(colon + 1), count,
                           arguments.clamp};
        } else {
            const auto extent = registry::make_extent(device, input.type());
            passes.run(passes.usual_block(),
                       [&](const number_block& block) { extent->include(block.numbers, block.count); });
            made.limits =
                passes.count() == 0 ? registry::bin_limits{"0", "1", count, true} : extent->limits(count);
        }
        made.binner = registry::make_binner(device, input.type(), made.limits);
        return made;
    } catch (const error& problem) {
        if (problem.code() != errc::invalid_argument) throw;
        std::string_view words = problem.what();
        for (const std::string_view argument : {"range: ", "edges: "})
            if (words.starts_with(argument)) words.remove_prefix(argument.size());
        if (registry::is_complex_type(input.type())) fail(input.source().name(), words);
        if (!arguments.edges.empty())
            throw usage_error(fmt::format("--edges {}: {}", in_quotes(*arguments.listed), words));
        if (!arguments.range.empty())
            throw usage_error(fmt::format("--range {}: {}", in_quotes(arguments.range), words));
        fail(input.source().name(), fmt::format("{}; say the range with --range", words));
    }
}

void add_bin_sections(help_page& page) {
    page.sections.push_back(
        {"Bins",
         {"With --range LO:HI --bins N, number x belongs to bin floor((x - LO) * N / (HI - LO)), counted "
          "from "
          "0. LO is in the first bin and HI in none, unless --clamp puts it, and what lies beyond, into the "
          "last. For integers, bool among them, this is exact, and LO and HI are integers; for types of "
          "up to 32 bits they may lie outside the type, anywhere in int64: 0:256 takes all of uint8; for "
          "int64 and uint64 they are numbers of the type. For floating point the "
          "difference, product and quotient are each rounded to the elements' type (to float32 for float16), "
          "and to float64 for tables. A NaN is in no bin.",
          "Without --range the bins go from the smallest number to the largest, which belongs to the last "
          "bin, as numpy.histogram has it; NaNs are left out, and infinite numbers are an error. "
          "If all numbers are the same the range is one wide: around it, or from it on for integers. "
          "The input is then read twice; what comes from a pipe is kept for that.",
          "With --edges A,B,C number x is in the first bin if A <= x < B and in the second, the last, if B "
          "<= x "
          "<= C, and so on: numbers compare as the numbers that they are, whatever the type of the elements, "
          "and inf may be one. --clamp counts what is below A in the first bin, and what is above C in the "
          "last.",
          "Results do not depend on the number of threads or the instruction set."}});
}

void tell_bins(json_writer& json, const bin_arguments& arguments, const bins_of_input& made) {
    json.key("bins").integer(made.limits.count);
    json.key("clamp").boolean(arguments.clamp);
    json.key("last_closed").boolean(arguments.last_closed());
    json.key("edges").begin_array();
    for (std::uint64_t bin = 0; bin <= made.limits.count; ++bin) json.element(made.binner->edge(bin));
    json.end_array();
}

}  // namespace upsweep::cli
