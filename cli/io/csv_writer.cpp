// The CSV writer: quoting and shortest numbers.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "cli/io/csv.hpp"

namespace upsweep::cli {

void csv_writer::separate() {
    if (row_started_) output_.write(&delimiter_, 1);
    if (lone_empty_cell_) lone_empty_cell_ = false;
    row_started_ = true;
}

void csv_writer::cell(std::string_view text) {
    const bool first = !row_started_;
    separate();
    lone_empty_cell_ = first && text.empty();
    const char special[] = {delimiter_, '"', '\n', '\r'};
    const bool blank_ends = !text.empty() && (text.front() == ' ' || text.back() == ' ');
    if (!blank_ends &&
        text.find_first_of(std::string_view(special, sizeof special)) == std::string_view::npos) {
        return output_.write(text);
    }
    output_.write("\"");
    for (;;) {
        const std::size_t quote = text.find('"');
        output_.write(text.substr(0, quote));
        if (quote == std::string_view::npos) break;
        output_.write("\"\"");
        text.remove_prefix(quote + 1);
    }
    output_.write("\"");
}

template <class Number>
void csv_writer::number_cell(Number value) {
    separate();
    char text[32];  // the longest shortest double has 24 characters
    const auto [end, code] = std::to_chars(text, text + sizeof text, value);
    static_cast<void>(code);
    output_.write(text, static_cast<std::size_t>(end - text));
}

void csv_writer::cell(std::int64_t value) { number_cell(value); }
void csv_writer::cell(std::uint64_t value) { number_cell(value); }
void csv_writer::cell(float value) { std::isnan(value) ? cell(std::string_view("nan")) : number_cell(value); }
void csv_writer::cell(double value) {
    std::isnan(value) ? cell(std::string_view("nan")) : number_cell(value);
}

void csv_writer::end_row(std::string_view line_end) {
    if (lone_empty_cell_) output_.write("\"\"");
    output_.write(line_end);
    row_started_ = lone_empty_cell_ = false;
}

}  // namespace upsweep::cli
