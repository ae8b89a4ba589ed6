// Compaction and partition of the rows of .csv and .tsv files, in one pass.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "cli/commands/choose_job.hpp"
#include "cli/io/csv.hpp"
#include "cli/io/message.hpp"
#include "cli/progress.hpp"
#include "cli/scratch.hpp"
#include "cli/usage.hpp"

namespace upsweep::cli {
namespace {

using registry::dtype;

// A condition on the numbers of a column: integers are compared as such where the condition's number is one.
class column_test {
  public:
    column_test(const registry::device& device, const where_condition& condition, std::size_t column)
        : column_(column), reals_(make_chooser(device, dtype::float64, {condition})) {
        const std::string& number = condition.test.number;
        const std::size_t first = number.find_first_not_of("+-");
        if (number.find_first_not_of("0123456789", first) == std::string::npos)
            integers_ = make_chooser(device, dtype::int64, {condition});
    }
    [[nodiscard]] bool holds(const csv_reader& row) const {
        const csv_number number = row.number(column_);
        if (number.integer && integers_) return integers_->chooses(&number.whole);
        return reals_->chooses(&number.real);
    }

  private:
    std::size_t column_;
    std::unique_ptr<registry::chooser> reals_;
    std::unique_ptr<registry::chooser> integers_;  // null: the condition's number is not an integer
};

class table_choice {
  public:
    table_choice(const choose_arguments& arguments, const registry::device& device, csv_reader& reader)
        : arguments_(arguments), reader_(reader) {
        for (const where_condition& one : arguments.conditions)
            tests_.emplace_back(device, one, column_of(one));
        report_.input_type = dtype::float64;
        report_.type = arguments.indices ? dtype::int64 : dtype::float64;
    }

    choose_report run() {
        output_file output(arguments_.output, identities(reader_.source()));
        if (is_table(arguments_.output_format))
            write_table(output);
        else
            write_array(output);
        output.commit();
        report_.shape = {report_.count};
        report_.bytes += reader_.bytes();
        return std::move(report_);
    }

  private:
    // x is the column of --column or the only one, unless without --column there is one of that name.
    [[nodiscard]] std::size_t column_of(const where_condition& one) const {
        const auto& names = reader_.names();
        if (!one.is_x()) return column_named(reader_, one.name, (one.words + ": column").c_str());
        if (arguments_.column) return column_named(reader_, *arguments_.column, "--column");
        if (std::find(names.begin(), names.end(), "x") != names.end()) return reader_.column("x");
        if (names.size() == 1) return 0;
        throw usage_error(fmt::format("{}: say with --column which column of {} is x; there are {}",
                                      one.words, reader_.source().name(), listed_columns(reader_)));
    }

    // Calls take(whether it is chosen) for every row. A cell that a condition looks at must be a number
    // whatever the other conditions say.
    template <class Take>
    void for_each_row(const Take& take) {
        progress_bar progress(arguments_.with_others ? "partitioning" : "compacting",
                              reader_.source().size());
        for (std::uint64_t before = 0; reader_.next();) {
            bool chosen = true;
            for (const column_test& test : tests_) chosen = test.holds(reader_) && chosen;
            take(chosen);
            ++report_.count;
            report_.chosen += chosen ? 1 : 0;
            if (report_.count % 4096 == 0) {
                progress.advance(reader_.bytes() - before);
                before = reader_.bytes();
            }
        }
    }

    void write_table(output_file& output) {
        scratch_stream others(arguments_.output, most_waiting_bytes());
        csv_writer to_front(output, arguments_.output_delimiter());
        csv_writer to_back(others, arguments_.output_delimiter());
        const bool unchanged = arguments_.keeps_rows();
        if (arguments_.indices) {
            to_front.cell("index");
            to_front.end_row();
        } else if (!arguments_.headless) {
            if (unchanged)
                copy_row(output);
            else
                write_names(to_front);
        }
        for_each_row([&](bool chosen) {
            if (!chosen && !arguments_.with_others) return;
            byte_sink& to = chosen ? static_cast<byte_sink&>(output) : others;
            csv_writer& writer = chosen ? to_front : to_back;
            if (arguments_.indices) {
                writer.cell(report_.count);
                writer.end_row();
            } else if (unchanged) {
                copy_row(to);
            } else {
                write_cells(writer);
            }
        });
        others.send(output);
    }

    void copy_row(byte_sink& to) const {
        to.write(reader_.row_text());
        to.write(reader_.line_end());
    }
    void write_names(csv_writer& writer) const {
        for (const std::string& name : reader_.names()) writer.cell(name);
        writer.end_row(reader_.line_end());
    }
    void write_cells(csv_writer& writer) const {
        for (std::size_t k = 0; k < reader_.names().size(); ++k) writer.cell(reader_.cell(k));
        writer.end_row(reader_.line_end());
    }

    void write_array(output_file& output) {
        write_chosen(arguments_, output, dtype::int64, {}, [&](byte_sink& chosen, byte_sink& others) {
            for_each_row([&](bool is_chosen) {
                const auto row = static_cast<std::int64_t>(report_.count);
                if (is_chosen)
                    chosen.write(&row, sizeof row);
                else if (arguments_.with_others)
                    others.write(&row, sizeof row);
            });
        });
    }

    const choose_arguments& arguments_;
    csv_reader& reader_;
    std::vector<column_test> tests_;
    choose_report report_;
};

}  // namespace

choose_report choose_table(const choose_arguments& arguments, const registry::device& device) {
    csv_reader reader(byte_source::open(arguments.input), table_options(arguments));
    return table_choice(arguments, device, reader).run();
}

}  // namespace upsweep::cli
