// Figures made from points.
#include "cli/commands/scan_picture.hpp"

#include <fmt/format.h>

#include "cli/commands/picture_parts.hpp"
#include "cli/io/message.hpp"

namespace upsweep::cli {

plot_figure picture_of_sequence(const scan_job& job, const std::string& name, const plot_accumulator& input,
                                const plot_accumulator& result) {
    plot_figure figure;
    figure.title = fmt::format("{} of {}", capital(job.method.words()), printable(name));
    figure.subtitle = file_words(job.arguments.input, input.count());
    figure.x_label = "index";
    figure.whole_x = true;
    const plot_mark mark = input.count() <= most_bars ? plot_mark::bars : plot_mark::line;
    figure.panels.push_back({printable(name), {{"", mark, input.points(), false}}, 1});
    figure.panels.push_back({job.method.words(), {{"", plot_mark::line, result.points(), false}}, 1.6});
    return figure;
}

plot_figure picture_of_groups(const scan_job& job, const std::string& name,
                              const std::vector<named_points>& groups) {
    plot_figure figure;
    std::uint64_t count = 0;
    plot_panel panel;
    panel.y_label = fmt::format("{} of {}", job.method.words(), printable(name));
    for (const named_points& group : groups) {
        count += group.points.count();
        panel.series.push_back({printable(group.name, 24), plot_mark::line, group.points.points(), false});
    }
    figure.title = fmt::format("{} of {} by {}", capital(job.method.words()), printable(name),
                               column_words(job.arguments.by));
    figure.subtitle = fmt::format("{} in {} {}", file_words(job.arguments.input, count), groups.size(),
                                  groups.size() == 1 ? "group" : "groups");
    figure.x_label = fmt::format("row within each {}", column_words(job.arguments.by));
    figure.whole_x = true;
    figure.panels.push_back(std::move(panel));
    return figure;
}

}  // namespace upsweep::cli
