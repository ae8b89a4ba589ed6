// Keys compared with the one before, and remembered.
#include "cli/commands/key_runs.hpp"

#include <fmt/format.h>

#include "cli/commands/file_arguments.hpp"
#include "cli/io/message.hpp"

namespace upsweep::cli {
namespace {

// Distinct keys remembered to notice one that comes back.
constexpr std::size_t most_remembered_keys = 100'000;

// No two keys have the same text.
std::string text_of(const std::vector<std::string>& key) {
    std::string text;
    for (const std::string& part : key) text += fmt::format("{} {}", part.size(), part);
    return text;
}

}  // namespace

bool key_runs::goes_on() const {
    for (std::size_t k = 0; k < columns_.size(); ++k)
        if (table_.cell(columns_[k]) != key_[k]) return false;
    return any_;
}

bool key_runs::starts() {
    if (goes_on()) return false;
    any_ = true;
    for (std::size_t k = 0; k < columns_.size(); ++k) key_[k] = table_.cell(columns_[k]);
    if (told_ || seen_.size() >= most_remembered_keys || seen_.insert(text_of(key_)).second) return true;
    told_ = true;
    std::string words;
    for (const std::string& part : key_) words += (words.empty() ? "" : ", ") + in_quotes(part);
    say(fmt::format(
        "upsweep: note: {}, line {}: {} comes back after other values of {}; that starts a new group "
        "(upsweep sort --text puts the rows of a value together)",
        table_.source().name(), table_.line(), words, column_words(names_)));
    return true;
}

}  // namespace upsweep::cli
