#include "cli/commands/reduce_picture.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands/picture_parts.hpp"
#include "cli/io/message.hpp"

namespace upsweep::cli {

void group_bars::add(const std::vector<std::string>& key, const registry::value& total) {
    const std::uint64_t number = points_.count() + 1;
    add_points(points_, total.type(), total.data(), number, 1);
    if (number <= most_bars)
        keys_.emplace_back(static_cast<double>(number),
                           printable(fmt::format("{}", fmt::join(key, ", ")), 24));
}

plot_figure group_bars::picture(const reduce_arguments& arguments, const std::string& name,
                                std::uint64_t rows) const {
    const std::string what = fmt::format("{} of {}", result_name(arguments.op), printable(name));
    const std::uint64_t groups = points_.count();
    plot_figure figure;
    figure.title = fmt::format("{} by {}", capital(what), column_words(arguments.by));
    figure.subtitle = fmt::format("{} in {} {}", file_words(arguments.input, rows), groups,
                                  groups == 1 ? "group" : "groups");
    plot_series series;
    series.points = points_.points();
    if (groups <= most_bars) {
        series.mark = plot_mark::bars;
        figure.x_label = column_words(arguments.by);
        figure.x_ticks = keys_;
    } else {
        series.mark = plot_mark::line;
        figure.x_label = fmt::format("runs of the same {}, in their order", column_words(arguments.by));
        figure.whole_x = true;
    }
    figure.panels.push_back({what, {std::move(series)}, 1});
    return figure;
}

}  // namespace upsweep::cli
