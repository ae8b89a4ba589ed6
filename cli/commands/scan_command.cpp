// `upsweep scan`: its options, what they mean together, and what is told at the end.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/arguments.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/picture_parts.hpp"
#include "cli/commands/scan_job.hpp"
#include "cli/json.hpp"

namespace upsweep::cli {
namespace {

struct running_arguments : scan_arguments {
    bool exclusive = false;
};

// Running totals under an operator.
class running_totals final : public scan_method {
  public:
    explicit running_totals(const running_arguments& arguments) : arguments_(arguments) {}

    [[nodiscard]] registry::scan_types types(const scan_operands& from) const override {
        return arguments_.request_for(from.elements).types;
    }
    [[nodiscard]] made_scanner scanner(const registry::device& device,
                                       const scan_operands& from) const override {
        return make(device, from, arguments_.exclusive);
    }
    // A group's total is its last inclusive result.
    [[nodiscard]] made_scanner totals(const registry::device& device,
                                      const scan_operands& from) const override {
        return arguments_.exclusive ? make(device, from, false) : made_scanner{};
    }
    [[nodiscard]] std::string result_name() const override { return cli::result_name(arguments_.op); }
    [[nodiscard]] std::string words() const override {
        return fmt::format("running {}{}{}", result_name(), arguments_.exclusive ? ", exclusive," : "",
                           arguments_.reverse ? " from the end" : "");
    }

  private:
    [[nodiscard]] made_scanner make(const registry::device& device, const scan_operands& from,
                                    bool exclusive) const {
        registry::scan_request request = arguments_.request_for(from.elements);
        request.exclusive = exclusive;
        request.reverse = arguments_.reverse;
        return {registry::make_scanner(device, request)};
    }

    const running_arguments& arguments_;
};

void print_json(const running_arguments& arguments, const scan_report& report,
                const registry::device& device) {
    json_writer json;
    json.begin_object();
    tell_files(json, arguments);
    json.key("op").text(registry::name(arguments.op));
    json.key("exclusive").boolean(arguments.exclusive).key("reverse").boolean(arguments.reverse);
    tell_fold(json, report);
    tell_run(json, report.seconds, report.bytes, device);
    json.end_object();
    fmt::print("{}\n", json.result());
}

void run_scan(running_arguments& arguments, const CLI::App& app) {
    arguments.check_scan(app, "scanned");
    const registry::device device = arguments.device.open(app, !arguments.axis && arguments.by.empty());
    const scan_report report = run_job({arguments, running_totals(arguments), device});
    if (arguments.json) print_json(arguments, report, device);
}

help_page scan_page() {
    help_page page;
    page.name = "upsweep scan";
    page.summary = "running totals of the numbers in a file";
    page.synopsis = {"upsweep scan INPUT [-o OUTPUT] [options]"};
    page.description =
        "Replaces every number by the total of all numbers up to it: 3 1 4 1 becomes 3 4 8 9. Besides sums "
        "there are running products, "
        "minima, maxima and bitwise operators. INPUT is a NumPy array (.npy), a table (.csv, .tsv), raw "
        "binary data, or - for standard "
        "input. Files of any size are scanned in a few megabytes of memory. The result depends on the input "
        "alone: it has the same bits "
        "on every machine and with any number of threads, and running sums of non-negative numbers never "
        "decrease.";
    add_fold_sections(page);
    add_scan_formats(
        page, "the column and the operator: price_sum",
        "Numbers are 64-bit integers if all of the column are, otherwise float64. The numbers of "
        "the column are held in memory (16 bytes a row), the rest of the file is not.");
    page.sections.push_back({"Devices",
                             {"The CPU is the default: the data of a file is in its memory, and "
                              "carrying it to another device and back takes it longer than a scan of most "
                              "types does. Results have the same bits on every device; upsweep devices lists "
                              "what is there. What a device lacks is an error that names it: scans of groups "
                              "on all but the CPU, complex numbers on gl and vulkan. "
                              "auto takes a CUDA GPU where there is one, but the CPU for axes and groups."}});
    page.sections.push_back({"Groups",
                             {"With --by COLUMN every run of rows with the same text in that column is a "
                              "group, and the total starts afresh in each. Rows "
                              "of a group must follow one another: sort --text puts them so. With several "
                              "--by it is the same text in "
                              "each of the columns; sort by the last one first, as sorts are stable."}});
    add_picture_section(page);
    page.sections.push_back(
        {"JSON",
         {"With --json, an object with file, output, plot (where it is given), op, exclusive, reverse, "
          "dtype, input_dtype, accumulator, n (elements or rows), shape, axis (null where there is none), "
          "total (of all elements, in the accumulator's type; null with --by, and of several dimensions), "
          "groups (with --by: key, an array of several, n and total of each, in the type of the results), "
          "seconds, bytes, "
          "bytes_per_second, device, model (of another device than the CPU), threads and simd.",
          json_numbers}});
    page.sections.push_back(
        {"Environment",
         {"UPSWEEP_SIMD forces an instruction set by name, see upsweep devices. UPSWEEP_BLOCK_BYTES is the "
          "size of a block when a file streams (1 MiB; 32 MiB on devices other than the CPU). NO_COLOR turns "
          "colors of the progress bar off."}});
    page.sections.push_back(
        {"Exit status", {"0: done. 1: failure on data, files or device. 2: wrong usage."}});
    page.examples = {
        {"upsweep scan x.npy -o sums.npy", "Running sums of an array:"},
        {"upsweep scan image.npy -o out.npy --axis 0", "Down the columns of a two-dimensional one:"},
        {"upsweep scan weather.csv --column precipitation --by year -o rain.csv --plot rain.svg",
         "Rainfall since the beginning of each year, with a picture:"},
        {"upsweep scan prices.csv --column close --op maximum -o highs.csv",
         "The highest price so far, beside each price:"},
        {"upsweep scan counts.npy -o offsets.npy --exclusive",
         "Where each of many lists starts, from their lengths:"},
        {"zcat x.raw.gz | upsweep scan - --format raw --dtype float32 > sums.raw", "In a pipe:"},
        {"upsweep scan x.npy -o sums.npy --json", "For a program that reads what happened:"},
    };
    page.see_also = {"upsweep",         "upsweep reduce", "upsweep recurrence",
                     "upsweep compact", "upsweep bench",  "upsweep devices"};
    return page;
}

}  // namespace

command add_scan(CLI::App& program) {
    command made;
    made.page = scan_page();
    CLI::App* app = program.add_subcommand("scan", made.page.summary);
    made.app = app;
    const auto arguments = std::make_shared<running_arguments>();
    arguments->add_names_to(*app);
    arguments->add_op_to(*app);
    app->add_flag("--exclusive", arguments->exclusive,
                  "each total is that of the numbers before it, without its own");
    arguments->add_initial_to(*app);
    arguments->add_reverse_to(*app);
    arguments->add_axis_to(*app, "dimension to scan along, from 0; negative ones count from the last");
    arguments->add_types_to(*app);
    arguments->add_format_to(*app);
    arguments->add_column_to(*app, "column of a table to scan");
    arguments->add_by_to(*app);
    arguments->add_table_options_to(*app);
    arguments->device.add_to(*app);
    app->add_flag("--json", arguments->json,
                  "one JSON object on standard output: sizes, types, total, seconds, bytes per second");
    arguments->add_plot_to(*app, "draw input and running totals, or a line for each group, to .svg or .png");
    made.run = [app, arguments] { run_scan(*arguments, *app); };
    return made;
}

}  // namespace upsweep::cli
