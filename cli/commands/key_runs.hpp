// Runs of rows with the same text in one column or several: where a group starts, and whether it did before.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cli/io/csv.hpp"

namespace upsweep::cli {

// Of the rows of a table, one after the other.
class key_runs {
  public:
    // `names` are those of the columns, of which there is one at least, for the note.
    key_runs(const csv_reader& table, std::vector<std::size_t> columns, std::vector<std::string> names)
        : table_(table), columns_(std::move(columns)), names_(std::move(names)), key_(columns_.size()) {}

    // Whether the table's current row starts a group. Of the first key that comes back after other ones a
    // note is written.
    bool starts();
    // The texts that the group of the current row has in common, one of each column.
    [[nodiscard]] const std::vector<std::string>& key() const { return key_; }

  private:
    [[nodiscard]] bool goes_on() const;

    const csv_reader& table_;
    std::vector<std::size_t> columns_;
    std::vector<std::string> names_;
    std::vector<std::string> key_;
    bool any_ = false;
    bool told_ = false;
    std::unordered_set<std::string> seen_;  // keys as one text each
};

}  // namespace upsweep::cli
