// Numbers from and to text by <charconv>, which neither locale nor rounding mode can disturb.
#include "registry/value.hpp"

#include <charconv>
#include <cmath>
#include <optional>
#include <type_traits>

#include "registry/visit.hpp"
#include "upsweep/error.hpp"

namespace upsweep::registry {
namespace {

[[noreturn]] void fail(std::string_view text, dtype type, const char* problem) {
    std::string message(1, '"');
    message.append(text.substr(0, 60)).append("\" ").append(problem).append(" ").append(name(type));
    throw_error(errc::invalid_argument, message);
}

// The number at the front of `text`, which is then removed.
template <class T>
std::errc take_number(std::string_view& text, T& number) {
    std::string_view rest = text;
    if (rest.size() > 1 && rest.front() == '+' && rest[1] != '-' && rest[1] != '+') rest.remove_prefix(1);
    const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (problem == std::errc()) text = rest.substr(static_cast<std::size_t>(end - rest.data()));
    return problem;
}

template <class T>
T parse_number(std::string_view text, dtype type) {
    std::string_view rest = text;
    T number{};
    const std::errc problem = take_number(rest, number);
    if (problem == std::errc::result_out_of_range) fail(text, type, "does not fit");
    if (problem != std::errc() || !rest.empty()) fail(text, type, "is not a value of type");
    return number;
}

// real, imaginary ("2j"), or both ("1.5-2j").
template <class T>
std::complex<T> parse_complex(std::string_view text, dtype type) {
    std::string_view rest = text;
    T parts[2] = {};
    for (int taken = 0; !rest.empty(); ++taken) {
        T number{};
        const std::errc problem = taken < 2 ? take_number(rest, number) : std::errc::invalid_argument;
        if (problem == std::errc::result_out_of_range) fail(text, type, "does not fit");
        if (problem != std::errc()) fail(text, type, "is not a value of type");
        if (rest == "j") {
            parts[1] = number;
            return {parts[0], parts[1]};
        }
        if (taken == 0) parts[0] = number;
        if (rest.empty() && taken == 0) return {parts[0], T(0)};
        if (!rest.empty() && rest.front() != '+' && rest.front() != '-') break;
    }
    fail(text, type, "is not a value of type");
}

template <class T>
std::string format_number(T number) {
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(number)) return "nan";
    }
    char buffer[64];
    const auto [end, problem] = std::to_chars(buffer, buffer + sizeof buffer, number);
    return {buffer, end};
}

}  // namespace

value parse_value(std::string_view text, dtype type) {
    return visit_type(type, [&]<class T>(std::type_identity<T>) {
        if constexpr (std::is_same_v<T, bool>) {
            if (text == "1" || text == "true" || text == "True") return value::of(type, true);
            if (text == "0" || text == "false" || text == "False") return value::of(type, false);
            fail(text, type, "is not a value of type");
            return value();
        } else if constexpr (is_complex<T>) {
            return value::of(type, parse_complex<typename T::value_type>(text, type));
        } else if constexpr (is_half<T>) {
            return value::of(type, T(parse_number<float>(text, type)));
        } else {
            return value::of(type, parse_number<T>(text, type));
        }
    });
}

std::string format_value(const value& element) { return format_value(element.type(), element.data()); }

std::string format_value(dtype type, const void* element) {
    return visit_type(type, [&]<class T>(std::type_identity<T>) -> std::string {
        T held;
        std::memcpy(static_cast<void*>(&held), element, sizeof(T));
        if constexpr (std::is_same_v<T, bool>) {
            return held ? "true" : "false";
        } else if constexpr (is_complex<T>) {
            const std::string imaginary = format_number(held.imag());
            std::string both = format_number(held.real());
            if (imaginary.front() != '-') both += '+';
            return both.append(imaginary).append(1, 'j');
        } else if constexpr (is_half<T>) {
            return format_number(static_cast<float>(held));
        } else {
            return format_number(held);
        }
    });
}

}  // namespace upsweep::registry
