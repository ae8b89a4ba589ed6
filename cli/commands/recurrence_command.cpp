// `upsweep recurrence`: its options, what they mean together, and what is told at the end.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "cli/commands/arguments.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/picture_parts.hpp"
#include "cli/commands/scan_job.hpp"
#include "cli/io/byte_source.hpp"
#include "cli/io/message.hpp"
#include "cli/json.hpp"
#include "cli/usage.hpp"
#include "registry/recurrence_scanner.hpp"
#include "upsweep/error.hpp"

namespace upsweep::cli {
namespace {

using registry::dtype;

// Of the three one is given.
struct recurrence_arguments : scan_arguments {
    std::optional<std::string> coefficient;
    std::optional<std::string> smooth;  // and `coefficients`
};

registry::value number_of(const char* option, const std::string& word, dtype type) {
    try {
        return registry::parse_value(word, type);
    } catch (const error& problem) {
        throw usage_error(fmt::format("{}: {}", option, problem.what()));
    }
}

class linear_recurrences final : public scan_method {
  public:
    explicit linear_recurrences(const recurrence_arguments& arguments) : arguments_(arguments) {}

    [[nodiscard]] registry::scan_types types(const scan_operands& from) const override {
        return request_for(from).types;
    }
    [[nodiscard]] made_scanner scanner(const registry::device& device,
                                       const scan_operands& from) const override {
        auto made = registry::make_recurrence_scanner(device, request_for(from));
        registry::recurrence_scanner* const taker = from.coefficients ? made.get() : nullptr;
        return {std::move(made), taker};
    }
    [[nodiscard]] std::string result_name() const override {
        return arguments_.smooth ? "smooth" : "recurrence";
    }
    [[nodiscard]] std::string words() const override {
        const std::string kind =
            arguments_.smooth ? "exponential smoothing by " + *arguments_.smooth
            : arguments_.coefficient
                ? "recurrence by " + *arguments_.coefficient
                : "recurrence by " +
                      printable(arguments_.coefficients->substr(arguments_.coefficients->rfind('/') + 1));
        return kind + (arguments_.reverse ? " from the end" : "");
    }

  private:
    [[nodiscard]] registry::recurrence_request request_for(const scan_operands& from) const {
        registry::recurrence_request request;
        try {
            request.types = registry::resolve_recurrence_types(from.elements, from.coefficients,
                                                               arguments_.dtype, arguments_.accumulate);
        } catch (const error& problem) {
            throw usage_error(fmt::format("{}: {}", source_words(arguments_.input), problem.what()));
        }
        const auto number = [&](const char* option, const std::optional<std::string>& word) {
            return word ? std::optional(number_of(option, *word, request.types.accumulator)) : std::nullopt;
        };
        request.coefficient = number("--coefficient", arguments_.coefficient);
        request.coefficients = from.coefficients;
        request.weight = number("--smooth", arguments_.smooth);
        request.x0 = number("--init", arguments_.initial);
        request.reverse = arguments_.reverse;
        return request;
    }

    const recurrence_arguments& arguments_;
};

void check(recurrence_arguments& arguments, const CLI::App& app) {
    const int given =
        (arguments.coefficient ? 1 : 0) + (arguments.coefficients ? 1 : 0) + (arguments.smooth ? 1 : 0);
    if (given != 1) {
        throw usage_error(fmt::format("{} of --coefficient, --coefficients and --smooth; expected one",
                                      given == 0 ? "none" : "several"));
    }
    arguments.check_scan(app, "evaluated");
    // In the type of the arithmetic once that is known.
    if (arguments.coefficient)
        static_cast<void>(number_of("--coefficient", *arguments.coefficient, dtype::float64));
    if (arguments.initial) static_cast<void>(number_of("--init", *arguments.initial, dtype::float64));
    if (!arguments.smooth) return;
    const double weight = number_of("--smooth", *arguments.smooth, dtype::float64).as<double>();
    if (!(weight > 0 && weight <= 1)) {
        throw usage_error(fmt::format("--smooth {}: expected a number above 0 and at most 1",
                                      printable(*arguments.smooth)));
    }
}

void print_json(const recurrence_arguments& arguments, const scan_report& report,
                const registry::device& device) {
    json_writer json;
    json.begin_object();
    tell_files(json, arguments);
    const dtype held = report.types.accumulator;
    if (arguments.coefficient)
        json.key("coefficient").element(number_of("--coefficient", *arguments.coefficient, held));
    if (arguments.coefficients) json.key("coefficients").text(*arguments.coefficients);
    if (arguments.smooth) json.key("smooth").element(number_of("--smooth", *arguments.smooth, held));
    json.key("reverse").boolean(arguments.reverse);
    tell_fold(json, report, "last");
    tell_run(json, report.seconds, report.bytes, device);
    json.end_object();
    fmt::print("{}\n", json.result());
}

void run_recurrence(recurrence_arguments& arguments, const CLI::App& app) {
    check(arguments, app);
    const registry::device device = arguments.device.open(app);
    const scan_report report = run_job({arguments, linear_recurrences(arguments), device});
    if (arguments.json) print_json(arguments, report, device);
}

help_page recurrence_page() {
    help_page page;
    page.name = "upsweep recurrence";
    page.summary = "linear recurrences of the numbers in a file: smoothing, decay, interest";
    page.synopsis = {"upsweep recurrence INPUT [-o OUTPUT] --coefficient A [options]",
                     "upsweep recurrence INPUT [-o OUTPUT] --coefficients FILE|COLUMN [options]",
                     "upsweep recurrence INPUT [-o OUTPUT] --smooth ALPHA [options]"};
    page.description =
        "Replaces every number x[i] by y[i] = A y[i-1] + x[i], where y[-1] is 0 or the value of --init: with "
        "--coefficient 0.5, 4 2 8 becomes 4 4 10. With --coefficients every element has a coefficient of its "
        "own, as a balance whose interest changes: y[i] = a[i] y[i-1] + x[i]. With --smooth, exponential "
        "smoothing. INPUT is a NumPy array (.npy), a table (.csv, .tsv), raw binary data, or - for standard "
        "input. Files of any size take a few megabytes of memory. The result depends on the input alone: it "
        "has the same bits on every machine and with any number of threads.";
    page.sections.push_back(
        {"Smoothing",
         {"With --smooth ALPHA, 0 < ALPHA <= 1, y[i] = (1 - ALPHA) y[i-1] + ALPHA x[i], where y[-1] is the "
          "first element (with --reverse the last) of every sequence or group, unless --init is given. An "
          "ALPHA of 1 copies; of a smaller one about the last 2 / ALPHA elements count.",
          "It is the recurrence of the elements times ALPHA, with coefficient 1 - ALPHA. ALPHA is rounded to "
          "the type of the arithmetic; 1 - ALPHA and each ALPHA x[i] are rounded once, and so are then the "
          "products and sums of the recurrence. So the first result, and those of equal elements, may differ "
          "from the elements in the last bits."}});
    page.sections.push_back(
        {"Coefficients",
         {"Of an array, --coefficients names a second file, .npy of the same shape and memory order, or raw "
          "of as many elements. Its numbers may have another type, integers too; raw ones have the type of "
          "INPUT's elements, and if INPUT is raw, its byte order. The two are read side by side, either of "
          "them from standard input too. Of a table it names a column.",
          "A coefficient may be any number, infinities and NaN included. If products of up to 131072 "
          "coefficients that follow one another overflow, as powers of 2 do, results may be NaN or infinite "
          "although a loop would stay finite; coefficients from -1 to 1 are safe from that."}});
    page.sections.push_back(
        {"Types",
         {"Floating-point numbers keep their type; results of integers, and of bool, are float64. All is "
          "computed in float32 where elements are float32, float16 or bfloat16 and coefficients not float64, "
          "otherwise in float64. --dtype names another floating-point type of the results, in which all is "
          "then computed too (float16 and bfloat16 in float32), and --accumulate, float32 or float64, that "
          "of the arithmetic: coefficients, ALPHA and the value of --init are rounded to it. A result is "
          "rounded to its own type when it is stored; the next one is computed from what was not. Complex "
          "numbers are an error.",
          "Types: " + registry::dtype_names() +
              ". Raw input takes a byte order too: '<f4', '>i2'. Of raw integers say the type with "
              "--input-dtype."}});
    page.sections.push_back(
        {"Bits",
         {"Results are those of upsweep::linear_recurrence of the C++ library on each whole sequence, where "
          "a "
          "product and a sum are two roundings and docs/numerics.md fixes how maps are grouped. They are in "
          "general not the bits of a loop. Along an axis every sequence, and with --by every group, has the "
          "bits of its own recurrence."}});
    add_scan_formats(page, "the column and what is done: price_smooth, or price_recurrence",
                     "Results are float64. The numbers of the column, and those of --coefficients, are held "
                     "in memory (8 bytes each, and as many for results), the rest of the file is not.");
    page.sections.push_back(
        {"Groups",
         {"With --by COLUMN every run of rows with the same text in that column is a group, and the "
          "recurrence starts afresh in each. Rows of a group must follow one another: sort --text puts them "
          "so. With several --by it is the same text in each of the columns; sort by the last one first, as "
          "sorts are stable."}});
    add_picture_section(page);
    page.sections.push_back(
        {"JSON",
         {"With --json, an object with file, output, plot (where it is given), coefficient, coefficients or "
          "smooth, reverse, dtype, input_dtype, accumulator, n (elements or rows), shape, axis (null where "
          "there is none), last (the last result, with --reverse the first, in the accumulator's type; null "
          "with --by, and of several dimensions), groups (with --by: key, an array of several, n and last of "
          "each, in the type of the results), seconds, bytes, bytes_per_second, device, threads and simd.",
          json_numbers}});
    add_last_sections(page, "a file streams");
    page.examples = {
        {"upsweep recurrence weather.csv --column temp_max --smooth 0.1 -o smooth.csv --plot smooth.svg",
         "Temperatures, smoothed, with a picture:"},
        {"upsweep recurrence x.npy -o y.npy --coefficient 0.9", "A sum that forgets a tenth at each step:"},
        {"upsweep recurrence account.csv --column deposit --coefficients growth --init 1000",
         "A balance, from deposits and by how much the money before grows (1.02, say) in each row:"},
        {"upsweep recurrence x.npy --coefficients a.npy -o y.npy --reverse",
         "From the end, as gradients are computed:"},
        {"upsweep recurrence film.npy -o smooth.npy --axis 0 --smooth 0.25",
         "Every pixel of a film over time:"},
        {"zcat x.raw.gz | upsweep recurrence - --format raw --dtype float32 --smooth 0.01 > smooth.raw",
         "In a pipe:"},
    };
    page.see_also = {"upsweep", "upsweep scan", "upsweep reduce"};
    return page;
}

}  // namespace

command add_recurrence(CLI::App& program) {
    command made;
    made.page = recurrence_page();
    CLI::App* app = program.add_subcommand("recurrence", made.page.summary);
    made.app = app;
    const auto arguments = std::make_shared<recurrence_arguments>();
    arguments->add_names_to(*app);
    add_name_option(*app, "--coefficient", arguments->coefficient, "the coefficient of every element")
        ->type_name("A");
    add_name_option(*app, "--coefficients", arguments->coefficients,
                    "one for each element: the file of them beside an array, the column of a table")
        ->type_name("NAME");
    add_name_option(*app, "--smooth", arguments->smooth,
                    "exponential smoothing: (1 - ALPHA) y[i-1] + ALPHA x[i]")
        ->type_name("ALPHA");
    app->add_option("--init", arguments->given.initial,
                    "what comes before the first result; default: 0, or with --smooth the first element")
        ->type_name("X0");
    arguments->add_reverse_to(*app);
    arguments->add_axis_to(*app, "dimension to go along, from 0; negative ones count from the last");
    arguments->add_types_to(*app, "type of the arithmetic: float32 or float64");
    arguments->add_format_to(*app);
    arguments->add_column_to(*app, "column of a table to take the elements from");
    arguments->add_by_to(*app);
    arguments->add_table_options_to(*app);
    arguments->device.add_threads_to(*app);
    app->add_flag("--json", arguments->json,
                  "one JSON object on standard output: sizes, types, last result, seconds, bytes per second");
    arguments->add_plot_to(*app, "draw input and results, or a line for each group, to .svg or .png");
    made.run = [app, arguments] { run_recurrence(*arguments, *app); };
    return made;
}

}  // namespace upsweep::cli
