// Operators, types and axes by words.
#include "cli/commands/fold_arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "cli/commands/arguments.hpp"
#include "cli/io/byte_source.hpp"
#include "cli/io/message.hpp"
#include "cli/usage.hpp"
#include "upsweep/error.hpp"

namespace upsweep::cli {

void fold_arguments::add_op_to(CLI::App& app) {
    app.add_option("--op", given.op, "operator: plus (the default), minimum, maximum, ...; see Operators")
        ->type_name("NAME");
}

void fold_arguments::add_initial_to(CLI::App& app) {
    app.add_option("--init", given.initial,
                   "start from this value; default: the operator's identity, such as 0 for plus")
        ->type_name("VALUE");
}

void fold_arguments::add_axis_to(CLI::App& app, const char* meaning) {
    app.add_option("--axis", given.axis, meaning)->type_name("K");
}

void fold_arguments::add_types_to(CLI::App& app, const char* computed) {
    app.add_option("--dtype", given.dtype, "type of the results; for raw input also of its elements")
        ->type_name("TYPE");
    app.add_option("--accumulate", given.accumulate, computed)->type_name("TYPE");
    app.add_option("--input-dtype", given.input_dtype, "type of the elements of raw input")
        ->type_name("TYPE");
}

void fold_arguments::check_fold(const CLI::App& app, const char* is_done, bool writes_data) {
    op = parse_op(given.op);
    find_input_format(column || !by.empty(), !given.input_dtype.empty());
    if (app.count("--init") != 0) initial = given.initial;
    if (app.count("--axis") != 0) {
        const auto number = whole_number(given.axis);
        if (!number || !std::in_range<int>(*number)) {
            throw usage_error(
                fmt::format("--axis {}: expected the number of a dimension", printable(given.axis)));
        }
        axis = static_cast<int>(*number);
    }
    check_types();
    find_output_format(writes_data);
    check_kind_of_input(is_done);
}

void fold_arguments::check_types() {
    if (!given.accumulate.empty()) accumulate = parse_type("--accumulate", given.accumulate);
    if (input_format == file_format::raw) {
        if (given.input_dtype.empty() && given.dtype.empty()) {
            throw usage_error(fmt::format(
                "{}: raw data does not tell the type of its elements; say it with --dtype or --input-dtype",
                source_words(input)));
        }
        if (given.input_dtype.empty())
            set_raw_type("--dtype", given.dtype);
        else
            set_raw_type("--input-dtype", given.input_dtype);
    }
    if (given.dtype.empty()) return;
    // For raw input the same word may carry the byte order of the file; results have the machine's.
    const auto layout = registry::parse_dtype_layout(given.dtype);
    const bool names_input = input_format == file_format::raw && given.input_dtype.empty();
    dtype = names_input && layout ? layout->type : parse_type("--dtype", given.dtype);
}

void fold_arguments::check_kind_of_input(const char* is_done) const {
    const bool table = reads_table();
    if (!table && (column || !by.empty() || headless))
        throw usage_error("--column, --by and --no-header are for .csv and .tsv tables");
    if (table && axis)
        throw usage_error(fmt::format("--axis is for arrays; a table is {} down its --column", is_done));
    if (!given.input_dtype.empty() && input_format != file_format::raw)
        throw usage_error("--input-dtype is for raw data; other formats tell their types themselves");
}

registry::scan_request fold_arguments::request_for(registry::dtype elements) const {
    registry::scan_request request;
    request.op = op;
    try {
        request.types = registry::resolve_types(op, elements, dtype, accumulate);
    } catch (const error& problem) {
        throw usage_error(fmt::format("{}: {}", source_words(input), problem.what()));
    }
    try {
        if (initial) request.initial = registry::parse_value(*initial, request.types.accumulator);
    } catch (const error& problem) {
        throw usage_error(fmt::format("--init: {}", problem.what()));
    }
    return request;
}

std::size_t elements_of_block(const registry::scanner& scanner, const registry::scan_types& types) {
    const std::size_t widest = std::max(registry::size_of(types.input), registry::size_of(types.output));
    const std::size_t elements = block_bytes(scanner.usual_bytes()) / widest;
    return std::max<std::size_t>(1, elements / scanner.multiple()) * scanner.multiple();
}

void tell_fold(json_writer& json, const fold_report& report, const char* total) {
    json.key("dtype").text(registry::name(report.types.output));
    json.key("input_dtype").text(registry::name(report.types.input));
    json.key("accumulator").text(registry::name(report.types.accumulator));
    json.key("n").integer(report.count).key("shape").begin_array();
    for (const std::uint64_t extent : report.shape) json.integer(extent);
    json.end_array().key("axis");
    if (report.axis)
        json.integer(static_cast<std::uint64_t>(*report.axis));
    else
        json.null();
    json.key(total);
    if (report.total)
        json.element(*report.total);
    else
        json.null();
    if (!report.groups) return;
    json.key("groups").begin_array();
    for (const fold_group& group : *report.groups) {
        json.begin_object().key("key");
        if (group.key.size() == 1) {
            json.text(group.key.front());
        } else {
            json.begin_array();
            for (const std::string& text : group.key) json.text(text);
            json.end_array();
        }
        json.key("n").integer(group.count).key(total).element(group.total).end_object();
    }
    json.end_array();
}

std::string result_name(registry::operation op) {
    if (op == registry::operation::plus) return "sum";
    if (op == registry::operation::multiplies) return "product";
    return std::string(registry::name(op));
}

std::string result_column(const std::string& base, const std::string& result,
                          const std::vector<std::string>& taken) {
    std::string name = base + "_" + result;
    while (std::find(taken.begin(), taken.end(), name) != taken.end()) name += "_";
    return name;
}

void refuse_complex_cells(registry::dtype results) {
    if (registry::is_complex_type(results))
        throw usage_error("complex results do not fit a table; write to .npy");
}

void add_fold_sections(help_page& page) {
    std::string table;
    for (const registry::operation op : registry::operations()) {
        table +=
            fmt::format("{}  {:12} {}", table.empty() ? "" : "\n", registry::name(op), registry::meaning(op));
    }
    page.sections.push_back({"Operators", {table}});
    page.sections.push_back(
        {"Types",
         {"What --dtype and --accumulate leave open follows numpy.cumulative_sum: sums and products of "
          "integers widen to 64 bits, "
          "floating-point and complex results keep their type, and both are computed in the type of the "
          "result (float16 and bfloat16 "
          "in float32). Minimum, maximum and the bitwise operators are computed in the type of the input and "
          "keep it, the logical ones in bool; --dtype converts their results: the maximum of 300 and "
          "8589934593 as int32 is 1, what is left of the larger.",
          "Types: " + registry::dtype_names() +
              ". Raw input takes a byte order too: '<f4', '>i2'. Integers wrap around."}});
}

}  // namespace upsweep::cli
