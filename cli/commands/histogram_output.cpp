// A histogram as lines, as a file and as a picture.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "cli/commands/histogram_job.hpp"
#include "cli/commands/picture_parts.hpp"
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

// Counts, or sums.
const char* what_is_shown(const histogram_report& report) { return report.sums ? "sum" : "count"; }
std::string shown_text(const histogram_report& report, std::size_t bin) {
    return report.sums ? registry::format_value(report.sums->shown(bin))
                       : fmt::format("{}", report.counts[bin]);
}
double height(const histogram_report& report, std::size_t bin) {
    return report.sums ? report.sums->height(bin) : static_cast<double>(report.counts[bin]);
}

// As long as its height is of the tallest one, which no finite one is above; one that is negative has marks
// of its own.
std::string text_bar(double height, double tallest) {
    if (std::isnan(height) || height == 0) return {};
    const double share = std::isinf(height) ? 1 : std::abs(height) / tallest;
    const auto length = static_cast<std::size_t>(std::lround(share * widest_text_bar));
    return "  " + std::string(std::max<std::size_t>(length, 1), height < 0 ? '-' : '#');
}

// "3 of 100 values are in no bin"
std::string outside_words(const histogram_report& report) {
    const std::uint64_t outside = report.count - report.counted;
    return fmt::format("{} of {} {} {} in no bin", outside, report.count,
                       report.count == 1 ? "value" : "values", outside == 1 ? "is" : "are");
}

}  // namespace

void print_histogram(const histogram_arguments& arguments, const histogram_report& report) {
    const std::size_t bins = report.bins();
    const std::vector<std::string> edges = edge_texts(*report.by.binner, bins, !arguments.edges.empty());
    std::size_t width = 4;  // of "from"
    for (const std::string& text : edges) width = std::max(width, text.size());
    double tallest = 0;
    std::size_t shown_width = 5;
    for (std::size_t bin = 0; bin < bins; ++bin) {
        const double size = std::abs(height(report, bin));
        if (std::isfinite(size)) tallest = std::max(tallest, size);
        shown_width = std::max(shown_width, shown_text(report, bin).size());
    }
    fmt::print("{:>{}}  {:>{}}  {:>{}}\n", "from", width, arguments.last_closed() ? "to" : "below", width + 1,
               what_is_shown(report), shown_width);
    for (std::size_t bin = 0; bin < bins; ++bin) {
        // The last bin of numbers' own extent has its upper edge.
        const bool closed = arguments.last_closed() && bin + 1 == bins;
        fmt::print("{:>{}}  {:>{}}{}  {:>{}}{}\n", edges[bin], width, edges[bin + 1], width,
                   closed ? "]" : " ", shown_text(report, bin), shown_width,
                   text_bar(height(report, bin), tallest));
    }
    if (report.counted != report.count) fmt::print("{}\n", outside_words(report));
}

void write_histogram(const histogram_arguments& arguments, const histogram_report& report,
                     output_file& output) {
    if (is_table(arguments.output_format)) {
        csv_writer writer(output, arguments.output_delimiter());
        for (const std::string_view name : {"lower", "upper", what_is_shown(report)}) writer.cell(name);
        writer.end_row();
        for (std::size_t bin = 0; bin < report.bins(); ++bin) {
            writer.cell(std::string_view(registry::format_value(report.by.binner->edge(bin))));
            writer.cell(std::string_view(registry::format_value(report.by.binner->edge(bin + 1))));
            writer.cell(std::string_view(shown_text(report, bin)));
            writer.end_row();
        }
        return;
    }
    array_header header;
    header.type = report.sums ? report.sums->type() : registry::dtype::int64;
    header.shape = {report.bins()};
    array_writer writer = open_writer(output, std::move(header), arguments.output_format);
    // Counts are below 2^63, so that they have the same bits.
    const void* const elements =
        report.sums ? static_cast<const void*>(report.sums->data()) : report.counts.data();
    writer.write(elements, report.bins());
    writer.finish();
}

plot_figure picture_of(const histogram_arguments& arguments, const histogram_report& report) {
    const registry::binner& binner = *report.by.binner;
    const std::size_t slash = arguments.input.rfind('/');
    plot_figure figure;
    const std::string shown = report.sums ? "sum of " + report.sums->name() : "count";
    figure.title = report.sums ? fmt::format("{} by {}", capital(shown), report.name)
                               : fmt::format("Histogram of {}", report.name);
    figure.subtitle = fmt::format("{} {}", report.count, report.count == 1 ? "value" : "values");
    if (arguments.reads_table() && arguments.input != "-")
        figure.subtitle = printable(arguments.input.substr(slash + 1)) + ", " + figure.subtitle;
    figure.subtitle += fmt::format(" in {} {}", report.bins(), report.bins() == 1 ? "bin" : "bins");
    if (report.counted != report.count) figure.subtitle += "; " + outside_words(report);
    figure.x_label = report.name;
    plot_series series;
    series.mark = plot_mark::intervals;
    for (std::size_t bin = 0; bin < report.bins(); ++bin) {
        const double y = height(report, bin);
        // What is not finite would take the bar before it along.
        series.points.push_back({binner.edge_position(bin), std::isfinite(y) ? y : 0});
    }
    series.points.push_back({binner.edge_position(report.bins()), 0});
    if (!std::isfinite(series.points.front().x) || !std::isfinite(series.points.back().x))
        figure.subtitle += "; bins without an end are not drawn";
    figure.panels.push_back({shown, {std::move(series)}, 1});
    return figure;
}

}  // namespace upsweep::cli
