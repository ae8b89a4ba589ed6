// The one exception type of the library and the cold functions that throw it.
//
// Errors are found at the public boundary, before anything is written. Their text names the argument, what
// was expected and what came.
#pragma once

#include <string>
#include <system_error>

namespace upsweep {

// What went wrong: failure.code() == errc::io, say.
enum class errc {
    invalid_argument = 1,  // a size, stride, axis, offset or combination of options that has no meaning
    out_of_memory,         // scratch could not be allocated
    io,                    // reading or writing a file failed
    unsupported,           // this build or this machine lacks what was asked for
    device,                // a back end's device reported a failure
};

// The category named "upsweep"; its codes are those of `errc`.
[[nodiscard]] const std::error_category& error_category() noexcept;
// A code of that category.
[[nodiscard]] std::error_code make_error_code(errc code) noexcept;

// What the library throws.
class error : public std::system_error {
  public:
    error(errc code, const std::string& message);

    // The message alone, without the category's own words behind it.
    [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }

  private:
    std::string message_;
};

// For engines. Out of line, so that a check costs its caller one compare and one never-taken branch.
[[noreturn]] void throw_error(errc code, const std::string& message);

}  // namespace upsweep

template <>
struct std::is_error_code_enum<upsweep::errc> : std::true_type {};
