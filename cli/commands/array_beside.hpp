// A second array beside INPUT, which has a number for each of its elements: coefficients, or weights.
#pragma once

#include <string>

#include "cli/commands/file_arguments.hpp"
#include "cli/io/array_file.hpp"

namespace upsweep::cli {

struct array_beside {
    const char* option;  // that names it
    const char* what;    // "coefficients"
    std::string file;    // which may be standard input, if INPUT is not

    // Throws usage_error for what cannot be an array beside that of `arguments`.
    void check_name(const file_arguments& arguments) const;
    // For elements like these. Raw numbers have their type, and where they are raw too, their byte order.
    [[nodiscard]] array_reader open(const file_arguments& arguments, const array_header& elements) const;
    // Throws upsweep::error unless the two have equal shapes, where both are .npy, or else equal counts,
    // where both are known.
    void check(const file_arguments& arguments, const array_reader& elements,
               const array_reader& beside) const;
    // For counts that were not known before all was read.
    [[noreturn]] void fail_count(const char* fewer_or_more, const array_reader& elements,
                                 const array_reader& beside) const;

    [[nodiscard]] file_format format(const file_arguments& arguments) const;
};

}  // namespace upsweep::cli
