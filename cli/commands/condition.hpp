// Conditions as they are typed: x < 5, wind >= 2.5, "temp max" != 0.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "registry/chooser.hpp"

namespace upsweep::cli {

struct where_condition {
    std::string text;     // x < 5, for reports
    std::string words;    // the same as typed, with the option, for messages: --where "x < 5"
    std::string name;     // of a column; x for what is compared without a name
    bool quoted = false;  // the name stood in double quotes
    registry::condition test{};

    // What the whole is about, or --column.
    [[nodiscard]] bool is_x() const { return name == "x" && !quoted; }
};

// NAME OP NUMBER, with OP one of < <= == != >= > and blanks anywhere between them. A name in double quotes
// has its own doubled; one without ends at OP. The number is text until the type is known that it is compared
// in. Throws usage_error.
[[nodiscard]] where_condition parse_where(const std::string& text);
// x < number, as --pivot means it.
[[nodiscard]] where_condition pivot_condition(const std::string& number);

// Throws usage_error, naming the option, if elements of that type cannot be compared so.
[[nodiscard]] std::unique_ptr<registry::chooser> make_chooser(const registry::device& device,
                                                              registry::dtype type,
                                                              const std::vector<where_condition>& conditions);

}  // namespace upsweep::cli
