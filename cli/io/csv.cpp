// The CSV reader. A row is parsed in place in a block of the file; when the block ends inside it, the row is
// moved to the front, the block refilled, and the row parsed again.
#include "cli/io/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "cli/io/format.hpp"
#include "cli/io/message.hpp"

namespace upsweep::cli {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

constexpr bool is_line_end(char character) { return character == '\n' || character == '\r'; }

}  // namespace

char delimiter_of(std::string_view path) { return delimiter_of(format_of(path).value_or(file_format::csv)); }

csv_reader::csv_reader(byte_source source, csv_options options)
    : source_(std::move(source)), options_(options) {
    if (options_.delimiter == '"' || is_line_end(options_.delimiter)) {
        throw_error(errc::invalid_argument, "a quote or a line end cannot separate cells");
    }
    for (const char character : {options_.delimiter, '\n', '\r'}) {
        ends_plain_cell_[static_cast<unsigned char>(character)] = true;
    }
    options_.block_bytes = std::clamp(options_.block_bytes, std::size_t{1}, longest_row);
    buffer_.resize(options_.block_bytes + 1);
    start();
}

void csv_reader::start() {
    while (end_ - begin_ < byte_order_mark.size() && refill()) {
    }
    const std::string_view head(buffer_.data(), std::min(end_, byte_order_mark.size()));
    if (head == byte_order_mark) begin_ = byte_order_mark.size();
    if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff"))
        fail(source_.name(), "is UTF-16; expected UTF-8");
    if (begin_ == end_ && !refill()) fail(source_.name(), "is empty; expected rows of separated values");
    if (options_.header) {
        if (!read_row()) fail(source_.name(), "holds only blank lines; expected rows of separated values");
        names_.clear();
        for (std::size_t i = 0; i < cells_.size(); ++i) names_.emplace_back(cell(i));
        expected_cells_ = names_.size();
        return;
    }
    if (!names_.empty()) return;
    // The first row only tells how many columns there are; it is read again as a row.
    while (parse_row() == parse_result::incomplete) refill();
    expected_cells_ = cells_.size();
    for (std::size_t i = 0; i < expected_cells_; ++i) names_.push_back(std::to_string(i + 1));
}

void csv_reader::rewind() {
    source_.seek(0);
    begin_ = end_ = 0;
    at_end_ = false;
    expected_cells_ = options_.header ? 0 : expected_cells_;
    row_line_ = rows_ = bytes_ = 0;
    next_line_ = 1;
    start();
}

std::size_t csv_reader::column(std::string_view name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) {
        std::string list;
        for (const std::string& other : names_) {
            if (list.size() > 200) {
                list += ", ...";
                break;
            }
            list += (list.empty() ? "" : ", ") + in_quotes(other);
        }
        fail(source_.name(), fmt::format("has no column {}; its columns are {}", in_quotes(name), list));
    }
    if (std::find(found + 1, names_.end(), name) != names_.end()) {
        fail(source_.name(), fmt::format("has more than one column {}", in_quotes(name)));
    }
    return static_cast<std::size_t>(found - names_.begin());
}

bool csv_reader::next() {
    if (!read_row()) return false;
    ++rows_;
    return true;
}

bool csv_reader::read_row() {
    if (begin_ == end_ && !refill()) return false;
    if (is_line_end(buffer_[begin_])) {
        const std::uint64_t line = next_line_;
        if (only_blank_lines_left()) return false;
        fail_line(line, "is blank");
    }
    while (parse_row() == parse_result::incomplete) refill();
    if (any_doubled_quotes_) {
        text_.assign(buffer_.data() + row_begin_, row_end_ - row_begin_);
        remove_doubled_quotes();
    }
    return true;
}

// Parses the row at begin_ into cells_ and moves begin_ behind it; leaves everything else as it is when the
// block ends first.
csv_reader::parse_result csv_reader::parse_row() {
    char* const base = buffer_.data();
    char* const last = base + end_;
    *last = '\n';  // stops every search; only at_end_ makes it a line end
    cells_.clear();
    any_doubled_quotes_ = false;
    row_line_ = next_line_;
    std::uint32_t line_breaks = 0;
    const char* next = base + begin_;
    for (;;) {
        cell_place place{static_cast<std::uint32_t>(next - base), 0, line_breaks, false};
        if (*next == '"' && next != last) {
            next = parse_quoted(next, place, line_breaks);
            if (next == nullptr) return parse_result::incomplete;
        } else {
            while (!ends_plain_cell_[static_cast<unsigned char>(*next)]) ++next;
            place.end = static_cast<std::uint32_t>(next - base);
        }
        if (next == last && !at_end_) return parse_result::incomplete;
        cells_.push_back(place);
        if (next != last && *next == options_.delimiter) {
            if (cells_.size() == (expected_cells_ == 0 ? most_columns : expected_cells_)) {
                fail_line(row_line_, fmt::format("has more than {} cells, {}", cells_.size(),
                                                 expected_cells_ == 0 ? "the most that a row may have"
                                                                      : "the number in the first row"));
            }
            ++next;
            continue;
        }
        row_end_ = static_cast<std::size_t>(next - base);
        if (next == last) break;
        // CR LF is one line end; whether an LF follows a CR at the end of the block is not known yet.
        if (*next == '\r' && next + 1 == last && !at_end_) return parse_result::incomplete;
        line_end_ = *next == '\n' ? "\n" : next + 1 != last && next[1] == '\n' ? "\r\n" : "\r";
        next += line_end_.size();
        break;
    }
    if (expected_cells_ != 0 && cells_.size() != expected_cells_) {
        fail_line(row_line_,
                  fmt::format("has {} cells, the first row has {}", cells_.size(), expected_cells_));
    }
    const auto consumed = static_cast<std::size_t>(next - base);
    if (expected_cells_ == 0 && !options_.header) return parse_result::row;  // start() only counts the cells
    row_begin_ = begin_;
    begin_ = consumed;
    next_line_ += line_breaks + 1u;
    return parse_result::row;
}

// Returns what follows the closing quote, null when the block ends first.
const char* csv_reader::parse_quoted(const char* first, cell_place& place, std::uint32_t& line_breaks) {
    const char* const base = buffer_.data();
    const char* const last = base + end_;
    const char* next = first + 1;
    place.begin = static_cast<std::uint32_t>(next - base);
    std::uint32_t breaks = 0;
    for (;;) {
        const auto* quote =
            static_cast<const char*>(std::memchr(next, '"', static_cast<std::size_t>(last - next)));
        if (quote == nullptr || (quote + 1 == last && !at_end_)) {
            if (!at_end_) return nullptr;
            fail_line(row_line_ + line_breaks,
                      fmt::format("column {}: a quoted cell that nothing closes", cells_.size() + 1));
        }
        for (; next != quote; ++next) {
            breaks += *next == '\n' || (*next == '\r' && next[1] != '\n');
        }
        ++next;
        if (next != last && *next == '"') {
            place.doubled_quotes = any_doubled_quotes_ = true;
            ++next;
            continue;
        }
        place.end = static_cast<std::uint32_t>(quote - base);
        break;
    }
    if (next != last && !ends_plain_cell_[static_cast<unsigned char>(*next)]) {
        fail_line(row_line_ + line_breaks,
                  fmt::format("column {}: text after the closing quote", cells_.size() + 1));
    }
    line_breaks += breaks;
    return next;
}

void csv_reader::remove_doubled_quotes() {
    for (cell_place& place : cells_) {
        if (!place.doubled_quotes) continue;
        char* to = buffer_.data() + place.begin;
        for (const char *from = to, *end = buffer_.data() + place.end; from != end; ++from) {
            *to++ = *from;
            if (*from == '"') ++from;
        }
        place.end = static_cast<std::uint32_t>(to - buffer_.data());
    }
}

// Moves the unread bytes to the front and reads more behind them; false when the source has ended.
bool csv_reader::refill() {
    if (at_end_) return false;
    const std::size_t unread = end_ - begin_;
    if (begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, unread);
    begin_ = 0;
    end_ = unread;
    if (unread + 1 == buffer_.size()) {
        if (unread >= longest_row) {
            fail_line(next_line_, fmt::format("starts a row longer than {} MiB; is a quote not closed?",
                                              longest_row >> 20));
        }
        buffer_.resize(2 * unread + 1);
    }
    const std::size_t got = source_.read(buffer_.data() + end_, buffer_.size() - 1 - end_);
    at_end_ = got == 0;
    end_ += got;
    bytes_ += got;
    return got > 0;
}

bool csv_reader::only_blank_lines_left() {
    for (;;) {
        while (begin_ < end_ && is_line_end(buffer_[begin_])) ++begin_;
        if (begin_ < end_) return false;
        if (!refill()) return true;
    }
}

void csv_reader::fail_line(std::uint64_t line, std::string_view problem) const {
    fail(source_.name(),
         fmt::format("line {}{} {}", line, problem.starts_with("column") ? "," : "", problem));
}

void csv_reader::fail_cell(std::size_t column, std::string_view problem) const {
    fail(source_.name(),
         fmt::format("line {}, column {} ({}): {}", row_line_ + cells_[column].line, column + 1,
                     names_[column].empty() ? "no name" : printable(names_[column]), problem));
}

void csv_reader::fail_cell(std::size_t column, number_problem problem) const {
    switch (problem) {
        case number_problem::empty:
            fail_cell(column, "the cell is empty; expected a number");
        case number_problem::out_of_range:
            fail_cell(column, in_quotes(cell(column)) + " is beyond the range of float64");
        default:
            fail_cell(column, in_quotes(cell(column)) + " is not a number");
    }
}

}  // namespace upsweep::cli
