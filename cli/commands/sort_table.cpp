// Sorting of the rows of .csv and .tsv files by a column, all or those of each group. Rows are held as the
// text that is written.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands/integer_output.hpp"
#include "cli/commands/key_runs.hpp"
#include "cli/commands/sort_job.hpp"
#include "cli/io/csv.hpp"
#include "cli/io/number.hpp"
#include "cli/progress.hpp"
#include "registry/sorter.hpp"

namespace upsweep::cli {
namespace {

using registry::dtype;

class text_sink final : public byte_sink {
  public:
    void write(const void* data, std::size_t bytes) override {
        text.append(static_cast<const char*>(data), bytes);
    }
    using byte_sink::write;

    std::string text;
};

class table_to_sort {
  public:
    table_to_sort(const sort_arguments& arguments, const registry::device& device)
        : arguments_(arguments),
          device_(device),
          reader_(byte_source::open(arguments.input), table_options(arguments)),
          column_(number_column_of(arguments, reader_)),
          writer_(rows_, arguments.output_delimiter()) {
        if (!arguments.by.empty())
            runs_.emplace(reader_, columns_named(reader_, arguments.by, "--by"), arguments.by);
    }

    sort_report run() {
        output_file output(arguments_.output, identities(reader_.source()));
        add_row(!arguments_.headless);
        read();
        const std::vector<std::int64_t> order = find_first(find_order());
        if (arguments_.indices) {
            write_integers(output, arguments_.output_format, "index", order.data(), order.size());
        } else {
            output.write(row(0));
            for (const std::int64_t i : order) output.write(row(static_cast<std::size_t>(i) + 1));
        }
        output.commit();
        sort_report report;
        report.input_type = keys_.integers_only() ? dtype::int64 : dtype::float64;
        report.type = dtype::int64;
        report.count = order.size();
        report.groups = static_cast<std::uint64_t>(std::count(heads_.begin(), heads_.end(), 1));
        report.shape = {report.count};
        report.bytes = reader_.bytes();
        return report;
    }

  private:
    void read() {
        progress_bar progress("reading", reader_.source().size());
        for (std::uint64_t before = 0; reader_.next();) {
            if (runs_) heads_.push_back(runs_->starts() ? 1 : 0);
            add_key();
            add_row(true);
            if (size() % 4096 != 0) continue;
            // The text, which may grow to twice itself, and for each row a key, an end, an index and scratch.
            const std::uint64_t per_row = 8 + 8 + 8 + registry::sort_indices_scratch_bytes(dtype::int64, 1);
            expect_memory(reader_.source().name(),
                          2 * (rows_.text.size() + cells_.size()) + size() * per_row);
            progress.advance(reader_.bytes() - before);
            before = reader_.bytes();
        }
    }
    void add_key() {
        if (arguments_.text) {
            cells_ += reader_.cell(column_);
            cell_ends_.push_back(cells_.size());
        } else {
            keys_.add(reader_.number(column_));
        }
    }
    [[nodiscard]] std::size_t size() const { return arguments_.text ? cell_ends_.size() : keys_.size(); }
    // Of indices alone, no text is held.
    void add_row(bool is_wanted) {
        if (is_wanted && !arguments_.indices) {
            if (arguments_.keeps_rows()) {
                rows_.write(reader_.row_text());
                rows_.write(reader_.line_end());
            } else {
                for (std::size_t k = 0; k < reader_.names().size(); ++k) writer_.cell(cell(k));
                writer_.end_row(reader_.line_end());
            }
        }
        ends_.push_back(rows_.text.size());
    }
    [[nodiscard]] std::string_view cell(std::size_t k) const {
        return ends_.empty() ? std::string_view(reader_.names()[k]) : reader_.cell(k);
    }
    // That of the names is row 0.
    [[nodiscard]] std::string_view row(std::size_t number) const {
        const std::size_t begin = number == 0 ? 0 : ends_[number - 1];
        return std::string_view(rows_.text).substr(begin, ends_[number] - begin);
    }
    [[nodiscard]] std::string_view key_text(std::int64_t number) const {
        const auto i = static_cast<std::size_t>(number);
        const std::size_t begin = i == 0 ? 0 : cell_ends_[i - 1];
        return std::string_view(cells_).substr(begin, cell_ends_[i] - begin);
    }
    [[nodiscard]] std::vector<std::int64_t> find_order() const {
        std::vector<std::int64_t> order(size());
        if (arguments_.text) {
            std::iota(order.begin(), order.end(), std::int64_t{0});
            for (auto begin = order.begin(); begin != order.end();) {
                const auto end = end_of_group(order, begin);
                std::stable_sort(begin, end, [&](std::int64_t a, std::int64_t b) {
                    return arguments_.descending ? key_text(b) < key_text(a) : key_text(a) < key_text(b);
                });
                begin = end;
            }
            return order;
        }
        const bool whole = keys_.integers_only();
        const void* const keys = whole ? static_cast<const void*>(keys_.integers().data())
                                       : static_cast<const void*>(keys_.reals().data());
        const dtype type = whole ? dtype::int64 : dtype::float64;
        if (runs_)
            registry::sort_segment_indices(device_, type, heads_.data(), keys, order.data(), order.size(),
                                           arguments_.descending);
        else
            registry::sort_indices(device_, type, keys, order.data(), order.size(), arguments_.descending);
        return order;
    }
    // Of each group, where only the first rows are wanted. Groups stay where they are.
    [[nodiscard]] std::vector<std::int64_t> find_first(std::vector<std::int64_t> order) const {
        if (!arguments_.first) return order;
        std::uint64_t place = 0;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (runs_ && heads_[i] != 0) place = 0;
            if (place++ < *arguments_.first) order[kept++] = order[i];
        }
        order.resize(kept);
        return order;
    }
    // Behind the rows that are sorted together, of which the first one is *begin; order[i] is i.
    template <class Iterator>
    [[nodiscard]] Iterator end_of_group(std::vector<std::int64_t>& order, Iterator begin) const {
        if (!runs_) return order.end();
        const auto next = std::find(heads_.begin() + *begin + 1, heads_.end(), 1);
        return order.begin() + (next - heads_.begin());
    }

    const sort_arguments& arguments_;
    const registry::device& device_;
    csv_reader reader_;
    std::size_t column_;
    std::optional<key_runs> runs_;     // of --by
    std::vector<std::uint8_t> heads_;  // 1 where a group starts
    number_column keys_;
    std::string cells_;  // of --text, one behind the other
    std::vector<std::size_t> cell_ends_;
    text_sink rows_;
    csv_writer writer_;
    std::vector<std::size_t> ends_;  // of the rows in the text
};

}  // namespace

sort_report sort_table(const sort_arguments& arguments, const registry::device& device) {
    return table_to_sort(arguments, device).run();
}

}  // namespace upsweep::cli
