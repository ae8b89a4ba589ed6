// A command that makes a result of every number of a file: `upsweep scan` and `upsweep recurrence`. What was
// asked for, how results are made, and what is told about it afterwards.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/arguments.hpp"
#include "cli/commands/fold_arguments.hpp"
#include "cli/help.hpp"
#include "cli/json.hpp"
#include "cli/plot/figure.hpp"
#include "registry/recurrence_scanner.hpp"
#include "registry/scanner.hpp"

namespace upsweep::cli {

struct scan_arguments : fold_arguments {
    bool reverse = false;
    device_choice device;
    std::string plot;  // empty: none
    // A file beside an array, or a column of the table, that has a coefficient for every element.
    std::optional<std::string> coefficients;

    void add_reverse_to(CLI::App& app);
    void add_by_to(CLI::App& app);
    void add_plot_to(CLI::App& app, const char* meaning);
    // As check_fold, and what follows for pictures and terminals.
    void check_scan(const CLI::App& app, const char* is_done);
};

// The types of what is read.
struct scan_operands {
    registry::dtype elements;
    std::optional<registry::dtype> coefficients;
};

struct made_scanner {
    std::unique_ptr<registry::scanner> scanner;
    registry::recurrence_scanner* recurrence = nullptr;  // the same, where it takes coefficients

    void take_coefficients(const void* a) const {
        if (recurrence != nullptr) recurrence->take_coefficients(a);
    }
};

// How a command makes results.
class scan_method {
  public:
    scan_method() = default;
    scan_method(const scan_method&) = delete;
    scan_method& operator=(const scan_method&) = delete;
    virtual ~scan_method() = default;

    // Throws usage_error where types, or other arguments, do not fit the operands.
    [[nodiscard]] virtual registry::scan_types types(const scan_operands& from) const = 0;
    [[nodiscard]] virtual made_scanner scanner(const registry::device& device,
                                               const scan_operands& from) const = 0;
    // Whose last result in a group is the group's total; nothing if that is scanner()'s.
    [[nodiscard]] virtual made_scanner totals(const registry::device&, const scan_operands&) const {
        return {};
    }
    // The last word of a result's name: "sum".
    [[nodiscard]] virtual std::string result_name() const = 0;
    // What results are called in a picture: "running sum, exclusive, from the end".
    [[nodiscard]] virtual std::string words() const = 0;
};

struct scan_job {
    const scan_arguments& arguments;
    const scan_method& method;
    const registry::device& device;
};

// The total is of the accumulator's type, and there for one sequence without groups.
struct scan_report : fold_report {
    double seconds = 0;
    std::optional<plot_figure> picture;
    std::unique_ptr<output_file> picture_file;  // opened before results are written, so that both can be
};

// Opens input and output, makes the results, and commits the output and the picture.
[[nodiscard]] scan_report run_job(const scan_job& job);

// The same but for the picture's commit. Arrays are .npy and raw files, tables .csv and .tsv.
[[nodiscard]] scan_report scan_array(const scan_job& job);
[[nodiscard]] scan_report scan_table(const scan_job& job);

// The file of --plot, if there is one; it must be none of `inputs`.
[[nodiscard]] std::unique_ptr<output_file> open_picture(const scan_arguments& arguments,
                                                        const std::vector<file_identity>& inputs);

// The members file, output and plot.
void tell_files(json_writer& json, const scan_arguments& arguments);

// The section Formats of a help page. `column` says what the new column is called, `numbers` what type those
// of a column have and what is held of them.
void add_scan_formats(help_page& page, const std::string& column, const std::string& numbers);

}  // namespace upsweep::cli
