// Totals of a column of a .csv or .tsv file, in one reading. Whether the column is one of integers is known
// at its end only: until a cell tells, both kinds of totals are made. In memory are a block of numbers, the
// groups in it, and what waits to be written up to a limit.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/arguments.hpp"
#include "cli/commands/key_runs.hpp"
#include "cli/commands/reduce_job.hpp"
#include "cli/commands/reduce_picture.hpp"
#include "cli/commands/result_cell.hpp"
#include "cli/io/csv.hpp"
#include "cli/progress.hpp"
#include "cli/scratch.hpp"
#include "cli/usage.hpp"
#include "registry/reducer.hpp"

namespace upsweep::cli {
namespace {

using registry::dtype;
using registry::size_of;

// A group whose last row is known.
struct ended_group {
    std::size_t end;  // in the block, the row after it
    std::vector<std::string> key;
    std::uint64_t rows;
};

// The rows that are read together.
struct column_block {
    std::vector<std::int64_t> integers;  // while the column has no other numbers
    std::vector<double> reals;
    std::vector<std::uint8_t> heads;  // with --by: 1 where a group starts
    std::vector<ended_group> ended;

    void clear() {
        integers.clear();
        reals.clear();
        heads.clear();
        ended.clear();
    }
};

// The totals of the column as one of numbers of that type. If they cannot be, that is told by finish(), for
// the column may turn out to be of another type.
class column_totals {
  public:
    column_totals(const reduce_arguments& arguments, const registry::device& device, dtype numbers)
        : arguments_(arguments),
          waiting_(arguments.output, most_waiting_bytes()),
          cells_(waiting_, arguments.output_delimiter()) {
        try {
            request_ = arguments.request_for(numbers);
            if (writes_table()) refuse_complex_cells(request_.types.output);
            if (!arguments.plot.empty() && registry::is_complex_type(request_.types.output))
                throw usage_error("--plot draws real numbers; these are complex");
            scanner_ = registry::make_scanner(device, request_);
            last_ = registry::total_of_nothing(request_);
        } catch (const usage_error& problem) {
            problem_ = problem;
        }
    }

    void take(const void* numbers, const column_block& block) {
        if (problem_) return;
        const std::size_t n = block.reals.size();
        const std::size_t size = size_of(request_.types.output);
        results_.resize(std::max(results_.size(), n * size));
        if (!arguments_.by.empty())
            scanner_->scan_segments(numbers, block.heads.data(), results_.data(), n);
        else
            scanner_->scan(numbers, results_.data(), n);
        for (const ended_group& group : block.ended) {
            if (group.end != 0) set_last(group.end - 1);
            put(group.key, group.rows);
        }
        set_last(n - 1);
    }
    // The group, or the column, that ends with what was taken last.
    void finish(const std::vector<std::string>& key, std::uint64_t rows) {
        if (problem_) throw usage_error(*problem_);
        put(key, rows);
    }
    // Where there is no row and with it no group.
    void finish() {
        if (problem_) throw usage_error(*problem_);
    }

    [[nodiscard]] const registry::scan_types& types() const { return request_.types; }
    [[nodiscard]] const registry::value& last() const { return last_; }
    [[nodiscard]] const group_bars& bars() const { return bars_; }
    // With --json, the totals of so many groups.
    void tell(std::vector<fold_group>& groups) const {
        const dtype type = request_.types.output;
        for (std::size_t k = 0; k < groups.size(); ++k)
            groups[k].total = registry::value::at(type, told_.data() + k * size_of(type));
    }

    // Rows of a table without their names, or elements.
    void write(output_file& output) {
        if (writes_table()) return waiting_.send(output);
        array_header header;
        header.type = request_.types.output;
        if (!arguments_.by.empty()) header.shape = {count_};
        array_writer writer = open_writer(output, std::move(header), arguments_.output_format);
        element_sink elements(writer);
        waiting_.send(elements);
        writer.finish();
    }

  private:
    [[nodiscard]] bool writes_table() const {
        return arguments_.writes_data() && is_table(arguments_.output_format);
    }
    void set_last(std::size_t row) {
        const dtype type = request_.types.output;
        last_ = registry::value::at(type, results_.data() + row * size_of(type));
    }
    void put(const std::vector<std::string>& key, std::uint64_t rows) {
        ++count_;
        if (arguments_.json) told_.insert(told_.end(), last_.data(), last_.data() + size_of(last_.type()));
        if (!arguments_.plot.empty()) bars_.add(key, last_);
        if (!arguments_.writes_data()) return;
        if (!writes_table()) return waiting_.write(last_.data(), size_of(last_.type()));
        for (const std::string& text : key) cells_.cell(std::string_view(text));
        write_result(cells_, last_.type(), last_.data());
        if (arguments_.counts_rows) cells_.cell(rows);
        cells_.end_row();
    }

    const reduce_arguments& arguments_;
    registry::scan_request request_;
    std::unique_ptr<registry::scanner> scanner_;
    std::optional<usage_error> problem_;
    std::vector<std::byte> results_;  // of a block
    registry::value last_;            // the total up to the last row that was looked at
    std::uint64_t count_ = 0;         // groups
    std::vector<std::byte> told_;     // with --json: the totals
    group_bars bars_;                 // with --plot
    scratch_stream waiting_;
    csv_writer cells_;
};

class table_reduction {
  public:
    table_reduction(const reduce_arguments& arguments, const registry::device& device)
        : arguments_(arguments),
          reader_(byte_source::open(arguments.input), table_options(arguments)),
          column_(number_column_of(arguments, reader_)),
          integers_(std::in_place, arguments, device, dtype::int64),
          reals_(arguments, device, dtype::float64) {
        if (!arguments.by.empty())
            runs_.emplace(reader_, columns_named(reader_, arguments.by, "--by"), arguments.by);
        const std::size_t multiple = registry::block_multiple;
        block_rows_ =
            std::max<std::size_t>(1, block_bytes(registry::block_bytes) / sizeof(double) / multiple);
        block_rows_ *= multiple;
    }

    fold_report run() {
        std::optional<output_file> output, picture;
        if (arguments_.writes_data()) output.emplace(arguments_.output, identities(reader_.source()));
        if (!arguments_.plot.empty()) picture.emplace(arguments_.plot, identities(reader_.source()));
        read();
        column_totals& totals = integers_ ? *integers_ : reals_;
        if (runs_ && reader_.rows() == 0)
            totals.finish();
        else
            totals.finish(key_, group_rows_);
        if (output) {
            if (is_table(arguments_.output_format)) write_names(*output);
            totals.write(*output);
        }
        if (picture) {
            const std::string& name = reader_.names()[column_];
            write_picture(*picture, totals.bars().picture(arguments_, name, reader_.rows()),
                          plot_format(arguments_.plot));
        }
        if (output) output->commit();
        if (picture) picture->commit();
        fold_report report;
        report.types = totals.types();
        report.count = reader_.rows();
        report.shape = {report.count};
        report.bytes = reader_.bytes();
        if (runs_)
            report.groups = told_groups(totals);
        else
            report.total = totals.last();
        return report;
    }

  private:
    void read() {
        progress_bar progress("reducing", reader_.source().size());
        for (std::uint64_t before = 0; reader_.next();) {
            take_row();
            if (block_.reals.size() != block_rows_) continue;
            take_block();
            progress.advance(reader_.bytes() - before);
            before = reader_.bytes();
        }
        take_block();
    }

    void take_row() {
        const csv_number number = reader_.number(column_);
        if (!number.integer) integers_.reset();
        if (integers_) block_.integers.push_back(number.whole);
        if (runs_) take_key();
        ++group_rows_;
        block_.reals.push_back(number.real);
    }

    [[nodiscard]] std::vector<fold_group> told_groups(const column_totals& totals) {
        if (!arguments_.json) return {};
        if (reader_.rows() != 0) told_.push_back({key_, group_rows_, {}});
        totals.tell(told_);
        return std::move(told_);
    }

    void take_key() {
        const bool starts = runs_->starts();
        block_.heads.push_back(starts ? 1 : 0);
        if (!starts) return;
        if (group_rows_ != 0) {
            if (arguments_.json) told_.push_back({key_, group_rows_, {}});
            block_.ended.push_back({block_.reals.size(), std::move(key_), group_rows_});
        }
        key_ = runs_->key();
        group_rows_ = 0;
    }

    void take_block() {
        if (block_.reals.empty()) return;
        if (integers_) integers_->take(block_.integers.data(), block_);
        reals_.take(block_.reals.data(), block_);
        block_.clear();
    }

    void write_names(output_file& output) const {
        if (arguments_.headless) return;
        csv_writer writer(output, arguments_.output_delimiter());
        std::vector<std::string> names = arguments_.by;
        names.push_back(result_column(reader_.names()[column_], result_name(arguments_.op), names));
        if (arguments_.counts_rows) {
            std::string rows = "rows";
            while (std::find(names.begin(), names.end(), rows) != names.end()) rows += "_";
            names.push_back(std::move(rows));
        }
        for (const std::string& name : names) writer.cell(std::string_view(name));
        writer.end_row();
    }

    const reduce_arguments& arguments_;
    csv_reader reader_;
    std::size_t column_;
    std::optional<key_runs> runs_;
    std::size_t block_rows_ = 0;
    column_block block_;
    std::optional<column_totals> integers_;  // until another number comes
    column_totals reals_;
    std::vector<fold_group> told_;  // with --json, still without their totals
    std::vector<std::string> key_;  // of the group that has not ended
    std::uint64_t group_rows_ = 0;
};

}  // namespace

fold_report reduce_table(const reduce_arguments& arguments, const registry::device& device) {
    return table_reduction(arguments, device).run();
}

}  // namespace upsweep::cli
