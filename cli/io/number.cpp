// Numbers of cells by std::from_chars, which knows no locale and rounds correctly.
#include "cli/io/number.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <system_error>

namespace upsweep::cli {
namespace {

bool is_blank(char character) { return character == ' ' || character == '\t'; }

}  // namespace

number_problem parse_number(std::string_view text, csv_number& value) {
    const char* first = text.data();
    const char* last = first + text.size();
    while (first != last && is_blank(*first)) ++first;
    while (first != last && is_blank(last[-1])) --last;
    if (first == last) return number_problem::empty;
    // from_chars takes no plus sign; "+-1" is no number.
    if (*first == '+' && last - first > 1 && first[1] != '-') ++first;

    const auto [integer_end, integer_code] = std::from_chars(first, last, value.whole);
    if (integer_end == last && integer_code == std::errc() && !(value.whole == 0 && *first == '-')) {
        value.integer = true;
        value.real = static_cast<double>(value.whole);
        return number_problem::none;
    }
    value.integer = false;
    value.whole = 0;
    const auto [real_end, real_code] = std::from_chars(first, last, value.real);
    if (real_end != last || last[-1] == ')') return number_problem::not_a_number;  // nan(...) too
    if (real_code == std::errc()) return number_problem::none;
    if (real_code != std::errc::result_out_of_range) return number_problem::not_a_number;
    // from_chars does not tell an overflow from an underflow. The text has no sign, space or hexadecimal form
    // that strtod would read otherwise; the command line never leaves the "C" locale.
    value.real = std::strtod(std::string(first, last).c_str(), nullptr);
    return std::isinf(value.real) ? number_problem::out_of_range : number_problem::none;
}

void number_column::widen() {
    if (!integers_only_) return;
    integers_only_ = false;
    reals_.assign(integers_.begin(), integers_.end());
    integers_.clear();
    integers_.shrink_to_fit();
}

}  // namespace upsweep::cli
