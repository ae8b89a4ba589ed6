// `upsweep scan`: its options, what they mean together, and what is told at the end.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <utility>

#include "cli/commands/arguments.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/scan_job.hpp"
#include "cli/io/message.hpp"
#include "cli/json.hpp"
#include "cli/usage.hpp"
#include "upsweep/error.hpp"

namespace upsweep::cli {
namespace {

struct options_of_scan {
    std::string op = "plus", dtype, accumulate, input_dtype;
    std::string initial, axis;
};

void check(scan_arguments& arguments, const options_of_scan& given, const CLI::App& app) {
    arguments.op = parse_op(given.op);
    arguments.find_input_format(arguments.column || arguments.by, !given.input_dtype.empty());
    const bool table = arguments.reads_table();
    if (!given.accumulate.empty()) arguments.accumulate = parse_type("--accumulate", given.accumulate);
    if (!given.initial.empty() || app.count("--init") != 0) arguments.initial = given.initial;
    if (app.count("--axis") != 0) {
        const auto axis = whole_number(given.axis);
        if (!axis || !std::in_range<int>(*axis)) {
            throw usage_error(
                fmt::format("--axis {}: expected the number of a dimension", printable(given.axis)));
        }
        arguments.axis = static_cast<int>(*axis);
    }
    if (arguments.input_format == file_format::raw) {
        if (given.input_dtype.empty() && given.dtype.empty()) {
            throw usage_error(fmt::format(
                "{}: raw data does not tell the type of its elements; say it with --dtype or --input-dtype",
                arguments.input));
        }
        if (given.input_dtype.empty())
            arguments.set_raw_type("--dtype", given.dtype);
        else
            arguments.set_raw_type("--input-dtype", given.input_dtype);
    }
    if (!given.dtype.empty()) {
        // For raw input the same word may carry the byte order of the file; results have the machine's.
        const auto layout = registry::parse_dtype_layout(given.dtype);
        const bool names_input = arguments.input_format == file_format::raw && given.input_dtype.empty();
        arguments.dtype = names_input && layout ? layout->type : parse_type("--dtype", given.dtype);
    }

    arguments.find_output_format();
    if (!table && (arguments.column || arguments.by || arguments.headless)) {
        throw usage_error("--column, --by and --no-header are for .csv and .tsv tables");
    }
    if (table && arguments.axis)
        throw usage_error("--axis is for arrays; a table is scanned down its --column");
    if (!given.input_dtype.empty() && arguments.input_format != file_format::raw) {
        throw usage_error("--input-dtype is for raw data; other formats tell their types themselves");
    }
    if (!arguments.plot.empty()) {
        static_cast<void>(plot_format(arguments.plot));
        arguments.refuse_as_output("--plot", arguments.plot);
    }
    arguments.refuse_terminal();
}

void print_json(const scan_arguments& arguments, const scan_report& report, const registry::device& device,
                double seconds) {
    json_writer json;
    json.begin_object();
    json.key("file").text(arguments.input).key("output").text(arguments.output);
    json.key("op").text(registry::name(arguments.op));
    json.key("exclusive").boolean(arguments.exclusive).key("reverse").boolean(arguments.reverse);
    json.key("dtype").text(registry::name(report.types.output));
    json.key("input_dtype").text(registry::name(report.types.input));
    json.key("accumulator").text(registry::name(report.types.accumulator));
    json.key("n").integer(report.count).key("shape").begin_array();
    for (const std::uint64_t extent : report.shape) json.integer(extent);
    json.end_array().key("axis");
    if (report.axis)
        json.integer(static_cast<std::uint64_t>(*report.axis));
    else
        json.null();
    json.key("total");
    if (report.total)
        json.element(*report.total);
    else
        json.null();
    if (report.groups) {
        json.key("groups").begin_array();
        for (const scan_group& group : *report.groups) {
            json.begin_object()
                .key("key")
                .text(group.key)
                .key("n")
                .integer(group.count)
                .key("total")
                .element(group.total)
                .end_object();
        }
        json.end_array();
    }
    tell_run(json, seconds, report.bytes, device);
    json.end_object();
    fmt::print("{}\n", json.result());
}

void run_scan(scan_arguments& arguments, const options_of_scan& given, const CLI::App& app) {
    check(arguments, given, app);
    const registry::device device = arguments.device.open(app, !arguments.axis && !arguments.by);
    const auto start = std::chrono::steady_clock::now();
    scan_report report =
        arguments.reads_table() ? scan_table(arguments, device) : scan_array(arguments, device);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (report.picture) {
        write_picture(*report.picture_file, *report.picture, plot_format(arguments.plot));
        report.picture_file->commit();
    }
    if (arguments.json) print_json(arguments, report, device, seconds);
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
    std::string table;
    for (const registry::operation op : registry::operations()) {
        table +=
            fmt::format("{}  {:12} {}", table.empty() ? "" : "\n", registry::name(op), registry::meaning(op));
    }
    page.sections.push_back({"Operators", {table}});
    page.sections.push_back(
        {"Types",
         {"What --dtype and --accumulate leave open follows numpy.cumulative_sum: sums and products of "
          "integers widen to 64 bits, "
          "floating-point and complex results keep their type, and totals are computed in the type of the "
          "result (float16 and bfloat16 "
          "in float32). Minimum, maximum and the bitwise operators keep the type of the input, the logical "
          "ones give bool.",
          "Types: " + registry::dtype_names() +
              ". Raw input takes a byte order too: '<f4', '>i2'. Integers wrap around."}});
    page.sections.push_back({"Formats",
                             {".npy: any numeric type, byte order and memory order. An array of two or more "
                              "dimensions needs --axis.",
                              ".csv, .tsv: the numbers of --column. The output has all columns of the input "
                              "and behind them the new one, named after the "
                              "column and the operator: price_sum. With -o FILE.npy it is the new column "
                              "alone. Numbers are 64-bit integers if all of the "
                              "column are, otherwise float64. The numbers of the column are held in memory "
                              "(16 bytes a row), the rest of the file is not.",
                              "raw (.raw, .bin): elements of type --input-dtype, or --dtype, one after the "
                              "other and nothing else. Results are in this "
                              "machine's byte order.",
                              "An output file appears when it is complete; until then, and after an error, "
                              "an old one stays as it was."}});
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
                              "of a group must follow one another: sort the table first if they do not."}});
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
    page.see_also = {"upsweep", "upsweep compact", "upsweep bench", "upsweep devices"};
    return page;
}

}  // namespace

std::unique_ptr<output_file> open_picture(const scan_arguments& arguments, const byte_source& input) {
    if (arguments.plot.empty()) return nullptr;
    return std::make_unique<output_file>(arguments.plot, identities(input));
}

registry::scan_request make_request(const scan_arguments& arguments, registry::dtype input) {
    registry::scan_request request;
    request.op = arguments.op;
    request.exclusive = arguments.exclusive;
    request.reverse = arguments.reverse;
    try {
        request.types = registry::resolve_types(arguments.op, input, arguments.dtype, arguments.accumulate);
    } catch (const error& problem) {
        throw usage_error(fmt::format("{}: {}", arguments.input, problem.what()));
    }
    try {
        if (arguments.initial)
            request.initial = registry::parse_value(*arguments.initial, request.types.accumulator);
    } catch (const error& problem) {
        throw usage_error(fmt::format("--init: {}", problem.what()));
    }
    return request;
}

std::string result_name(registry::operation op) {
    if (op == registry::operation::plus) return "sum";
    if (op == registry::operation::multiplies) return "product";
    return std::string(registry::name(op));
}

std::string scan_words(const scan_arguments& arguments) {
    return fmt::format("running {}{}{}", result_name(arguments.op), arguments.exclusive ? ", exclusive," : "",
                       arguments.reverse ? " from the end" : "");
}

command add_scan(CLI::App& program) {
    command made;
    made.page = scan_page();
    CLI::App* app = program.add_subcommand("scan", made.page.summary);
    made.app = app;
    const auto arguments = std::make_shared<scan_arguments>();
    const auto given = std::make_shared<options_of_scan>();
    arguments->add_names_to(*app);
    app->add_option("--op", given->op, "operator: plus (the default), minimum, maximum, ...; see Operators")
        ->type_name("NAME");
    app->add_flag("--exclusive", arguments->exclusive,
                  "each total is that of the numbers before it, without its own");
    app->add_option("--init", given->initial,
                    "start from this value; default: the operator's identity, such as 0 for plus")
        ->type_name("VALUE");
    app->add_flag("--reverse", arguments->reverse, "from the end to the beginning");
    app->add_option("--axis", given->axis,
                    "dimension to scan along, from 0; negative ones count from the last")
        ->type_name("K");
    app->add_option("--dtype", given->dtype, "type of the results; for raw input also of its elements")
        ->type_name("TYPE");
    app->add_option("--accumulate", given->accumulate, "type in which totals are computed")
        ->type_name("TYPE");
    app->add_option("--input-dtype", given->input_dtype, "type of the elements of raw input")
        ->type_name("TYPE");
    arguments->add_format_to(*app);
    arguments->add_column_to(*app, "column of a table to scan");
    add_name_option(*app, "--by", arguments->by, "start afresh wherever the text in this column changes")
        ->type_name("COLUMN");
    arguments->add_headless_to(*app);
    arguments->device.add_to(*app);
    app->add_flag("--json", arguments->json,
                  "one JSON object on standard output: sizes, types, total, seconds, bytes per second");
    app->add_option("--plot", arguments->plot,
                    "draw input and running totals, or a line for each group, to .svg or .png")
        ->type_name("FILE");
    made.run = [app, arguments, given] { run_scan(*arguments, *given, *app); };
    return made;
}

}  // namespace upsweep::cli
