// A JSON writer for objects and arrays of a few levels, on one line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "registry/value.hpp"

namespace upsweep::cli {

// How elements are written, for help pages.
inline constexpr const char* json_numbers =
    "Numbers stand in the shortest form that reads back the same; nan, inf and -inf are texts, bool is "
    "true or false, and a complex number is [real, imaginary].";

class json_writer {
  public:
    json_writer& begin_object() { return open('{'); }
    json_writer& end_object() { return close('}'); }
    json_writer& begin_array() { return open('['); }
    json_writer& end_array() { return close(']'); }
    json_writer& key(std::string_view name);

    json_writer& text(std::string_view words);
    json_writer& number(double value);  // what is not finite becomes the text "nan", "inf" or "-inf"
    json_writer& integer(std::uint64_t value);
    json_writer& boolean(bool value);
    json_writer& null();
    // As json_numbers has it.
    json_writer& element(const registry::value& value);

    [[nodiscard]] const std::string& result() const { return out_; }

  private:
    json_writer& open(char bracket);
    json_writer& close(char bracket);
    json_writer& raw(std::string_view words);
    void separate();

    std::string out_;
    bool separator_ = false;  // whether a comma stands before the next value
};

}  // namespace upsweep::cli
