// Names of what is open already: - and /dev/stdout, /dev/fd/3, and what a shell puts in the place of
// >(command).
#pragma once

#include <optional>
#include <string>

#include <unistd.h>

namespace upsweep::cli {

// The descriptor that the name of an output leads to: 1 for "-", N where links end at /proc/self/fd/N. It is
// to be written to as it is: opening the name would start a file from its beginning, and a pipe has none.
[[nodiscard]] std::optional<int> descriptor_of(const std::string& output);

[[nodiscard]] inline bool is_standard_output(const std::string& output) {
    return descriptor_of(output) == STDOUT_FILENO;
}

}  // namespace upsweep::cli
