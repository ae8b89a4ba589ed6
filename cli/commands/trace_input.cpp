// The elements of a trace: numbers of the command line, an array, or the column of a table.
#include <fmt/format.h>

#include <cstddef>
#include <limits>
#include <utility>

#include "cli/commands/arguments.hpp"
#include "cli/commands/trace_job.hpp"
#include "cli/io/message.hpp"
#include "cli/usage.hpp"
#include "upsweep/error.hpp"

namespace upsweep::cli {
namespace {

using registry::dtype;

// More than any algorithm takes, so that an endless stream is no reason to wait.
constexpr std::size_t most_read = std::size_t{1} << 18;

[[noreturn]] void fail_too_many(const std::string& name) {
    throw usage_error(fmt::format("{}: more than {} elements; a trace is of a few", name, most_read));
}

// What the elements are, and what they are computed in.
struct element_types {
    dtype input;
    dtype computed;
};

class element_reader {
  public:
    element_reader(trace_arguments& arguments, registry::trace_request& request)
        : arguments_(arguments), request_(request), partitions_(info(request.algorithm).is_partition) {}

    void read_numbers(const std::vector<std::string>& words) {
        if (!arguments_.dtype.empty()) return read_typed(words);
        number_column column;
        for (std::size_t i = 0; i < words.size(); ++i) {
            csv_number number;
            const number_problem problem = parse_number(words[i], number);
            if (problem != number_problem::none)
                fail_number(i,
                            problem == number_problem::out_of_range ? "is beyond float64" : "is no number");
            column.add(number);
        }
        take(column, "");
    }

    void read_file() {
        arguments_.input = arguments_.words.front();
        arguments_.find_input_format(arguments_.column.has_value(), !arguments_.dtype.empty());
        const bool table = arguments_.reads_table();
        if (!table && (arguments_.column || arguments_.headless))
            throw usage_error("--column and --no-header are for .csv and .tsv tables");
        if (table)
            read_table();
        else
            read_array();
    }

  private:
    [[noreturn]] void fail_number(std::size_t index, const std::string& problem) const {
        const bool alone = arguments_.words.size() == 1;
        throw usage_error(
            fmt::format("number {}: {} {}{}", index + 1, in_quotes(arguments_.words[index]), problem,
                        alone ? ", nor a file that ends in .npy, .csv, .tsv, .raw or .bin" : ""));
    }

    void read_typed(const std::vector<std::string>& words) {
        const dtype type = parse_type("--dtype", arguments_.dtype);
        const dtype computed = types(type, type, "").computed;
        for (std::size_t i = 0; i < words.size(); ++i) {
            try {
                const registry::value typed = registry::parse_value(words[i], type);
                const auto one = trace_elements(type, typed.data(), 1, request_.op, computed);
                request_.elements.push_back(one.front());
            } catch (const error& problem) {
                throw usage_error(fmt::format("number {}: {}", i + 1, problem.what()));
            }
        }
        request_.type = computed;
    }

    // Partitions move elements as they are, unless another type is asked for.
    [[nodiscard]] element_types types(dtype input, std::optional<dtype> wanted,
                                      const std::string& name) const {
        try {
            if (!partitions_) return {input, resolve_types(request_.op, input, wanted).accumulator};
        } catch (const error& problem) {
            throw usage_error(name.empty() ? problem.what() : fmt::format("{}: {}", name, problem.what()));
        }
        if (wanted && *wanted != input)
            throw usage_error("--dtype: a partition moves elements as they are, in their own type");
        return {input, input};
    }
    [[nodiscard]] std::optional<dtype> wanted_type() const {
        if (arguments_.dtype.empty()) return std::nullopt;
        return parse_type("--dtype", arguments_.dtype);
    }

    void take(dtype input, const void* elements, std::size_t count, const std::string& name,
              std::optional<dtype> wanted) {
        request_.type = types(input, wanted, name).computed;
        request_.elements = trace_elements(input, elements, count, request_.op, request_.type);
    }
    void take(const number_column& column, const std::string& name) {
        const auto wanted = wanted_type();
        if (column.integers_only())
            take(dtype::int64, column.integers().data(), column.size(), name, wanted);
        else
            take(dtype::float64, column.reals().data(), column.size(), name, wanted);
    }

    void read_table() {
        csv_reader table(byte_source::open(arguments_.input), table_options(arguments_));
        arguments_.inputs = identities(table.source());
        std::size_t index = 0;
        if (arguments_.column) {
            index = column_named(table, *arguments_.column, "--column");
        } else if (table.names().size() != 1) {
            throw usage_error(fmt::format("{}: say which column to trace with --column; there are {}",
                                          table.source().name(), listed_columns(table)));
        }
        number_column column;
        while (table.next()) {
            column.add(table.number(index));
            if (column.size() > most_read) fail_too_many(table.source().name());
        }
        take(column, table.source().name());
    }

    void read_array() {
        const bool raw = arguments_.input_format == file_format::raw;
        if (raw) arguments_.read_raw_type(arguments_.dtype);
        array_reader reader = open_array(arguments_);
        arguments_.inputs = identities(reader.source());
        const std::string& name = reader.source().name();
        const array_header& header = reader.header();
        if (!header.open_ended && header.shape.size() != 1) {
            throw usage_error(
                fmt::format("{} has {} dimensions; a trace is of one", name, header.shape.size()));
        }
        const std::size_t size = registry::size_of(header.type);
        std::vector<std::byte> elements;
        for (std::size_t count = 0, more = 1; more != 0; count += more) {
            constexpr std::size_t block = 4096;
            elements.resize((count + block) * size);
            more = reader.read(elements.data() + count * size, block);
            elements.resize((count + more) * size);
            if (count + more > most_read) fail_too_many(name);
        }
        const std::optional<dtype> wanted = raw ? std::optional(header.type) : wanted_type();
        take(header.type, elements.data(), elements.size() / size, name, wanted);
    }

    trace_arguments& arguments_;
    registry::trace_request& request_;
    bool partitions_;
};

}  // namespace

const std::vector<std::string>& usual_numbers() {
    static const std::vector<std::string> numbers = {"3", "1", "7", "0", "4", "1", "6", "3"};
    return numbers;
}

void read_elements(trace_arguments& arguments, registry::trace_request& request) {
    element_reader reader(arguments, request);
    const bool says_file =
        !arguments.format.empty() || arguments.column || arguments.headless || arguments.delimiter;
    if (arguments.words.empty()) {
        if (says_file)
            throw usage_error(
                "--format, --column, --no-header and --delimiter are for a file; none is named");
        return reader.read_numbers(usual_numbers());
    }
    const std::string& first = arguments.words.front();
    const bool is_file = arguments.words.size() == 1 && (says_file || first == "-" || format_of(first));
    if (is_file) return reader.read_file();
    if (says_file)
        throw usage_error(
            "--format, --column, --no-header and --delimiter are for one file, not for numbers");
    reader.read_numbers(arguments.words);
}

}  // namespace upsweep::cli
