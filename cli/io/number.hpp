// Decimal text to numbers: int64 where that is exact, otherwise double; and columns of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace upsweep::cli {

struct csv_number {
    bool integer = false;
    std::int64_t whole = 0;  // integer
    double real = 0;         // always: the nearest double
};

enum class number_problem { none, empty, not_a_number, out_of_range };

// The whole of `text` but for spaces and tabs around it: digits with an optional sign, fraction and exponent,
// or nan, inf, infinity in any case. Integers beyond int64 and "-0" become doubles. Correctly rounded; what
// rounds to infinity is out of range, what rounds to 0 is not.
[[nodiscard]] number_problem parse_number(std::string_view text, csv_number& value);

// The numbers of one column: int64 as long as all are integers, double from the first that is not.
class number_column {
  public:
    void add(const csv_number& number) {
        if (integers_only_ && number.integer) return integers_.push_back(number.whole);
        if (integers_only_) widen();
        reals_.push_back(number.real);
    }
    [[nodiscard]] bool integers_only() const { return integers_only_; }
    [[nodiscard]] std::size_t size() const { return integers_only_ ? integers_.size() : reals_.size(); }
    // One of the two holds everything, the other is empty.
    [[nodiscard]] std::span<const std::int64_t> integers() const { return integers_; }
    [[nodiscard]] std::span<const double> reals() const { return reals_; }
    // Forgets the numbers and keeps the type, for columns that are read block by block.
    void clear() {
        integers_.clear();
        reals_.clear();
    }
    // From here on, doubles; those there are converted.
    void widen();

  private:
    bool integers_only_ = true;
    std::vector<std::int64_t> integers_;
    std::vector<double> reals_;
};

}  // namespace upsweep::cli
