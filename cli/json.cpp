// JSON text (RFC 8259). Bytes that are not UTF-8, which file names may hold, become U+FFFD.
#include "cli/json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <complex>

#include "cli/io/utf8.hpp"

namespace upsweep::cli {
void json_writer::separate() {
    if (separator_) out_ += ", ";
    separator_ = true;
}
json_writer& json_writer::open(char bracket) {
    separate();
    out_ += bracket;
    separator_ = false;
    return *this;
}
json_writer& json_writer::close(char bracket) {
    out_ += bracket;
    separator_ = true;
    return *this;
}
json_writer& json_writer::raw(std::string_view words) {
    separate();
    out_ += words;
    return *this;
}

json_writer& json_writer::key(std::string_view name) {
    text(name);
    out_ += ": ";
    separator_ = false;
    return *this;
}

json_writer& json_writer::text(std::string_view words) {
    separate();
    out_ += '"';
    while (!words.empty()) {
        const std::size_t length = utf8_length(words);
        const char first = words.front();
        if (length == 0)
            out_ += "\\ufffd";
        else if (first == '"' || first == '\\')
            (out_ += '\\') += first;
        else if (static_cast<unsigned char>(first) < 0x20)
            out_ += fmt::format("\\u{:04x}", static_cast<unsigned>(first));
        else
            out_ += words.substr(0, length);
        words.remove_prefix(length == 0 ? 1 : length);
    }
    out_ += '"';
    return *this;
}

json_writer& json_writer::number(double value) {
    if (std::isnan(value)) return text("nan");
    if (std::isinf(value)) return text(value > 0 ? "inf" : "-inf");
    return raw(fmt::format("{}", value));
}
json_writer& json_writer::integer(std::uint64_t value) { return raw(fmt::format("{}", value)); }
json_writer& json_writer::boolean(bool value) { return raw(value ? "true" : "false"); }
json_writer& json_writer::null() { return raw("null"); }

json_writer& json_writer::element(const registry::value& value) {
    const auto finite = [&](const std::string& words) {
        return words.find_first_of("ni") == std::string::npos ? &json_writer::raw : &json_writer::text;
    };
    if (registry::is_complex_type(value.type())) {
        const bool single = value.type() == registry::dtype::complex64;
        const std::complex<double> held =
            single ? std::complex<double>(value.as<std::complex<float>>()) : value.as<std::complex<double>>();
        const auto part = [&](double both) {
            const std::string words =
                single ? fmt::format("{}", static_cast<float>(both)) : fmt::format("{}", both);
            (this->*finite(words))(words);
        };
        begin_array();
        part(held.real());
        part(held.imag());
        return end_array();
    }
    if (value.type() == registry::dtype::bool8) return boolean(value.as<bool>());
    const std::string words = registry::format_value(value);
    return (this->*finite(words))(words);
}

}  // namespace upsweep::cli
