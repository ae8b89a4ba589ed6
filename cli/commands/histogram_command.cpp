// `upsweep histogram`: its options, its run, what is told at the end, and its help.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
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
        throw usage_error("--json writes to standard output; name a file for the counts with -o");
    arguments.output_format = format_of(arguments.output).value_or(file_format::csv);
}

histogram_report count_bins(const histogram_arguments& arguments, const registry::device& device) {
    histogram_report report;
    const auto input = open_numbers(arguments, false);
    number_passes passes(*input, arguments.passes() + 1, "counting", arguments.output);
    std::optional<output_file> output, picture;
    if (arguments.has_output) output.emplace(arguments.output, identities(input->source()));
    if (!arguments.plot.empty()) picture.emplace(arguments.plot, identities(input->source()));

    report.by = make_bins(arguments, device, *input, passes);
    report.counts.resize(report.by.limits.count);
    // A block has at least as many numbers as there are bins, for each block's counts are added to all.
    const std::size_t most = std::max<std::size_t>(usual_block(input->type()), report.counts.size());
    std::vector<std::uint64_t> counts(report.counts.size());
    passes.run(most, [&](const std::byte* numbers, std::size_t n, std::uint64_t) {
        report.counted += report.by.binner->count(numbers, counts.data(), n);
        for (std::size_t bin = 0; bin < counts.size(); ++bin) report.counts[bin] += counts[bin];
    });
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
    tell_bins(json, arguments, report.by);
    json.key("counts").begin_array();
    for (const std::uint64_t count : report.counts) json.integer(count);
    json.end_array();
    json.key("dtype").text(registry::name(report.type));
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
    const histogram_report report = count_bins(arguments, device);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (arguments.json)
        print_json(arguments, report, device, seconds);
    else if (!arguments.has_output)
        print_histogram(arguments, report);
}

help_page histogram_page() {
    help_page page;
    page.name = "upsweep histogram";
    page.summary = "count how many numbers fall into each bin";
    page.synopsis = {"upsweep histogram INPUT [--bins N] [--range LO:HI] [-o OUTPUT] [options]",
                     "upsweep histogram INPUT --edges A,B,... [-o OUTPUT] [options]"};
    page.description =
        "Cuts a range into equal bins, or takes those between --edges, and counts the numbers in each. INPUT "
        "is a NumPy array (.npy), a "
        "column of "
        "a table (.csv, .tsv), raw binary data, or - for standard input. The result is printed as a table, "
        "or "
        "written with -o.";
    add_bin_sections(page);
    page.sections.push_back(
        {"Formats",
         {".npy: any type but complex, any byte order, any number of dimensions; all elements are counted. "
          ".csv, "
          ".tsv: each cell of the column must be a number. raw (.raw, .bin): elements of type --dtype, one "
          "after "
          "the other; --dtype '>f4' tells a byte order too.",
          "-o FILE.npy and FILE.raw hold the counts as int64. Any other name gets a table of lower, upper "
          "and "
          "count, "
          "separated by tabs for .tsv and by commas otherwise. lower and upper are a bin's edges; for "
          "integers, its first integer and that of the next bin, so that an empty bin may have twice the "
          "same.",
          table_limits()}});
    page.sections.push_back(
        {"Large files",
         {"Files of any size take a few megabytes of memory, and 16 bytes a bin. What comes from a pipe and "
          "is read twice is laid in a file beside the output, or in TMPDIR, once it is more than 16 MiB. An "
          "output file appears when it is complete; until then, and after an error, an old one stays as it "
          "was."}});
    add_picture_section(page);
    page.sections.push_back({"JSON",
                             {"With --json, an object with file, output and plot (where they are given), "
                              "bins, clamp, last_closed (whether the last bin has its upper edge), edges "
                              "(one more than bins), counts, dtype, count (numbers read), counted (numbers "
                              "in bins), shape, seconds, bytes, bytes_per_second, device, threads and simd.",
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
        {"zcat x.npy.gz | upsweep histogram - --bins 100 --json", "In a pipe, for programs:"},
    };
    page.see_also = {"upsweep", "upsweep bins", "upsweep compact"};
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
                    "file to write the counts to; - is standard output; default: a table for people")
        ->type_name("FILE");
    arguments->add_bins_to(*app);
    app->add_option("--plot", arguments->plot, "draw the histogram to FILE.svg or FILE.png")
        ->type_name("FILE");
    app->add_flag("--json", arguments->json,
                  "one JSON object on standard output: edges, counts, sizes, seconds");
    made.run = [app, arguments] { run(*arguments, *app); };
    return made;
}

}  // namespace upsweep::cli
