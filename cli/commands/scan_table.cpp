// Scans of a column of a .csv or .tsv file. The file is read twice: once for the numbers of the column and
// the borders of the groups, once to copy its rows with the new column behind them. In memory are 8 bytes a
// row, as many for coefficients, and the results (8 at most), and a byte a row for groups; a table from a
// pipe is held as a whole.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "cli/commands/key_runs.hpp"
#include "cli/commands/picture_parts.hpp"
#include "cli/commands/result_cell.hpp"
#include "cli/commands/scan_job.hpp"
#include "cli/commands/scan_picture.hpp"
#include "cli/io/csv.hpp"
#include "cli/io/message.hpp"
#include "cli/progress.hpp"
#include "cli/usage.hpp"
#include "registry/visit.hpp"

namespace upsweep::cli {
namespace {

using registry::dtype;
using registry::size_of;

constexpr std::size_t most_drawn_groups = 1000;

std::string read_all(byte_source& source) {
    std::string text;
    for (std::size_t got = 1; got != 0;) {
        const std::size_t before = text.size();
        text.resize(before + std::max<std::size_t>(before, std::size_t{1} << 16));
        got = source.read(text.data() + before, text.size() - before);
        text.resize(before + got);
    }
    return text;
}

class table_scan {
  public:
    table_scan(const scan_job& job, csv_reader& reader)
        : job_(job),
          arguments_(job.arguments),
          reader_(reader),
          keeps_groups_(arguments_.json || !arguments_.plot.empty()) {}

    scan_report run() {
        column_ = find_column();
        if (arguments_.coefficients)
            coefficient_column_ = column_named(reader_, *arguments_.coefficients, "--coefficients");
        key_columns_ = columns_named(reader_, arguments_.by, "--by");
        read_column();
        scan();
        if (!arguments_.plot.empty()) draw();

        report_.picture_file = open_picture(arguments_, identities(reader_.source()));
        output_file output(arguments_.output, identities(reader_.source()));
        if (is_table(arguments_.output_format))
            write_table(output);
        else
            write_array(output);
        output.commit();
        report_.bytes += reader_.bytes();
        return std::move(report_);
    }

  private:
    [[nodiscard]] std::size_t find_column() const {
        if (arguments_.column) return column_named(reader_, *arguments_.column, "--column");
        if (reader_.names().size() == 1) return 0;
        throw usage_error(fmt::format("{}: say which column to scan with --column; there are {}",
                                      reader_.source().name(), listed_columns(reader_)));
    }
    // Numbers, borders of groups, and their keys.
    void read_column() {
        progress_bar progress("reading", reader_.source().size());
        std::optional<key_runs> runs;
        if (is_grouped()) runs.emplace(reader_, key_columns_, arguments_.by);
        for (std::uint64_t before = 0; reader_.next();) {
            numbers_.add(reader_.number(column_));
            if (coefficient_column_) coefficients_.add(reader_.number(*coefficient_column_));
            if (runs) take_key(*runs);
            if (reader_.rows() % 4096 == 0) {
                progress.advance(reader_.bytes() - before);
                before = reader_.bytes();
            }
        }
        report_.count = numbers_.size();
        report_.shape = {report_.count};
        report_.bytes = reader_.bytes();
    }

    void take_key(key_runs& runs) {
        const bool starts = runs.starts();
        heads_.push_back(starts ? 1 : 0);
        if (!keeps_groups_) return;
        if (starts) groups_.push_back({{runs.key(), 0, {}}, heads_.size() - 1});
        ++groups_.back().told.count;
    }

    [[nodiscard]] bool is_grouped() const { return !key_columns_.empty(); }
    static const void* data_of(const number_column& numbers) {
        return numbers.integers_only() ? static_cast<const void*>(numbers.integers().data())
                                       : static_cast<const void*>(numbers.reals().data());
    }
    static dtype type_of(const number_column& numbers) {
        return numbers.integers_only() ? dtype::int64 : dtype::float64;
    }
    [[nodiscard]] scan_operands operands() const {
        scan_operands types{type_of(numbers_), std::nullopt};
        if (coefficient_column_) types.coefficients = type_of(coefficients_);
        return types;
    }

    void run_scanner(const made_scanner& made, std::byte* to) const {
        made.take_coefficients(data_of(coefficients_));
        if (is_grouped())
            made.scanner->scan_segments(data_of(numbers_), heads_.data(), to, numbers_.size());
        else
            made.scanner->scan(data_of(numbers_), to, numbers_.size());
    }

    void scan() {
        report_.types = job_.method.types(operands());
        const dtype type = report_.types.output;
        results_.resize(numbers_.size() * size_of(type));
        const made_scanner made = job_.method.scanner(job_.device, operands());
        run_scanner(made, results_.data());
        if (!is_grouped()) report_.total = made.scanner->total();
        if (!is_grouped() || !arguments_.json) return;
        std::vector<std::byte> apart;
        if (const made_scanner of_totals = job_.method.totals(job_.device, operands()); of_totals.scanner) {
            apart.resize(results_.size());
            run_scanner(of_totals, apart.data());
        }
        const std::vector<std::byte>& totals = apart.empty() ? results_ : apart;
        report_.groups.emplace();
        for (group& one : groups_) {
            const std::size_t last =
                arguments_.reverse ? one.first : one.first + static_cast<std::size_t>(one.told.count) - 1;
            registry::visit_type(type, [&]<class T>(std::type_identity<T>) {
                T total;
                std::memcpy(static_cast<void*>(&total), totals.data() + last * sizeof(T), sizeof(T));
                one.told.total = registry::value::of(type, total);
            });
            report_.groups->push_back(one.told);
        }
    }

    void draw() {
        const dtype type = report_.types.output;
        const dtype input = report_.types.input;
        if (registry::is_complex_type(type))
            throw usage_error("--plot draws real numbers; these are complex");
        const std::string& name = reader_.names()[column_];
        if (!is_grouped()) {
            plot_accumulator in;
            plot_accumulator out;
            add_points(in, input, data_of(numbers_), 0, numbers_.size());
            add_points(out, type, results_.data(), 0, numbers_.size());
            report_.picture = picture_of_sequence(job_, name, in, out);
            return;
        }
        if (groups_.size() > most_drawn_groups) {
            throw usage_error(fmt::format("--plot draws a line for each group, at most {}; {} has {}",
                                          most_drawn_groups, column_words(arguments_.by), groups_.size()));
        }
        std::vector<named_points> lines;
        for (const group& one : groups_) {
            lines.push_back({fmt::format("{}", fmt::join(one.told.key, ", ")), plot_accumulator()});
            add_points(lines.back().points, type, results_.data() + one.first * size_of(type), 1,
                       static_cast<std::size_t>(one.told.count));
        }
        report_.picture = picture_of_groups(job_, name, lines);
    }

    void write_table(output_file& output) {
        const dtype type = report_.types.output;
        refuse_complex_cells(type);
        csv_writer writer(output, arguments_.output_delimiter());
        const std::size_t columns = reader_.names().size();
        reader_.rewind();
        if (!arguments_.headless) {
            for (const std::string& name : reader_.names()) writer.cell(name);
            writer.cell(result_column(reader_.names()[column_], job_.method.result_name(), reader_.names()));
            writer.end_row(reader_.line_end());
        }
        progress_bar progress("writing", reader_.source().size());
        registry::visit_type(type, [&]<class T>(std::type_identity<T>) {
            if constexpr (!is_complex<T>) {
                const std::byte* result = results_.data();
                for (std::uint64_t row = 0, before = 0; reader_.next(); ++row, result += sizeof(T)) {
                    if (row == report_.count) fail(reader_.source().name(), "has grown while it was read");
                    for (std::size_t k = 0; k < columns; ++k) writer.cell(reader_.cell(k));
                    T value;
                    std::memcpy(static_cast<void*>(&value), result, sizeof(T));
                    write_result(writer, value);
                    writer.end_row(reader_.line_end());
                    if (row % 4096 == 0) {
                        progress.advance(reader_.bytes() - before);
                        before = reader_.bytes();
                    }
                }
            }
        });
        if (reader_.rows() != report_.count) fail(reader_.source().name(), "has shrunk while it was read");
    }

    void write_array(output_file& output) {
        array_header header;
        header.type = report_.types.output;
        header.shape = {report_.count};
        array_writer writer = open_writer(output, std::move(header), arguments_.output_format);
        writer.write(results_.data(), numbers_.size());
        writer.finish();
    }

    const scan_job& job_;
    const scan_arguments& arguments_;
    csv_reader& reader_;
    scan_report report_;
    std::size_t column_ = 0;
    std::optional<std::size_t> coefficient_column_;
    std::vector<std::size_t> key_columns_;  // of --by
    number_column numbers_;
    number_column coefficients_;
    std::vector<std::uint8_t> heads_;  // with --by: 1 where a group starts
    struct group {
        fold_group told;
        std::size_t first;  // row
    };
    bool keeps_groups_;  // they are told or drawn
    std::vector<group> groups_;
    std::vector<std::byte> results_;
};

}  // namespace

scan_report scan_table(const scan_job& job) {
    byte_source source = byte_source::open(job.arguments.input);
    std::string text;
    if (!source.seekable()) {
        text = read_all(source);
        source = byte_source::from_memory(std::as_bytes(std::span(text)), source.name());
    }
    csv_reader reader(std::move(source), table_options(job.arguments));
    return table_scan(job, reader).run();
}

}  // namespace upsweep::cli
