// `upsweep sort`: its options, what they mean together, what is told at the end, and its help.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "cli/commands/arguments.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/sort_job.hpp"
#include "cli/json.hpp"
#include "cli/usage.hpp"

namespace upsweep::cli {
namespace {

struct options_of_sort {
    std::string dtype;
    std::optional<std::string> first;
    std::optional<std::string> memory;
    device_choice device;
};

void check(sort_arguments& arguments, const options_of_sort& given) {
    arguments.find_input_format(arguments.column || arguments.headless || !arguments.by.empty(),
                                !given.dtype.empty());
    arguments.read_raw_type(given.dtype);
    arguments.find_output_format();
    arguments.refuse_table_options();
    if (arguments.text && !arguments.reads_table())
        throw usage_error("--text: it is for the column of a table, but the input is an array");
    if (!arguments.by.empty() && !arguments.reads_table())
        throw usage_error("--by: it is for the columns of a table, but the input is an array");
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    if (given.first) arguments.first = parse_whole("--first", *given.first, 1, most);
    if (given.memory) {
        arguments.memory = parse_bytes("--memory", *given.memory, least_sort_memory);
        if (arguments.reads_table())
            throw usage_error("--memory: it is for arrays, but a table is sorted in memory as a whole");
        if (arguments.first)
            throw usage_error(
                "--memory: it is for a whole array, but with --first no more is held than that");
    }
    if (!arguments.indices) arguments.refuse_rows_in_array();
    arguments.refuse_terminal();
}

void print_json(const sort_arguments& arguments, const sort_report& report, const registry::device& device,
                double seconds) {
    json_writer json;
    json.begin_object().key("file").text(arguments.input).key("output").text(arguments.output);
    json.key("descending").boolean(arguments.descending).key("indices").boolean(arguments.indices);
    if (!arguments.reads_table()) json.key("dtype").text(registry::name(report.type));
    json.key("input_dtype").text(arguments.text ? "text" : registry::name(report.input_type));
    json.key("count").integer(report.count);
    if (!arguments.by.empty()) json.key("groups").integer(report.groups);
    json.key("shape").begin_array();
    for (const std::uint64_t length : report.shape) json.integer(length);
    json.end_array();
    if (report.runs != 0) json.key("runs").integer(report.runs);
    tell_run(json, seconds, report.bytes, device);
    json.end_object();
    fmt::print("{}\n", json.result());
}

void run(sort_arguments& arguments, const options_of_sort& given, const CLI::App& app) {
    check(arguments, given);
    const registry::device device = given.device.open(app);
    const auto start = std::chrono::steady_clock::now();
    const sort_report report = arguments.reads_table() ? sort_table(arguments, device)
                               : arguments.first       ? first_of_array(arguments, device)
                                                       : sort_array(arguments, device);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (arguments.json) print_json(arguments, report, device, seconds);
}

help_page sort_page() {
    help_page page;
    page.name = "upsweep sort";
    page.summary = "sort the elements of an array, or the rows of a table by a column";
    page.synopsis = {
        "upsweep sort INPUT [-o OUTPUT] [--descending] [--first N] [--indices] [--text] [--by COLUMN] "
        "[--memory SIZE] [options]"};
    page.description =
        "Puts elements in ascending order: 3 1 4 1 5 becomes 1 1 3 4 5. What is equal keeps its order (the "
        "sort is stable), with --descending too, and all is copied bit for bit. INPUT is a NumPy array of "
        "one dimension (.npy), a table (.csv, .tsv), raw binary data, or - for standard input.";
    page.sections.push_back(
        {"Order",
         {"Integers and bool by value. Of floating-point numbers -0 and 0 are equal; a nan is greater than "
          "everything else, as in NumPy: it comes last, and first with --descending. Complex numbers have no "
          "order.",
          "The rows of a table are sorted by the numbers of --column, or of the only one: as integers if all "
          "are, otherwise in float64. With --text they are sorted by the text of its cells, byte by byte (of "
          "UTF-8 that is the order of code points): Z comes before a, and 10 before 9. Rows of one text are "
          "neighbours then, as --by of scan and reduce wants them.",
          "With --by COLUMN every group of neighbouring rows with the same text in that column is sorted by "
          "itself, and groups stay where they are. So a table that is sorted by one column is sorted by a "
          "second one within it.",
          "Results do not depend on the number of threads or the instruction set."}});
    page.sections.push_back(
        {"The first",
         {"With --first N only the first N of the order are written, or all of an array or a group that has "
          "fewer: "
          "with --descending the greatest. Of what is equal the first in INPUT is the first."}});
    page.sections.push_back(
        {"Formats",
         {".npy: any type but complex, any byte order, one dimension; sorting an array of several as a "
          "whole, or along one of them, would mean different things, so it is an error.",
          ".csv, .tsv: whole rows with their text as it is, below the line of names. A cell of the column "
          "must be a number, but with --text. With -o FILE of the other of these formats, the text is quoted "
          "anew; lines end "
          "as they do in the input.",
          "raw (.raw, .bin): elements of type --dtype, one after the other and nothing else; --dtype '>f4' "
          "tells a byte order too. Results are in this machine's byte order.",
          table_limits()}});
    page.sections.push_back(
        {"Indices",
         {"--indices writes where the elements stand in INPUT instead of the elements: int64, counted from "
          "0. Of a table they are the numbers of its rows, as a table of one column called index, or as an "
          "array with -o FILE.npy."}});
    page.sections.push_back(
        {"Memory",
         {"An array is sorted in memory if that takes no more than --memory SIZE: three times its size, with "
          "--indices up to 48 bytes an element. A larger one, from a pipe too, is read in runs that SIZE has "
          "room for, half of it or more; each is sorted and laid in a file without a name, beside the "
          "output, or in TMPDIR if the output is a device or a pipe, as standard output may be. Then the "
          "runs "
          "are merged; if there are more than SIZE has room for a block of each, or than 1024, some of them "
          "are merged to longer runs before. The files take as much room as the array, and with --indices 8 "
          "bytes an element more. What is written is the same, bit for bit.",
          "SIZE is a number of bytes, or of powers of 1024 with K, M, G or T behind it, such as 512M; 1M is "
          "the "
          "least. The default is three quarters of the memory that is available, or of the limit of a "
          "control group (cgroup) if that is less. Beside it the program takes some megabytes, and up to 640 "
          "KiB a thread.",
          "With --first N of an array, from a pipe too, memory is for three times N elements and a block; "
          "the "
          "array is not sorted, but read once. A table is held as a whole: up to twice its text and 56 bytes "
          "a row, with --text also the column's text again twice; what the machine has no memory for is "
          "refused.",
          "An output file appears when it is complete; until then, and after an error, an old one stays as "
          "it was."}});
    page.sections.push_back(
        {"JSON",
         {"With --json, an object with file, output, descending, indices, dtype (of the result; of arrays "
          "only), input_dtype (of a table its column's, or text), count (elements or rows), with --by groups "
          "(how many), shape, runs (how many were merged, if any were), seconds, bytes, "
          "bytes_per_second, device, threads and simd."}});
    add_last_sections(page, "a pipe is read");
    page.examples = {
        {"upsweep sort x.npy -o sorted.npy", "The elements of an array, from the smallest:"},
        {"upsweep sort data/seattle-weather.csv --column temp_max --descending -o hottest.csv",
         "The days of Seattle, from the hottest:"},
        {"upsweep sort data/seattle-weather.csv --by year --column precipitation --descending --first 3",
         "The three wettest days of each year:"},
        {"upsweep sort x.npy --descending --first 100 --indices -o where.npy",
         "Where the hundred greatest elements are:"},
        {"upsweep sort data/seattle-weather.csv --column weather --text | upsweep reduce - --format csv "
         "--by weather --column precipitation",
         "How much it rained in each kind of weather: rows of one kind, then their totals:"},
        {"upsweep sort data/seattle-weather.csv --by year --column precipitation --descending",
         "The days of each year, from the wettest:"},
        {"upsweep sort keys.npy --indices -o order.npy", "The order in which to take other arrays:"},
        {"zcat x.raw.gz | upsweep sort - --dtype float32 > sorted.raw", "In a pipe:"},
        {"upsweep sort large.npy --memory 4G -o sorted.npy",
         "An array of any size, in four gibibytes of memory:"},
    };
    page.see_also = {"upsweep", "upsweep partition", "upsweep bins"};
    return page;
}

}  // namespace

command add_sort(CLI::App& program) {
    command made;
    made.page = sort_page();
    CLI::App* app = program.add_subcommand("sort", made.page.summary);
    made.app = app;
    const auto arguments = std::make_shared<sort_arguments>();
    const auto given = std::make_shared<options_of_sort>();
    arguments->add_names_to(*app);
    app->add_flag("--descending", arguments->descending, "from the greatest to the smallest");
    app->add_flag("--indices", arguments->indices, "write the indices of elements or rows, from 0");
    app->add_option("--first", given->first,
                    "write the first N elements or rows alone; of each group with --by")
        ->type_name("N");
    app->add_flag("--text", arguments->text, "sort the rows of a table by text instead of numbers");
    app->add_option("--dtype", given->dtype, "type of the elements of raw input")->type_name("TYPE");
    arguments->add_format_to(*app);
    arguments->add_column_to(*app, "column of a table to sort its rows by");
    add_names_option(*app, "--by", arguments->by,
                     "sort each run of rows with the same text in this column by itself; may be said again, "
                     "for several")
        ->type_name("COLUMN");
    arguments->add_table_options_to(*app);
    app->add_option(
           "--memory", given->memory,
           "most memory for an array, as 512M or 4G; a larger one is sorted in runs, by way of disk; "
           "default: three quarters of what is available")
        ->type_name("SIZE");
    given->device.add_threads_to(*app);
    app->add_flag("--json", arguments->json, "one JSON object on standard output: sizes, seconds");
    made.run = [app, arguments, given] { run(*arguments, *given, *app); };
    return made;
}

}  // namespace upsweep::cli
