// The library's error category and its one throwing function.
#include "upsweep/error.hpp"

namespace upsweep {
namespace {

class category final : public std::error_category {
  public:
    [[nodiscard]] const char* name() const noexcept override { return "upsweep"; }
    [[nodiscard]] std::string message(int code) const override {
        switch (static_cast<errc>(code)) {
            case errc::invalid_argument:
                return "invalid argument";
            case errc::out_of_memory:
                return "out of memory";
            case errc::io:
                return "input or output failed";
            case errc::unsupported:
                return "not supported here";
            case errc::device:
                return "device failure";
        }
        return "unknown error";
    }
};

}  // namespace

const std::error_category& error_category() noexcept {
    static const category instance;
    return instance;
}

std::error_code make_error_code(errc code) noexcept { return {static_cast<int>(code), error_category()}; }

error::error(errc code, const std::string& message)
    : std::system_error(make_error_code(code), message), message_(message) {}

void throw_error(errc code, const std::string& message) { throw error(code, message); }

}  // namespace upsweep
