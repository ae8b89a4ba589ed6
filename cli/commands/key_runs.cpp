// Keys compared with the one before, and remembered.
#include "cli/commands/key_runs.hpp"

#include <fmt/format.h>

#include "cli/commands/file_arguments.hpp"
#include "cli/io/message.hpp"

namespace upsweep::cli {
namespace {

// Distinct keys remembered to notice one that comes back.
constexpr std::size_t most_remembered_keys = 100'000;

}  // namespace

bool key_runs::starts() {
    const std::string_view key = table_.cell(column_);
    if (any_ && key == key_) return false;
    any_ = true;
    key_ = key;
    if (told_ || seen_.size() >= most_remembered_keys || seen_.insert(key_).second) return true;
    told_ = true;
    say(fmt::format(
        "upsweep: note: {}, line {}: {} comes back after other values of {}; that starts a new group "
        "(upsweep sort --text puts the rows of a value together)",
        table_.source().name(), table_.line(), in_quotes(key_), column_words(name_)));
    return true;
}

}  // namespace upsweep::cli
