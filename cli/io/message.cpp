// Shortening and escaping of untrusted text for messages.
#include "cli/io/message.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <system_error>

#include "cli/io/utf8.hpp"

namespace upsweep::cli {
namespace {

// Bytes of the UTF-8 sequence at the front of `text` if it may stand in a line as it is, else 0.
std::size_t printable_length(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text.front());
    if (lead < 0x80) return lead >= 0x20 && lead != 0x7f ? 1 : 0;
    const std::size_t length = utf8_length(text);
    // C1 controls (U+0080 to U+009F) and the line separators U+2028, U+2029 would break the line.
    if (length == 2 && lead == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0) return 0;
    if (text.substr(0, 3) == "\xe2\x80\xa8" || text.substr(0, 3) == "\xe2\x80\xa9") return 0;
    return length;
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
    std::string result;
    std::size_t i = 0;
    while (i < text.size() && i < limit) {
        if (const std::size_t length = printable_length(text.substr(i)); length > 0) {
            result += text.substr(i, length);
            i += length;
        } else {
            result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i++]));
        }
    }
    return i < text.size() ? result + "..." : result;
}

std::string in_quotes(std::string_view text, std::size_t limit) { return '"' + printable(text, limit) + '"'; }

void say(const std::string& words) {
    std::fputs((printable(words, std::string::npos) + '\n').c_str(), stderr);
}

std::string system_message(int error_number) { return std::generic_category().message(error_number); }

}  // namespace upsweep::cli
