// `upsweep histogram`: its options, its run, what is told at the end, and its help.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "cli/commands/commands.hpp"
#include "cli/commands/histogram_job.hpp"
#include "cli/commands/picture_parts.hpp"
#include "cli/io/format.hpp"
#include "cli/io/open_descriptor.hpp"
#include "cli/json.hpp"
#include "cli/usage.hpp"

namespace upsweep::cli {
namespace {

void check(histogram_arguments& arguments, const CLI::App& app) {
    arguments.check();
    arguments.has_output = app.count("--output") != 0;
    if (!arguments.plot.empty()) {
        (void)plot_format(arguments.plot);
        arguments.refuse_as_output("--plot", arguments.plot);
    }
    if (!arguments.has_output) return;
    if (is_standard_output(arguments.output) && arguments.json)
        throw usage_error(fmt::format("--json writes to standard output; name a file for the {} with -o",
                                      arguments.weights ? "sums" : "counts"));
    arguments.output_format = format_of(arguments.output).value_or(file_format::csv);
}

// Adds up what every bin has of each block, and returns how much is in any.
std::uint64_t count_each(histogram_report& report, number_passes& passes) {
    std::vector<std::uint64_t> counts(report.bins());
    report.counts.resize(report.bins());
    std::uint64_t counted = 0;
    // A block has at least as many numbers as there are bins, for each block's counts are added to all.
    passes.run(std::max(passes.usual_block(), counts.size()), [&](const number_block& block) {
        counted += report.by.binner->count(block.numbers, counts.data(), block.count);
        for (std::size_t bin = 0; bin < counts.size(); ++bin) report.counts[bin] += counts[bin];
    });
    return counted;
}
std::uint64_t sum_each(histogram_report& report, number_passes& passes) {
    std::uint64_t counted = 0;
    report.sums->start(report.by);
    // As above: sums of integers are those of blocks too.
    passes.run(std::max(passes.usual_block(), report.bins()),
               [&](const number_block& block) { counted += report.sums->take(block); });
    report.sums->finish();
    return counted;
}

histogram_report make_histogram(const histogram_arguments& arguments, const registry::device& device) {
    histogram_report report;
    const auto input = arguments.weights ? open_weighted_numbers(arguments, *arguments.weights)
                                         : open_numbers(arguments, false);
    if (arguments.weights) report.sums.emplace(arguments, *input->weights());
    number_passes passes(*input, arguments.passes() + 1, arguments.weights ? "adding up" : "counting",
                         arguments.output);
    std::optional<output_file> output, picture;
    if (arguments.has_output) output.emplace(arguments.output, input->files());
    if (!arguments.plot.empty()) picture.emplace(arguments.plot, input->files());

    report.by = make_bins(arguments, device, *input, passes);
    report.counted = report.sums ? sum_each(report, passes) : count_each(report, passes);
    report.name = input->name();
    report.type = input->type();
    report.shape = input->shape();
    report.count = passes.count();
    report.bytes = passes.bytes();
    if (output) {
        write_histogram(arguments, report, *output);
        output->commit();
    }
    if (picture) {
        write_picture(*picture, picture_of(arguments, report), plot_format(arguments.plot));
        picture->commit();
    }
    return report;
}

void print_json(const histogram_arguments& arguments, const histogram_report& report,
                const registry::device& device, double seconds) {
    json_writer json;
    json.begin_object().key("file").text(arguments.input);
    if (arguments.has_output) json.key("output").text(arguments.output);
    if (!arguments.plot.empty()) json.key("plot").text(arguments.plot);
    if (report.sums) json.key("weights").text(*arguments.weights);
    tell_bins(json, arguments, report.by);
    json.key(report.sums ? "sums" : "counts").begin_array();
    for (std::size_t bin = 0; report.sums && bin < report.bins(); ++bin)
        json.element(report.sums->shown(bin));
    for (const std::uint64_t count : report.counts) json.integer(count);
    json.end_array();
    json.key("dtype").text(registry::name(report.type));
    if (report.sums) {
        json.key("weights_dtype").text(registry::name(report.sums->weight_type()));
        json.key("sums_dtype").text(registry::name(report.sums->type()));
    }
    json.key("count").integer(report.count).key("counted").integer(report.counted);
    json.key("shape").begin_array();
    for (const std::uint64_t length : report.shape) json.integer(length);
    json.end_array();
    tell_run(json, seconds, report.bytes, device);
    json.end_object();
    fmt::print("{}\n", json.result());
}

void run(histogram_arguments& arguments, const CLI::App& app) {
    check(arguments, app);
    const registry::device device = arguments.device.open(app);
    const auto start = std::chrono::steady_clock::now();
    const histogram_report report = make_histogram(arguments, device);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (arguments.json)
        print_json(arguments, report, device, seconds);
    else if (!arguments.has_output)
        print_histogram(arguments, report);
}

help_page histogram_page() {
    help_page page;
    page.name = "upsweep histogram";
    page.summary = "count how many numbers fall into each bin, or add up their weights";
    page.synopsis = {"upsweep histogram INPUT [--bins N] [--range LO:HI] [-o OUTPUT] [options]",
                     "upsweep histogram INPUT --edges A,B,... [-o OUTPUT] [options]",
                     "upsweep histogram INPUT --weights FILE|COLUMN [-o OUTPUT] [options]"};
    page.description =
        "Cuts a range into equal bins, or takes those between --edges, and counts the numbers in each, or "
        "adds up their weights. INPUT "
        "is a NumPy array (.npy), a "
        "column of "
        "a table (.csv, .tsv), raw binary data, or - for standard input. The result is printed as a table, "
        "or "
        "written with -o.";
    add_bin_sections(page);
    page.sections.push_back(
        {"Weights",
         {"With --weights every number has a weight, and results are the sums of each bin's weights in place "
          "of counts. Beside an array --weights names a second file, .npy of the same shape, or raw of as "
          "many elements. Its numbers may have another type, complex ones too; raw ones have the type of "
          "INPUT's elements, and if INPUT is raw, its byte order. Either of the two may be standard input. "
          "Of a table it names a column, which may be that of the numbers.",
          "Types are those of upsweep reduce: integers and bool are added up in 64 bits, where they wrap "
          "around, float16 and bfloat16 in float32 and rounded once, other floating-point and complex "
          "numbers in their own type. Of a table sums are int64 if all weights are, otherwise float64.",
          "A sum has the bits of upsweep reduce of its bin's weights alone, in C order. Of none it is 0, in "
          "arrays of floating-point numbers -0, which equals 0."}});
    page.sections.push_back(
        {"Formats",
         {".npy: any type but complex, any byte order, any number of dimensions; all elements are counted. "
          ".csv, "
          ".tsv: each cell of the column must be a number. raw (.raw, .bin): elements of type --dtype, one "
          "after "
          "the other; --dtype '>f4' tells a byte order too.",
          "-o FILE.npy and FILE.raw hold the counts as int64, or the sums. Any other name gets a table of "
          "lower, upper and count, or sum, "
          "separated by tabs for .tsv and by commas otherwise. Complex sums are written to arrays alone. "
          "lower and upper are a bin's edges; for "
          "integers, its first integer and that of the next bin, so that an empty bin may have twice the "
          "same.",
          table_limits()}});
    page.sections.push_back(
        {"Large files",
         {"Files of any size take a few megabytes of memory, and 16 bytes a bin, with --weights up to 150. "
          "What comes from a pipe and "
          "is read twice is laid in a file beside the output, or in TMPDIR, once it is more than 16 MiB. An "
          "array in Fortran order with weights that are not integers is gone through in C order, which takes "
          "longer than reading it; from a pipe it is held as a whole. An "
          "output file appears when it is complete; until then, and after an error, an old one stays as it "
          "was."}});
    add_picture_section(page);
    page.sections.push_back(
        {"JSON",
         {"With --json, an object with file, output, plot and weights (where they are "
          "given), bins, clamp, last_closed (whether the last bin has its upper edge), edges "
          "(one more than bins), counts, or sums, dtype, with --weights weights_dtype "
          "and sums_dtype, count (numbers read), counted (numbers in bins), shape, seconds, bytes, "
          "bytes_per_second, device, threads and simd.",
          json_numbers}});
    add_last_sections(page, "a file streams");
    page.examples = {
        {"upsweep histogram x.npy --bins 8 --range 0:1", "Eight bins between 0 and 1:"},
        {"upsweep histogram data/seattle-weather.csv --column temp_max --bins 12 --plot temperatures.svg",
         "The temperatures of Seattle, as a table and a picture:"},
        {"upsweep histogram picture.raw --dtype uint8 --bins 256 --range 0:256 -o counts.npy",
         "How often each of 256 values occurs:"},
        {"upsweep histogram data/seattle-weather.csv --column precipitation --edges 0,0.1,1,5,10,25,inf",
         "Days without rain, with little, and with much:"},
        {"upsweep histogram data/seattle-weather.csv --column temp_max --weights precipitation --bins 6",
         "How much it rained at which temperatures:"},
        {"upsweep histogram radius.npy --weights mass.npy --bins 64 --range 0:1 -o profile.npy",
         "The mass in each of 64 shells:"},
        {"zcat x.npy.gz | upsweep histogram - --bins 100 --json", "In a pipe, for programs:"},
    };
    page.see_also = {"upsweep", "upsweep bins", "upsweep compact", "upsweep reduce"};
    return page;
}

}  // namespace

command add_histogram(CLI::App& program) {
    command made;
    made.page = histogram_page();
    CLI::App* app = program.add_subcommand("histogram", made.page.summary);
    made.app = app;
    const auto arguments = std::make_shared<histogram_arguments>();
    app->add_option("INPUT", arguments->input, "file to read; - is standard input")
        ->required()
        ->type_name("FILE");
    app->add_option("-o,--output", arguments->output,
                    "file to write the counts or sums to; - is standard output; default: a table for people")
        ->type_name("FILE");
    arguments->add_bins_to(*app);
    add_name_option(*app, "--weights", arguments->weights,
                    "add up these in place of ones: the file of them beside an array, the column of a table")
        ->type_name("NAME");
    app->add_option("--plot", arguments->plot, "draw the histogram to FILE.svg or FILE.png")
        ->type_name("FILE");
    app->add_flag("--json", arguments->json,
                  "one JSON object on standard output: edges, counts or sums, sizes, seconds");
    made.run = [app, arguments] { run(*arguments, *app); };
    return made;
}

}  // namespace upsweep::cli
