// What commands that fold numbers have in common: operator, initial value, types, axis and groups, how they
// are told afterwards, and their part of the help.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/file_arguments.hpp"
#include "cli/help.hpp"
#include "cli/json.hpp"
#include "registry/operation.hpp"
#include "registry/scanner.hpp"
#include "registry/value.hpp"

namespace upsweep::cli {

// The options as they were typed.
struct fold_words {
    std::string op = "plus";
    std::string initial;
    std::string axis;
    std::string dtype;
    std::string accumulate;
    std::string input_dtype;
};

// The same with words turned into values as far as that is possible without the input.
struct fold_arguments : file_arguments {
    fold_words given;
    registry::operation op = registry::operation::plus;
    std::optional<std::string> initial;  // its type follows from the input
    std::optional<int> axis;
    std::optional<registry::dtype> dtype;
    std::optional<registry::dtype> accumulate;
    std::vector<std::string> by;  // columns

    // --op; --init; --axis; --dtype, --accumulate and --input-dtype.
    void add_op_to(CLI::App& app);
    void add_initial_to(CLI::App& app);
    void add_axis_to(CLI::App& app, const char* meaning);
    void add_types_to(CLI::App& app, const char* computed = "type in which totals are computed");

    // Turns `given` into values. `is_done` is what happens to a column, for messages: "scanned".
    // `writes_data` as in find_output_format.
    void check_fold(const CLI::App& app, const char* is_done, bool writes_data = true);
    // The scan whose results, or last ones, are wanted of elements of that type. Throws usage_error if
    // operator, types or initial value do not go together.
    [[nodiscard]] registry::scan_request request_for(registry::dtype elements) const;

  private:
    void check_types();
    void check_kind_of_input(const char* is_done) const;
};

struct fold_group {
    std::vector<std::string> key;  // the text in each column of --by
    std::uint64_t count = 0;
    registry::value total;  // of the output's type
};

struct fold_report {
    registry::scan_types types;
    std::uint64_t count = 0;  // elements of the input
    std::vector<std::uint64_t> shape;
    std::optional<int> axis;  // from 0 on
    std::optional<registry::value> total;
    std::optional<std::vector<fold_group>> groups;
    std::uint64_t bytes = 0;  // of elements (of text, for tables) read and written
};

// Elements of a block of a sequence that streams.
[[nodiscard]] std::size_t elements_of_block(const registry::scanner& scanner,
                                            const registry::scan_types& types);

// The members dtype, input_dtype, accumulator, n, shape, axis, total (or what it is called) and groups.
void tell_fold(json_writer& json, const fold_report& report, const char* total = "total");

// The last word of a result's name: "sum" for plus.
[[nodiscard]] std::string result_name(registry::operation op);
// `base` and the result's name, made unlike each of `taken`: price_sum.
[[nodiscard]] std::string result_column(const std::string& base, const std::string& result,
                                        const std::vector<std::string>& taken);

// Throws usage_error if results of that type cannot stand in a table.
void refuse_complex_cells(registry::dtype results);

// The sections Operators and Types of a help page.
void add_fold_sections(help_page& page);

}  // namespace upsweep::cli
