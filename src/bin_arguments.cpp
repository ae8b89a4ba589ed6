// What is said of bins that cannot be.
#include <array>
#include <charconv>
#include <string>

#include "upsweep/core/bin_arguments.hpp"
#include "upsweep/error.hpp"

namespace upsweep::detail {
namespace {

std::string text_of(double number) {
    std::array<char, 32> text;
    const auto [end, problem] = std::to_chars(text.data(), text.data() + text.size(), number);
    return problem == std::errc() ? std::string(text.data(), end) : std::string("?");
}

}  // namespace

void throw_range(const std::string& expected, double lo, double hi) {
    throw_error(errc::invalid_argument,
                "range: expected " + expected + ", but lo is " + text_of(lo) + " and hi is " + text_of(hi));
}
void throw_edges(std::size_t index) {
    throw_error(errc::invalid_argument, "edges: expected ascending numbers, but number " +
                                            std::to_string(index) + " is not at or above the one before");
}
void check_counts(const char* name, std::size_t counts, std::size_t expected) {
    if (counts == expected) return;
    throw_error(errc::invalid_argument, std::string(name) + ": expected " + std::to_string(expected) +
                                            " elements for these bins, but it has " + std::to_string(counts));
}

}  // namespace upsweep::detail
