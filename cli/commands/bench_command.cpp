// `upsweep bench`: scans of the user's choice beside a copy of the same bytes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "cli/commands/arguments.hpp"
#include "cli/commands/commands.hpp"
#include "cli/io/message.hpp"
#include "cli/io/number.hpp"
#include "cli/json.hpp"
#include "cli/memory.hpp"
#include "cli/plot/figure.hpp"
#include "cli/progress.hpp"
#include "cli/usage.hpp"
#include "registry/device.hpp"
#include "registry/measure.hpp"
#include "upsweep/error.hpp"

namespace upsweep::cli {
namespace {

struct bench_arguments {
    std::vector<std::string> ops = {"plus"};
    std::vector<std::string> types = {"float32"};
    std::vector<std::string> sizes = {"1e5", "1e6", "1e7", "1e8"};
    bool exclusive = false;
    device_choice device;
    bool json = false;
    std::string plot;
};

struct bench_row {
    std::string work;
    std::string type;
    std::size_t n;
    std::size_t bytes;  // read and written
    registry::measurement times;

    [[nodiscard]] double percent() const { return 100 * times.copy_seconds / times.seconds; }
};

std::size_t parse_size(const std::string& word) {
    csv_number number;
    const bool is_number = parse_number(word, number) == number_problem::none;
    const double size = number.real;
    if (!is_number || !(size >= 1) || size > 1e15 || size != std::floor(size)) {
        throw usage_error(
            fmt::format("--sizes {}: expected numbers of elements such as 1000000 or 1e6", in_quotes(word)));
    }
    return static_cast<std::size_t>(size);
}

// Of input and results, every page of which is touched: a machine that has not so much would swap, or end
// this process or another one.
void expect_room(registry::dtype type, std::size_t n) {
    const std::uint64_t wanted = 2 * std::uint64_t{registry::size_of(type)} * n;
    const std::uint64_t there = available_memory_bytes();
    if (wanted <= there) return;
    throw_error(errc::out_of_memory,
                fmt::format("--sizes {}: input and results in {} take {}, but {} of memory can be had", n,
                            registry::name(type), bytes_text(static_cast<double>(wanted)),
                            bytes_text(static_cast<double>(there))));
}

std::string time_text(double seconds) {
    if (seconds < 1e-6) return fmt::format("{:.0f} ns", seconds * 1e9);
    if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
    if (seconds < 1) return fmt::format("{:.2f} ms", seconds * 1e3);
    return fmt::format("{:.2f} s", seconds);
}

constexpr const char* table_row = "{:24} {:10} {:>13} {:>10} {:>10} {:>10} {:>10}\n";

void print_row(const bench_row& row) {
    fmt::print(table_row, row.work, row.type, row.n, time_text(row.times.seconds),
               time_text(row.times.copy_seconds),
               fmt::format("{:.2f} GB/s", static_cast<double>(row.bytes) / row.times.seconds / 1e9),
               fmt::format("{:.0f} %", row.percent()));
    std::fflush(stdout);
}

plot_figure picture(const std::vector<bench_row>& rows, const registry::device& device) {
    plot_figure figure;
    figure.title = "Scan beside a copy of the same bytes";
    figure.subtitle = fmt::format("{}; higher is faster", device.summary());
    figure.x_label = "elements";
    figure.log_x = true;
    plot_panel panel;
    panel.y_label = "GB/s, read and written";
    const auto rate = [](const bench_row& row, double seconds) {
        return plot_point{static_cast<double>(row.n), static_cast<double>(row.bytes) / seconds / 1e9};
    };
    for (const bench_row& row : rows) {
        const std::string label = row.work + " " + row.type;
        if (panel.series.empty() || panel.series.back().label != label) {
            panel.series.push_back({"copy (" + row.type + ")", plot_mark::dotted_line, {}, true});
            panel.series.push_back({label, plot_mark::dotted_line, {}, false});
        }
        panel.series[panel.series.size() - 2].points.push_back(rate(row, row.times.copy_seconds));
        panel.series.back().points.push_back(rate(row, row.times.seconds));
    }
    figure.panels.push_back(std::move(panel));
    return figure;
}

void run_bench(const bench_arguments& arguments, const CLI::App& app) {
    std::vector<registry::operation> ops;
    std::vector<registry::dtype> types;
    std::vector<std::size_t> sizes;
    for (const std::string& word : arguments.ops) ops.push_back(parse_op(word));
    for (const std::string& word : arguments.types) types.push_back(parse_type("--dtype", word));
    for (const std::string& word : arguments.sizes) sizes.push_back(parse_size(word));
    std::sort(sizes.begin(), sizes.end());
    for (const registry::operation op : ops) {
        for (const registry::dtype type : types) {
            try {
                static_cast<void>(registry::resolve_types(op, type, type));
            } catch (const error& problem) {
                throw usage_error(fmt::format("--op {} --dtype {}: {}", registry::name(op),
                                              registry::name(type), problem.what()));
            }
        }
    }
    std::optional<output_file> plot;
    if (!arguments.plot.empty()) {
        static_cast<void>(plot_format(arguments.plot));
        plot.emplace(arguments.plot);
    }

    const registry::device device = arguments.device.open(app);
    if (device.accelerated() == nullptr) {
        for (const registry::dtype type : types) expect_room(type, sizes.back());
    }
    if (!arguments.json) fmt::print(table_row, "work", "type", "n", "time", "copy", "speed", "of copy");
    std::vector<bench_row> rows;
    for (const registry::operation op : ops) {
        for (const registry::dtype type : types) {
            for (const std::size_t n : sizes) {
                bench_row row;
                row.work =
                    fmt::format("{} {}", arguments.exclusive ? "exclusive" : "inclusive", registry::name(op));
                row.type = registry::name(type);
                row.n = n;
                row.bytes = 2 * n * registry::size_of(type);
                row.times = registry::measure_scan(device, op, type, n, arguments.exclusive);
                if (!arguments.json) print_row(row);
                rows.push_back(std::move(row));
            }
        }
    }
    if (arguments.json) {
        json_writer json;
        json.begin_array();
        for (const bench_row& row : rows) {
            json.begin_object().key("device").text(device.name());
            json.key("work").text(row.work).key("type").text(row.type).key("n").integer(row.n);
            json.key("seconds").number(row.times.seconds).key("copy_seconds").number(row.times.copy_seconds);
            json.key("percent_of_copy").number(row.percent()).end_object();
        }
        fmt::print("{}\n", json.end_array().result());
    }
    if (plot) {
        write_picture(*plot, picture(rows, device), plot_format(arguments.plot));
        plot->commit();
    }
}

help_page bench_page() {
    help_page page;
    page.name = "upsweep bench";
    page.summary = "times scans in memory beside a copy of the same bytes";
    page.synopsis = {"upsweep bench [--op NAME,...] [--dtype TYPE,...] [--sizes N,...] [options]"};
    page.description =
        "A scan reads every element once and writes one result for it, so a copy of the same bytes is the "
        "limit of its speed on any machine. For each operator, type and size this measures both on the same "
        "device: the scan, and a copy, on the CPU by all threads and past the caches where that is faster, "
        "on other devices within their memory. Scan and copy take turns, and the median of their times is "
        "shown, because a machine's speed drifts. Input and results are of the same type here. A line takes "
        "about half a second.";
    page.sections.push_back({"Columns",
                             {"work, type, n: the scan, its element type and the number of elements. time: "
                              "of the scan. copy: of the copy. "
                              "speed: bytes read and written by the scan in a second. of copy: the copy's "
                              "time in percent of the scan's; "
                              "100 % is as fast as copying, and small sizes can exceed it, as they are bound "
                              "by starting threads."}});
    page.sections.push_back(
        {"JSON",
         {"With --json, an array of objects with the fields device, work, type, n, seconds, copy_seconds and "
          "percent_of_copy."}});
    page.examples = {
        {"upsweep bench", "Running sums of float32, 1e5 to 1e8 elements:"},
        {"upsweep bench --op plus,maximum --dtype int32,float64 --sizes 1e6,1e7",
         "Two operators on two types:"},
        {"upsweep bench --sizes 1e3,1e4,1e5,1e6,1e7,1e8 --plot speed.svg", "A picture of speed over size:"},
        {"upsweep bench --device cuda --sizes 1e6,1e7,1e8,1e9", "On a GPU, in its own memory:"},
        {"upsweep bench --json > here.json", "For comparison with another machine:"}};
    page.see_also = {"upsweep", "upsweep scan", "upsweep devices"};
    return page;
}

}  // namespace

command add_bench(CLI::App& program) {
    command made;
    made.page = bench_page();
    CLI::App* app = program.add_subcommand("bench", made.page.summary);
    made.app = app;
    const auto arguments = std::make_shared<bench_arguments>();
    const auto list = [](CLI::Option* option, const char* type) {
        option->delimiter(',')->expected(1, 64)->type_name(type);
        return option;
    };
    list(app->add_option("--op", arguments->ops, "operators; default: plus"), "NAME,...");
    list(app->add_option("--dtype", arguments->types, "element types; default: float32"), "TYPE,...");
    list(app->add_option("--sizes", arguments->sizes, "numbers of elements; default: 1e5,1e6,1e7,1e8"),
         "N,...");
    app->add_flag("--exclusive", arguments->exclusive, "exclusive scans instead of inclusive ones");
    arguments->device.add_to(*app);
    app->add_flag("--json", arguments->json, "a JSON array on standard output instead of the table");
    app->add_option("--plot", arguments->plot, "draw speed over size, to .svg or .png")->type_name("FILE");
    made.run = [arguments, app] { run_bench(*arguments, *app); };
    return made;
}

}  // namespace upsweep::cli
