// `upsweep trace`: its options, what they mean together, and its help.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "cli/commands/arguments.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/trace_job.hpp"
#include "cli/io/message.hpp"
#include "cli/io/open_descriptor.hpp"
#include "cli/json.hpp"
#include "cli/usage.hpp"
#include "registry/chooser.hpp"
#include "upsweep/error.hpp"

namespace upsweep::cli {
namespace {

registry::trace_algorithm parse_algorithm(const std::string& word) {
    std::string names;
    for (const auto& about : registry::trace_algorithms()) {
        if (about.name == word) return about.algorithm;
        names += (names.empty() ? "" : ", ") + std::string(about.name);
    }
    throw usage_error(
        fmt::format("{}: there is no such algorithm; expected one of {}", in_quotes(word), names));
}

// Options that the algorithm has no use for.
void refuse_strangers(const registry::trace_algorithm_info& about, const CLI::App& app) {
    const auto refuse = [&](const char* option, bool is_stranger, const char* reason) {
        if (is_stranger && app.count(option) != 0)
            throw usage_error(fmt::format("{}: {} {}", option, about.name, reason));
    };
    refuse("--op", about.is_partition, "has no operator but a --pivot");
    refuse("--pivot", !about.is_partition, "has no pivot");
    refuse("--exclusive", !about.is_scan, "has no exclusive form");
    refuse("--init", !about.is_scan, "takes no initial value");
    refuse("--threads", !about.is_emulated || about.is_partition, "has no threads without an element");
    refuse("--warp", !about.is_emulated, "knows no warps");
}

registry::trace_request request_of(trace_arguments& arguments, const std::string& algorithm,
                                   const CLI::App& app) {
    registry::trace_request request;
    request.algorithm = parse_algorithm(algorithm);
    const auto& about = info(request.algorithm);
    refuse_strangers(about, app);
    request.op = parse_op(arguments.op);
    request.exclusive = arguments.exclusive;
    const auto width = static_cast<std::uint64_t>(whole_number(arguments.warp_width).value_or(0));
    if (!std::has_single_bit(width) || width > 64) {
        throw usage_error(
            fmt::format("--warp {}: expected a power of two from 1 to 64", printable(arguments.warp_width)));
    }
    request.warp_width = static_cast<unsigned>(width);
    if (app.count("--threads") != 0) {
        const auto threads = whole_number(arguments.threads);
        if (!threads || *threads < 1 || !std::in_range<unsigned>(*threads)) {
            throw usage_error(fmt::format("--threads {}: expected at least one for each element",
                                          printable(arguments.threads)));
        }
        request.threads = static_cast<unsigned>(*threads);
    }
    if (about.is_partition) {
        request.pivot = app.count("--pivot") == 0 && arguments.words.empty() ? usual_pivot : arguments.pivot;
        if (request.pivot.empty()) throw usage_error("--pivot is missing: elements below it go to the left");
    }
    read_elements(arguments, request);
    if (about.is_partition) {
        try {
            static_cast<void>(registry::resolve({comparison::less, request.pivot}, request.type));
        } catch (const error& problem) {
            throw usage_error(fmt::format("--pivot {}: {}", in_quotes(request.pivot), problem.what()));
        }
    }
    if (app.count("--init") != 0) {
        try {
            request.initial = registry::parse_value(arguments.initial, request.type);
        } catch (const error& problem) {
            throw usage_error(fmt::format("--init: {}", problem.what()));
        }
    }
    return request;
}

// What a request cannot be is wrong usage; what a build lacks is a failure.
registry::trace_report run_request(const registry::trace_request& request) {
    try {
        return run_trace(request);
    } catch (const error& problem) {
        if (problem.code() != errc::invalid_argument) throw;
        throw usage_error(problem.what());
    }
}

text_shape shape_for(const std::string& output) {
    text_shape shape{80, false};
    if (!is_standard_output(output) || ::isatty(STDOUT_FILENO) == 0) return shape;
    winsize window{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0) shape.width = window.ws_col;
    const char* no_color = std::getenv("NO_COLOR");
    shape.bold = no_color == nullptr || *no_color == '\0';
    return shape;
}

void run(trace_arguments& arguments, const std::string& algorithm, const CLI::App& app) {
    std::optional<picture_format> format;
    if (!arguments.plot.empty()) {
        format = plot_format(arguments.plot);
        arguments.refuse_as_output("--plot", arguments.plot);
    }
    const registry::trace_request request = request_of(arguments, algorithm, app);
    const registry::trace_report report = run_request(request);
    if (format) {
        const std::string drawn = trace_picture(request, report, *format);
        output_file picture(arguments.plot, arguments.inputs);
        picture.write(drawn);
        picture.commit();
    }
    output_file output(arguments.output, arguments.inputs);
    output.write(arguments.json ? trace_json(request, report)
                                : trace_text(request, report, shape_for(arguments.output)));
    output.commit();
}

help_page trace_page() {
    help_page page;
    page.name = "upsweep trace";
    page.summary = "how an algorithm scans a few numbers, step by step";
    page.synopsis = {"upsweep trace ALGORITHM [NUMBER...] [options]",
                     "upsweep trace ALGORITHM INPUT [options]"};
    page.description =
        "Runs one of the scans, reductions and partitions that the library has for threads of a GPU in its "
        "emulator, on numbers of yours, and shows what its arrays hold after each step and which thread "
        "made it of what. What is shown is what the library's code did: each step is read off the accesses "
        "to shared memory, shuffles and barriers that the emulator records. Without numbers, 3 1 7 0 4 1 6 3 "
        "are taken.";
    std::string table;
    for (const auto& about : registry::trace_algorithms())
        table += fmt::format("{}  {:22}{}", table.empty() ? "" : "\n", about.name, about.meaning);
    page.sections.push_back({"Algorithms", {table}});
    page.sections.push_back(
        {"Numbers",
         {"Numbers of the command line and of tables are 64-bit integers if all are, otherwise float64; "
          "--dtype takes another type. The values shown are the accumulators, so narrow integers are summed "
          "in 64 bits unless --dtype says otherwise. INPUT is a NumPy array of one dimension (.npy), a table "
          "(.csv, .tsv), raw binary data, or - for standard input. Behind the options and --, a word that "
          "begins with - is a number whatever follows, which -.5 and -inf need: upsweep trace tree --op plus "
          "-- -.5 1.",
          "A block has at most 1024 threads, an element each; a warp has --warp lanes, and block-scan takes "
          "as many warps. tree takes 135168 elements, so that each of its parts appears.",
          table_limits()}});
    page.sections.push_back(
        {"Reading the text",
         {"A line is the array after a step, with the name of the array before it: x is what threads hold in "
          "registers, s, a and b are shared memory, r is what each thread returns. What was made or moved in "
          "the step has a * before it, on a terminal it is bold. Below stands how: t5: s[5] = s[3] + s[5] is "
          "what thread 5 did, with the values from before the step. The earlier operand is on the left. What "
          "is carried on at the same index is not listed, and what nothing has been written to is a dot.",
          "At the end: how often the operator was applied and how many applications had to wait for one "
          "another, barriers, and how often a warp had to access shared memory once more because of several "
          "words in one of 32 banks. Elements of fewer than 4 bytes take 4.",
          "In blelloch nothing is to the left of the first element; a place for nothing keeps what it had. "
          "In "
          "tree, L, V, R, T and S are the parts of docs/numerics.md, and prefix is S + (T + (R + (V + L))) "
          "of "
          "those that are there."}});
    page.sections.push_back(
        {"JSON",
         {"With --json, an object with algorithm, op or (of a partition) pivot, exclusive (of a scan), "
          "dtype, n, threads and warp_width (but of tree), elements, initial (null where there is none), "
          "result, left_count (of a partition: how many are below the pivot), combines, depth, barriers, "
          "shuffles, ballots, reads, writes, bank_requests, bank_passes (more than the requests where there "
          "are conflicts), steps and events. A step has label, barriers (before it), array, cells (null for "
          "what nothing has been written to) and actions: thread, to, and from, one cell for a copy and two "
          "for a combine. An event has what (read, write, shuffle, ballot, barrier), thread and barriers "
          "(before it), of a read or write cell and value, of a shuffle lane and value, of a ballot value.",
          json_numbers}});
    page.sections.push_back({"Environment", {"NO_COLOR turns bold text off."}});
    page.sections.push_back(
        {"Exit status", {"0: done. 1: failure on data or files, or no emulator. 2: wrong usage."}});
    page.examples = {
        {"upsweep trace hillis-steele", "How doubling distances make running sums:"},
        {"upsweep trace blelloch 3 1 7 0 4 1 6 3 --exclusive --plot steps.svg",
         "An up-sweep and a down-sweep, with a picture:"},
        {"upsweep trace block-scan --warp 4 $(seq 12)",
         "Warps of four lanes, their totals, and the results:"},
        {"upsweep trace warp-partition 3 7 1 8 2 9 4 6 --pivot 5", "Where elements go by a ballot:"},
        {"upsweep trace tree 1 1 1 1 2e-7 2e-7 2e-7 2e-7 --dtype float32",
         "How the small are added to one another before they meet the large:"},
        {"upsweep trace blelloch x.npy --dtype float32 --json -o steps.json", "For a program that draws:"},
    };
    page.see_also = {"upsweep", "upsweep scan", "upsweep partition"};
    return page;
}

}  // namespace

command add_trace(CLI::App& program) {
    command made;
    made.page = trace_page();
    CLI::App* app = program.add_subcommand("trace", made.page.summary);
    made.app = app;
    const auto arguments = std::make_shared<trace_arguments>();
    const auto algorithm = std::make_shared<std::string>();
    app->add_option("ALGORITHM", *algorithm, "what to run; see Algorithms")->required();
    app->add_option("NUMBERS", arguments->words, "numbers, or one file to read; - is standard input");
    app->add_option("-o,--output", arguments->output, "file to write; - is standard output, the default")
        ->type_name("FILE");
    app->add_option("--op", arguments->op, "operator: plus (the default), minimum, ...; see upsweep scan")
        ->type_name("NAME");
    app->add_flag("--exclusive", arguments->exclusive, "each result is that of the numbers before it");
    app->add_option("--init", arguments->initial, "start from this value")->type_name("VALUE");
    app->add_option("--pivot", arguments->pivot, "partitions: what is less than V goes to the left")
        ->type_name("V");
    app->add_option(
           "--threads", arguments->threads,
           "threads of the block, those without an element hold the operator's identity; default: one "
           "for each element")
        ->type_name("N");
    app->add_option("--warp", arguments->warp_width, "lanes of a warp, a power of two up to 64; default: 32")
        ->type_name("N");
    app->add_option("--dtype", arguments->dtype, "type to compute in; for raw input also of its elements")
        ->type_name("TYPE");
    arguments->add_format_to(*app);
    arguments->add_column_to(*app, "column of a table to trace");
    arguments->add_table_options_to(*app);
    app->add_flag("--json", arguments->json, "steps and events as one JSON object");
    app->add_option("--plot", arguments->plot, "draw the steps to .svg or .png")->type_name("FILE");
    made.run = [app, arguments, algorithm] { run(*arguments, *algorithm, *app); };
    return made;
}

}  // namespace upsweep::cli
