// One-line error messages: which file, where, what. Text that comes from a file is shortened; no message
// moves a terminal's cursor or changes its colors.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

#include "upsweep/error.hpp"

namespace upsweep::cli {

// `text` between double quotes, at most `limit` bytes of it, control characters and bytes that are not ASCII
// or part of a plausible UTF-8 sequence as \xNN: in_quotes("a\nb") == "\"a\\x0ab\"".
[[nodiscard]] std::string in_quotes(std::string_view text, std::size_t limit = 60);
// The same without the quotes.
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 60);

// A line on standard error, printable whatever the names of files in it are. Where that cannot be written
// there is nobody to tell, and nothing happens.
void say(const std::string& words);

// The system's words for an errno value.
[[nodiscard]] std::string system_message(int error_number);

[[noreturn]] inline void fail(std::string_view file, std::string_view message) {
    throw_error(errc::io, std::string(file).append(": ").append(message));
}

[[noreturn]] inline void fail_errno(std::string_view file, std::string_view action, int error_number) {
    fail(file, std::string(action).append(": ").append(system_message(error_number)));
}

}  // namespace upsweep::cli
