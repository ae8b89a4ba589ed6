// Shortening and escaping of untrusted text for messages.
#include "cli/io/message.hpp"

#include <fmt/format.h>

#include <system_error>

namespace upsweep::cli {
namespace {

// Length of the UTF-8 sequence at the start of `text`, 0 where there is none.
std::size_t utf8_length(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text.front());
    const std::size_t length = lead >= 0xf0 && lead <= 0xf4 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
    if (length == 0 || lead > 0xf4 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
    }
    // C1 controls (U+0080 to U+009F) and the line separators U+2028, U+2029 would break the line.
    if (lead == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0) return 0;
    if (text.substr(0, 3) == "\xe2\x80\xa8" || text.substr(0, 3) == "\xe2\x80\xa9") return 0;
    return length;
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
    std::string result;
    std::size_t i = 0;
    while (i < text.size() && i < limit) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte >= 0x20 && byte < 0x7f) {
            result += text[i++];
        } else if (const std::size_t length = byte < 0x80 ? 0 : utf8_length(text.substr(i)); length > 0) {
            result += text.substr(i, length);
            i += length;
        } else {
            result += fmt::format("\\x{:02x}", byte);
            ++i;
        }
    }
    return i < text.size() ? result + "..." : result;
}

std::string quoted(std::string_view text, std::size_t limit) { return '"' + printable(text, limit) + '"'; }

std::string system_message(int error_number) { return std::generic_category().message(error_number); }

}  // namespace upsweep::cli
