// Runs of rows with the same text in a column: where a group starts, and whether it did before.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "cli/io/csv.hpp"

namespace upsweep::cli {

// Of the rows of a table, one after the other.
class key_runs {
  public:
    // `name` is that of the column, for the note.
    key_runs(const csv_reader& table, std::size_t column, std::string name)
        : table_(table), column_(column), name_(std::move(name)) {}

    // Whether the table's current row starts a group. Of the first key that comes back after other ones a
    // note is written.
    bool starts();
    // The text that the group of the current row has in common.
    [[nodiscard]] const std::string& key() const { return key_; }

  private:
    const csv_reader& table_;
    std::size_t column_;
    std::string name_;
    std::string key_;
    bool any_ = false;
    bool told_ = false;
    std::unordered_set<std::string> seen_;
};

}  // namespace upsweep::cli
