// `upsweep compact` and `upsweep partition`: their options, what they mean together, what is told at the end,
// and their help.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/arguments.hpp"
#include "cli/commands/choose_job.hpp"
#include "cli/commands/commands.hpp"
#include "cli/json.hpp"
#include "cli/usage.hpp"

namespace upsweep::cli {
namespace {

struct options_of_choice {
    std::vector<std::string> where;
    std::string pivot;
    std::string dtype;
    device_choice device;
};

void read_conditions(choose_arguments& arguments, const options_of_choice& given, const CLI::App& app) {
    for (const std::string& text : given.where) arguments.conditions.push_back(parse_where(text));
    if (!arguments.with_others) {
        if (given.where.empty())
            throw usage_error("--where is missing: say what to keep, as in --where 'x < 5'");
        return;
    }
    const bool has_pivot = app.count("--pivot") != 0;
    if (has_pivot != given.where.empty()) {
        throw usage_error(has_pivot ? "--pivot V is short for --where 'x < V'; give one of them"
                                    : "say what comes first, with --where 'x < 5' or --pivot 5");
    }
    if (has_pivot) arguments.conditions.push_back(pivot_condition(given.pivot));
}

void check(choose_arguments& arguments, const options_of_choice& given, const CLI::App& app) {
    read_conditions(arguments, given, app);
    const bool names_column = std::any_of(arguments.conditions.begin(), arguments.conditions.end(),
                                          [](const where_condition& one) { return one.name != "x"; });
    arguments.find_input_format(names_column || arguments.column.has_value(), !given.dtype.empty());
    arguments.read_raw_type(given.dtype);
    arguments.find_output_format();
    arguments.refuse_table_options();
    if (!arguments.indices) arguments.refuse_rows_in_array();
    if (arguments.column && std::none_of(arguments.conditions.begin(), arguments.conditions.end(),
                                         [](const where_condition& one) { return one.is_x(); })) {
        throw usage_error("--column says which column x is, but no condition is about x");
    }
    arguments.refuse_terminal();
}

void print_json(const choose_arguments& arguments, const choose_report& report,
                const registry::device& device, double seconds) {
    json_writer json;
    json.begin_object();
    json.key("file").text(arguments.input).key("output").text(arguments.output);
    json.key("where").begin_array();
    for (const where_condition& one : arguments.conditions) json.text(one.text);
    json.end_array().key("indices").boolean(arguments.indices);
    if (!arguments.reads_table()) {
        json.key("dtype").text(registry::name(report.type));
        json.key("input_dtype").text(registry::name(report.input_type));
    }
    json.key("count").integer(report.count);
    json.key(arguments.with_others ? "others_begin" : "kept").integer(report.chosen);
    json.key("shape").begin_array();
    for (const std::uint64_t extent : report.shape) json.integer(extent);
    json.end_array();
    tell_run(json, seconds, report.bytes, device);
    json.end_object();
    fmt::print("{}\n", json.result());
}

void run(choose_arguments& arguments, const options_of_choice& given, const CLI::App& app) {
    check(arguments, given, app);
    const registry::device device = given.device.open(app);
    const auto start = std::chrono::steady_clock::now();
    const choose_report report =
        arguments.reads_table() ? choose_table(arguments, device) : choose_array(arguments, device);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (arguments.json) print_json(arguments, report, device, seconds);
}

void add_common_sections(help_page& page) {
    page.sections.push_back(
        {"Conditions",
         {"NAME OP NUMBER, with OP one of < <= == != >= >, in quotes so that the shell leaves it alone: "
          "'x < 5'. Several --where must all hold.",
          "NAME is x for the elements of an array, and the name of a column for the rows of a table. A name "
          "with one of < > = ! in it stands in double quotes: '\"a<b\" < 5'. In a table x is the column of "
          "--column, or the only one.",
          "NUMBER is an integer where the elements are integers, and compares as what it is even if their "
          "type does not hold it: x < 300 holds for every uint8. For floating-point elements it is rounded "
          "to their type, and one beyond the range of that compares as what it is: x < 1e39 holds for every "
          "finite float32, x > 1e39 for inf alone. It may be inf, -inf or nan; a nan is different from "
          "everything and neither less nor greater. For bool it is 0, 1, true or false. Complex elements "
          "have == and != only, with numbers like 1.5-2j."}});
    page.sections.push_back(
        {"Formats",
         {".npy: any numeric type, byte order and memory order. The result has one dimension. An array of "
          "several is taken in C order, the last index fastest, as NumPy's x[x < 5] does; one in Fortran "
          "order is held in memory, or in a file beside the output, unless it can be mapped.",
          ".csv, .tsv: whole rows with their text as it is, behind the line of names. A cell that a "
          "condition looks at must be a number; integers are compared as integers, other cells in float64. "
          "With -o FILE of the other of these formats, the text is quoted anew; lines end as they do in the "
          "input.",
          "raw (.raw, .bin): elements of type --dtype, one after the other and nothing else; --dtype '>f4' "
          "tells a byte order too. Results are in this machine's byte order.",
          table_limits()}});
    page.sections.push_back(
        {"Indices",
         {"--indices writes where the elements stand instead of the elements: int64, counted from 0 in the "
          "order above. Of a table they are the numbers of its rows, as a table of one column called index, "
          "or as an array with -o FILE.npy."}});
    page.sections.push_back(
        {"Large files",
         {"Files of any size take some tens of megabytes of memory at most. What must wait until more is "
          "known (the others of a partition, and a .npy result that goes to a pipe) is laid in a file beside "
          "the output, or in TMPDIR if that is standard output, once it is more than 16 MiB. An output file "
          "appears when it is complete; until then, and after an error, an old one stays as it was."}});
    add_last_sections(page, "a file streams");
}

help_page compact_page() {
    help_page page;
    page.name = "upsweep compact";
    page.summary = "keep the elements of an array, or the rows of a table, that satisfy conditions";
    page.synopsis = {"upsweep compact INPUT --where CONDITION [-o OUTPUT] [options]"};
    page.description =
        "Packs what satisfies all conditions and drops the rest: of 3 1 4 1 5, 'x < 4' keeps 3 1 1. The "
        "order stays, and what is kept is copied bit for bit. INPUT is a NumPy array (.npy), a table (.csv, "
        ".tsv), raw binary data, or - for standard input.";
    add_common_sections(page);
    page.sections.push_back(
        {"JSON",
         {"With --json, an object with file, output, where, indices, count (elements or rows read), kept, "
          "shape (of the input), seconds, bytes, bytes_per_second, device, threads, simd and, of an array, "
          "dtype and input_dtype."}});
    page.examples = {
        {"upsweep compact x.npy --where 'x < 5' -o small.npy", "The elements below 5:"},
        {"upsweep compact data/seattle-weather.csv --where 'precipitation > 0' --where 'temp_max < 5'",
         "The wet and cold days of Seattle:"},
        {"upsweep compact x.npy --where 'x >= 0' --where 'x < 1' -o unit.npy --json",
         "A range, and how many are in it:"},
        {"upsweep compact x.npy --where 'x != 0' --indices -o nonzero.npy", "Where an array is not zero:"},
        {"zcat x.raw.gz | upsweep compact - --dtype float32 --where 'x > 0.5' > large.raw", "In a pipe:"},
    };
    page.see_also = {"upsweep", "upsweep partition", "upsweep scan"};
    return page;
}

help_page partition_page() {
    help_page page;
    page.name = "upsweep partition";
    page.summary = "put the elements, or rows, that satisfy conditions before the others";
    page.synopsis = {"upsweep partition INPUT --pivot V [-o OUTPUT] [options]",
                     "upsweep partition INPUT --where CONDITION [-o OUTPUT] [options]"};
    page.description =
        "Moves what satisfies all conditions to the front and the others behind it: with --pivot 4, 3 1 4 1 "
        "5 "
        "becomes 3 1 1 4 5. Both parts keep their order (the partition is stable), and all is copied bit for "
        "bit. INPUT is a NumPy array (.npy), a table (.csv, .tsv), raw binary data, or - for standard "
        "input.";
    add_common_sections(page);
    page.sections.push_back(
        {"JSON",
         {"With --json, an object with file, output, where, indices, count (elements or rows), others_begin "
          "(how many come first, so the index of the first of the others), shape (of the input), seconds, "
          "bytes, bytes_per_second, device, threads, simd and, of an array, dtype and input_dtype."}});
    page.examples = {
        {"upsweep partition x.npy --pivot 5 -o y.npy --json",
         "The elements below 5, then the others, and where those begin:"},
        {"upsweep partition data/seattle-weather.csv --where 'precipitation > 0' -o wet-first.csv",
         "The wet days of Seattle, then the dry ones:"},
        {"upsweep partition data/seattle-weather.csv --column wind --pivot 3 -o calm-first.csv",
         "The calm days first:"},
        {"upsweep partition keys.npy --where 'x >= 0' --indices -o order.npy",
         "The order in which to take other arrays:"},
    };
    page.see_also = {"upsweep", "upsweep compact", "upsweep scan"};
    return page;
}

command add(CLI::App& program, const char* name, help_page page, bool with_others) {
    command made;
    made.page = std::move(page);
    CLI::App* app = program.add_subcommand(name, made.page.summary);
    made.app = app;
    const auto arguments = std::make_shared<choose_arguments>();
    const auto given = std::make_shared<options_of_choice>();
    arguments->with_others = with_others;
    arguments->add_names_to(*app);
    app->add_option("--where", given->where,
                    with_others ? "what comes first, as 'x < 5'; see Conditions"
                                : "what to keep, as 'x < 5'; see Conditions")
        ->type_name("CONDITION")
        ->expected(1)
        ->take_all();
    if (with_others) app->add_option("--pivot", given->pivot, "short for --where 'x < V'")->type_name("V");
    app->add_flag("--indices", arguments->indices, "write the indices of elements or rows, from 0");
    app->add_option("--dtype", given->dtype, "type of the elements of raw input")->type_name("TYPE");
    arguments->add_format_to(*app);
    arguments->add_column_to(*app, "column of a table that x is in conditions");
    arguments->add_table_options_to(*app);
    given->device.add_threads_to(*app);
    app->add_flag("--json", arguments->json,
                  with_others ? "one JSON object on standard output: where the others begin, sizes, seconds"
                              : "one JSON object on standard output: how many were kept, sizes, seconds");
    made.run = [app, arguments, given] { run(*arguments, *given, *app); };
    return made;
}

}  // namespace

command add_compact(CLI::App& program) { return add(program, "compact", compact_page(), false); }
command add_partition(CLI::App& program) { return add(program, "partition", partition_page(), true); }

}  // namespace upsweep::cli
