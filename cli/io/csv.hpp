// Separated values after RFC 4180, row by row in bounded memory: quoted cells with separators, quotes and
// line breaks in them, LF, CRLF or CR line ends, a UTF-8 byte-order mark, a last line with or without its
// end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/io/byte_sink.hpp"
#include "cli/io/byte_source.hpp"
#include "cli/io/number.hpp"

namespace upsweep::cli {

// A row longer than this is a file without line ends, or with a quote that nothing closes.
inline constexpr std::size_t longest_row = std::size_t{16} << 20;  // bytes
inline constexpr std::size_t most_columns = std::size_t{1} << 16;

struct csv_options {
    char delimiter = ',';
    bool header = true;                              // otherwise the columns are named "1", "2", ...
    std::size_t block_bytes = std::size_t{1} << 20;  // read at a time; the buffer grows for longer rows only
};

// '\t' for names that end in .tsv or .tab, otherwise ','.
[[nodiscard]] char delimiter_of(std::string_view path);

class csv_reader {
  public:
    // Reads the column names. Every row must have as many cells; blank lines are legal only at the end.
    explicit csv_reader(byte_source source, csv_options options = {});

    [[nodiscard]] const byte_source& source() const { return source_; }
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    // Index of the column of that name; throws, listing the names, when there is none or more than one.
    [[nodiscard]] std::size_t column(std::string_view name) const;

    // Advances to the next row; false at the end. Rows beyond longest_row are refused.
    bool next();
    // Cells of the current row, without quotes; valid until next().
    [[nodiscard]] std::string_view cell(std::size_t column) const {
        const cell_place& place = cells_[column];
        return {buffer_.data() + place.begin, place.end - place.begin};
    }
    // The current row as it is written, without its line end; the header's before the first next(). Valid
    // until next().
    [[nodiscard]] std::string_view row_text() const {
        if (any_doubled_quotes_) return text_;
        return {buffer_.data() + row_begin_, row_end_ - row_begin_};
    }
    // LF, CRLF or CR, as the current row ends; a last one without a line end has that of the row before.
    [[nodiscard]] std::string_view line_end() const { return line_end_; }
    // Throws with line, column and name when the cell is empty or no number.
    [[nodiscard]] csv_number number(std::size_t column) const {
        csv_number value;
        const number_problem problem = parse_number(cell(column), value);
        if (problem != number_problem::none) fail_cell(column, problem);
        return value;
    }
    // "line 17, column 3 (close): " and `problem`, thrown with the name of the source in front.
    [[noreturn]] void fail_cell(std::size_t column, std::string_view problem) const;

    // 1-based line where the current row starts.
    [[nodiscard]] std::uint64_t line() const { return row_line_; }
    // Rows delivered so far, without the header.
    [[nodiscard]] std::uint64_t rows() const { return rows_; }
    // Bytes of the source consumed so far, for progress bars.
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
    // Back to the first row; needs source().seekable().
    void rewind();

  private:
    struct cell_place {
        std::uint32_t begin;  // in buffer_
        std::uint32_t end;
        std::uint32_t line;  // line breaks between the start of the row and the cell
        bool doubled_quotes;
    };
    enum class parse_result { row, incomplete };

    void start();
    bool read_row();
    parse_result parse_row();
    const char* parse_quoted(const char* first, cell_place& place, std::uint32_t& line_breaks);
    bool refill();
    void remove_doubled_quotes();
    bool only_blank_lines_left();
    [[noreturn]] void fail_cell(std::size_t column, number_problem problem) const;
    [[noreturn]] void fail_line(std::uint64_t line, std::string_view problem) const;

    byte_source source_;
    csv_options options_;
    std::vector<std::string> names_;
    std::array<bool, 256> ends_plain_cell_{};
    std::vector<char> buffer_;  // [begin_, end_) is unread; one more char holds a sentinel
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    bool at_end_ = false;  // the source has no more
    std::vector<cell_place> cells_;
    std::size_t expected_cells_ = 0;  // 0: not known yet
    bool any_doubled_quotes_ = false;
    std::size_t row_begin_ = 0;  // in buffer_
    std::size_t row_end_ = 0;
    std::string text_;  // with doubled quotes, which are removed in buffer_: the row before that
    std::string_view line_end_ = "\n";
    std::uint64_t row_line_ = 0;
    std::uint64_t next_line_ = 1;
    std::uint64_t rows_ = 0;
    std::uint64_t bytes_ = 0;
};

// Cells are quoted where the reader would otherwise see something else.
class csv_writer {
  public:
    explicit csv_writer(byte_sink& output, char delimiter = ',') : output_(output), delimiter_(delimiter) {}

    void cell(std::string_view text);
    void cell(std::int64_t value);
    void cell(std::uint64_t value);
    // The shortest decimal that reads back as the same number; nan, inf, -inf.
    void cell(float value);
    void cell(double value);
    void end_row(std::string_view line_end = "\n");

  private:
    void separate();
    template <class Number>
    void number_cell(Number value);

    byte_sink& output_;
    char delimiter_;
    bool row_started_ = false;
    bool lone_empty_cell_ = false;  // written as "" so that the line is not blank
};

}  // namespace upsweep::cli
