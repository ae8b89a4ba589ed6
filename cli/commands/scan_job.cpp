// What jobs of arrays and of tables have in common.
#include "cli/commands/scan_job.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>

namespace upsweep::cli {

void scan_arguments::add_reverse_to(CLI::App& app) {
    app.add_flag("--reverse", reverse, "from the end to the beginning");
}

void scan_arguments::add_by_to(CLI::App& app) {
    add_names_option(app, "--by", by,
                     "start afresh wherever the text in this column changes; may be said again, for several")
        ->type_name("COLUMN");
}

void scan_arguments::add_plot_to(CLI::App& app, const char* meaning) {
    app.add_option("--plot", plot, meaning)->type_name("FILE");
}

void scan_arguments::check_scan(const CLI::App& app, const char* is_done) {
    check_fold(app, is_done);
    if (!plot.empty()) {
        static_cast<void>(plot_format(plot));
        refuse_as_output("--plot", plot);
    }
    refuse_terminal();
}

scan_report run_job(const scan_job& job) {
    const auto start = std::chrono::steady_clock::now();
    scan_report report = job.arguments.reads_table() ? scan_table(job) : scan_array(job);
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (report.picture) {
        write_picture(*report.picture_file, *report.picture, plot_format(job.arguments.plot));
        report.picture_file->commit();
    }
    return report;
}

std::unique_ptr<output_file> open_picture(const scan_arguments& arguments,
                                          const std::vector<file_identity>& inputs) {
    if (arguments.plot.empty()) return nullptr;
    return std::make_unique<output_file>(arguments.plot, inputs);
}

void tell_files(json_writer& json, const scan_arguments& arguments) {
    json.key("file").text(arguments.input).key("output").text(arguments.output);
    if (!arguments.plot.empty()) json.key("plot").text(arguments.plot);
}

void add_scan_formats(help_page& page, const std::string& column, const std::string& numbers) {
    const std::string table = fmt::format(
        ".csv, .tsv: the numbers of --column. The output has all columns of the input and behind them the "
        "new one, named after {}. Its numbers stand in the shortest form that reads back the same, but -0 is "
        "written as 0. Lines end as they do in the input. With -o FILE.npy it is the new column alone. {}",
        column, numbers);
    page.sections.push_back(
        {"Formats",
         {".npy: any numeric type, byte order and memory order. An array of two or more dimensions needs "
          "--axis.",
          table,
          "raw (.raw, .bin): elements of type --input-dtype, or --dtype, one after the other and nothing "
          "else. Results are in this machine's byte order.",
          "An output file appears when it is complete; until then, and after an error, an old one stays as "
          "it was."}});
    page.sections.back().paragraphs.push_back(table_limits());
}

}  // namespace upsweep::cli
