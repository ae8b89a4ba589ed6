// `upsweep reduce`: its options, what they mean together, what is told at the end, and its help.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "cli/commands/arguments.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/picture_parts.hpp"
#include "cli/commands/reduce_job.hpp"
#include "cli/json.hpp"
#include "cli/usage.hpp"

namespace upsweep::cli {
namespace {

struct reduce_options : reduce_arguments {
    device_choice device;
};

void check(reduce_options& options, const CLI::App& app) {
    options.has_output = app.count("--output") != 0;
    options.check_fold(app, "reduced", options.has_output || app.count("--axis") != 0);
    const bool table = options.reads_table();
    if (options.counts_rows && !table) throw usage_error("--count is for .csv and .tsv tables");
    if (options.counts_rows && !is_table(options.output_format)) {
        throw usage_error(fmt::format("-o {}: --count adds a column to a table; an array holds totals alone",
                                      options.output));
    }
    if (!options.plot.empty()) {
        static_cast<void>(plot_format(options.plot));
        options.refuse_as_output("--plot", options.plot);
        if (options.by.empty()) throw usage_error("--plot draws the totals of groups: expected --by too");
    }
    if (options.has_output || options.axis) options.refuse_terminal();
}

void print_json(const reduce_arguments& arguments, const fold_report& report, const registry::device& device,
                double seconds) {
    json_writer json;
    json.begin_object().key("file").text(arguments.input);
    if (arguments.has_output) json.key("output").text(arguments.output);
    if (!arguments.plot.empty()) json.key("plot").text(arguments.plot);
    json.key("op").text(registry::name(arguments.op));
    tell_fold(json, report);
    tell_run(json, seconds, report.bytes, device);
    json.end_object();
    fmt::print("{}\n", json.result());
}

void run(reduce_options& options, const CLI::App& app) {
    check(options, app);
    const registry::device device = options.device.open(app);
    const auto start = std::chrono::steady_clock::now();
    const fold_report report =
        options.reads_table() ? reduce_table(options, device) : reduce_array(options, device);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (options.json) print_json(options, report, device, seconds);
}

help_page reduce_page() {
    help_page page;
    page.name = "upsweep reduce";
    page.summary = "the total of the numbers in a file, of each group of them, or along an axis";
    page.synopsis = {"upsweep reduce INPUT [-o OUTPUT] [options]"};
    page.description =
        "Adds up all numbers: 3 1 4 1 becomes 9. Besides sums there are products, minima, maxima and "
        "bitwise operators. INPUT is a NumPy array (.npy), a table (.csv, .tsv), raw binary data, or - for "
        "standard input. A total is the last of the running totals that upsweep scan makes of the same "
        "numbers, bit for bit: it depends on the input alone, not on the machine or the number of threads. "
        "Of no numbers it is the initial value, or else the operator's identity.";
    add_fold_sections(page);
    page.sections.push_back(
        {"Arrays",
         {".npy: any numeric type, byte order and memory order, any number of dimensions. Without --axis "
          "all elements are reduced, in C order (the last index runs fastest): the tree that fixes the bits "
          "is laid over that order. To gather the elements of a file in Fortran order, as sums and products "
          "of floating-point and complex numbers need, takes longer than reading them. raw (.raw, .bin): "
          "elements of type --input-dtype, or --dtype, one after the other and nothing else.",
          "Without -o the total is printed as a line of text, in the shortest form that reads back as the "
          "same number (float16 and bfloat16 as float32); -0 is written as 0, bool as 1 or 0. With -o it is "
          "an array of 0 dimensions, or raw an element in this machine's byte order; -o - writes that to "
          "standard output.",
          "With --axis K the result is an array without that dimension, each element the total of a "
          "sequence along it, and goes to -o or standard output. Of an array in Fortran order it is in "
          "Fortran order."}});
    page.sections.push_back(
        {"Tables",
         {"The numbers are those of --column. They are 64-bit integers if all of the column are, otherwise "
          "float64. The result is a table of one row and one column, named after the column and the "
          "operator: price_sum.",
          "With --by COLUMN every run of rows with the same text in that column is a group. The result has "
          "a row for each, with that text in front. Rows of a group must follow one another: sort --text "
          "puts them so. With several --by it is the same text in each of the columns, and all of them stand "
          "in front; sort by the last one first, as sorts are stable. As in upsweep scan, the tree is laid "
          "over the whole column. A table "
          "without rows has no groups.",
          "--plot draws the totals of groups: a bar for each, or, if there are more than 400, a line. A "
          "table, or what --json tells, is written all the same.",
          "--count adds a column of how many rows there were, called rows. With -o FILE.npy or FILE.raw "
          "the result is the totals alone: one of 0 dimensions, or with --by one a group."}});
    page.sections.back().paragraphs.push_back(table_limits());
    page.sections.push_back(
        {"Large files",
         {"Files of any size, and pipes, take some tens of megabytes of memory at most, and with --json "
          "200 bytes a group and its text. Two kinds of arrays from pipes are held as a whole: those whose "
          "elements are gathered, and, slab by slab, those along an axis whose neighbours lie more than "
          "1 MiB apart. Totals of groups that wait for the end of the table are laid in a file "
          "beside the output, or in TMPDIR, once they are more than 16 MiB. An output file appears when "
          "it is complete; until then, and after an error, an old one stays as it was."}});
    add_picture_section(page);
    page.sections.push_back(
        {"JSON",
         {"With --json, an object with file, output and plot (where they are given), op, dtype, input_dtype, "
          "accumulator, n (elements or rows), shape, axis (null where there is none), total (null with --by, "
          "and with --axis of several dimensions), groups (with --by: key, an array of several, n and total "
          "of each), seconds, "
          "bytes, bytes_per_second, device, threads and simd. A total, or those of groups, need no -o then.",
          json_numbers}});
    add_last_sections(page, "a file streams");
    page.examples = {
        {"upsweep reduce x.npy", "The sum of an array:"},
        {"upsweep reduce x.npy --op maximum", "Its largest element:"},
        {"upsweep reduce image.npy --axis 0 -o columns.npy", "The sums of the columns of a matrix:"},
        {"upsweep reduce data/seattle-weather.csv --column precipitation --by year --count",
         "The rainfall of each year in Seattle, and its days:"},
        {"upsweep reduce data/seattle-weather.csv --column precipitation --by year --plot rain.svg",
         "The same, with a picture:"},
        {"upsweep sort data/seattle-weather.csv --column weather --text | upsweep sort - --column year "
         "--text | upsweep "
         "reduce - --column precipitation --by year --by weather",
         "That of each year and weather, whose rows are brought together first:"},
        {"upsweep reduce data/seattle-weather.csv --column temp_max --op maximum",
         "The highest temperature there, as a table:"},
        {"zcat x.raw.gz | upsweep reduce - --format raw --dtype float32 --accumulate float64",
         "In a pipe, added up in float64:"},
        {"upsweep reduce x.npy --json", "For a program:"},
    };
    page.see_also = {"upsweep", "upsweep scan", "upsweep histogram"};
    return page;
}

}  // namespace

command add_reduce(CLI::App& program) {
    command made;
    made.page = reduce_page();
    CLI::App* app = program.add_subcommand("reduce", made.page.summary);
    made.app = app;
    const auto options = std::make_shared<reduce_options>();
    options->add_names_to(*app,
                          "file to write; default: standard output, with the total of an array as text");
    options->add_op_to(*app);
    options->add_initial_to(*app);
    options->add_axis_to(*app, "dimension to remove, from 0; negative ones count from the last");
    options->add_types_to(*app);
    options->add_format_to(*app);
    options->add_column_to(*app, "column of a table to reduce");
    add_names_option(*app, "--by", options->by,
                     "a total for each run of the same text in this column; may be said again, for several")
        ->type_name("COLUMN");
    app->add_option("--plot", options->plot, "draw the total of each group to FILE.svg or FILE.png")
        ->type_name("FILE");
    app->add_flag("--count", options->counts_rows, "add a column of how many rows each total is of");
    options->add_table_options_to(*app);
    options->device.add_threads_to(*app);
    app->add_flag("--json", options->json,
                  "one JSON object on standard output: sizes, types, total, seconds, bytes per second");
    made.run = [app, options] { run(*options, *app); };
    return made;
}

}  // namespace upsweep::cli
