// A histogram as lines, as a file and as a picture.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "cli/commands/histogram_job.hpp"
#include "cli/io/csv.hpp"
#include "cli/io/message.hpp"

namespace upsweep::cli {
namespace {

constexpr std::size_t widest_text_bar = 48;

// With as few digits as tell neighbours apart, six or more, or all of them; those that were given as they
// are.
std::vector<std::string> edge_texts(const registry::binner& binner, std::uint64_t bins, bool given) {
    std::vector<std::string> texts(bins + 1);
    const bool is_exact = given || registry::is_integer_type(binner.edge(0).type());
    for (int digits = 6; digits < 17 && !is_exact; ++digits) {
        bool told_apart = true;
        for (std::uint64_t bin = 0; bin <= bins && told_apart; ++bin) {
            texts[bin] = fmt::format("{:.{}g}", binner.edge_position(bin), digits);
            told_apart = bin == 0 || texts[bin] != texts[bin - 1];
        }
        if (told_apart) return texts;
    }
    for (std::uint64_t bin = 0; bin <= bins; ++bin) texts[bin] = registry::format_value(binner.edge(bin));
    return texts;
}

std::uint64_t highest(const histogram_report& report) {
    return *std::max_element(report.counts.begin(), report.counts.end());
}

// "3 of 100 values are in no bin"
std::string outside_words(const histogram_report& report) {
    const std::uint64_t outside = report.count - report.counted;
    return fmt::format("{} of {} {} {} in no bin", outside, report.count,
                       report.count == 1 ? "value" : "values", outside == 1 ? "is" : "are");
}

}  // namespace

void print_histogram(const histogram_arguments& arguments, const histogram_report& report) {
    const std::vector<std::string> edges =
        edge_texts(*report.by.binner, report.counts.size(), !arguments.edges.empty());
    std::size_t width = 4;  // of "from"
    for (const std::string& text : edges) width = std::max(width, text.size());
    const std::uint64_t most = highest(report);
    const std::size_t count_width = std::max<std::size_t>(5, fmt::format("{}", most).size());
    fmt::print("{:>{}}  {:>{}}  {:>{}}\n", "from", width, arguments.last_closed() ? "to" : "below", width + 1,
               "count", count_width);
    for (std::size_t bin = 0; bin < report.counts.size(); ++bin) {
        const std::uint64_t count = report.counts[bin];
        // The last bin of numbers' own extent has its upper edge.
        const bool closed = arguments.last_closed() && bin + 1 == report.counts.size();
        const double share = most == 0 ? 0 : static_cast<double>(count) / static_cast<double>(most);
        auto length = static_cast<std::size_t>(std::lround(share * widest_text_bar));
        if (count != 0) length = std::max<std::size_t>(length, 1);
        fmt::print("{:>{}}  {:>{}}{}  {:>{}}{}{}\n", edges[bin], width, edges[bin + 1], width,
                   closed ? "]" : " ", count, count_width, length == 0 ? "" : "  ", std::string(length, '#'));
    }
    if (report.counted != report.count) fmt::print("{}\n", outside_words(report));
}

void write_histogram(const histogram_arguments& arguments, const histogram_report& report,
                     output_file& output) {
    if (is_table(arguments.output_format)) {
        csv_writer writer(output, arguments.output_delimiter());
        for (const std::string_view name : {"lower", "upper", "count"}) writer.cell(name);
        writer.end_row();
        for (std::size_t bin = 0; bin < report.counts.size(); ++bin) {
            writer.cell(std::string_view(registry::format_value(report.by.binner->edge(bin))));
            writer.cell(std::string_view(registry::format_value(report.by.binner->edge(bin + 1))));
            writer.cell(report.counts[bin]);
            writer.end_row();
        }
        return;
    }
    array_header header;
    header.type = registry::dtype::int64;
    header.shape = {report.counts.size()};
    array_writer writer = open_writer(output, std::move(header), arguments.output_format);
    writer.write(report.counts.data(), report.counts.size());  // below 2^63, so the same bits
    writer.finish();
}

plot_figure picture_of(const histogram_arguments& arguments, const histogram_report& report) {
    const registry::binner& binner = *report.by.binner;
    const std::size_t slash = arguments.input.rfind('/');
    plot_figure figure;
    figure.title = fmt::format("Histogram of {}", report.name);
    figure.subtitle = fmt::format("{} {}", report.count, report.count == 1 ? "value" : "values");
    if (arguments.reads_table() && arguments.input != "-")
        figure.subtitle = printable(arguments.input.substr(slash + 1)) + ", " + figure.subtitle;
    figure.subtitle +=
        fmt::format(" in {} {}", report.counts.size(), report.counts.size() == 1 ? "bin" : "bins");
    if (report.counted != report.count) figure.subtitle += "; " + outside_words(report);
    figure.x_label = report.name;
    plot_series series;
    series.mark = plot_mark::intervals;
    for (std::size_t bin = 0; bin < report.counts.size(); ++bin)
        series.points.push_back({binner.edge_position(bin), static_cast<double>(report.counts[bin])});
    series.points.push_back({binner.edge_position(report.counts.size()), 0});
    if (!std::isfinite(series.points.front().x) || !std::isfinite(series.points.back().x))
        figure.subtitle += "; bins without an end are not drawn";
    figure.panels.push_back({"count", {std::move(series)}, 1});
    return figure;
}

}  // namespace upsweep::cli
