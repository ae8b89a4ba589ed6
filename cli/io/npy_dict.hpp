// The dictionary in a .npy header, a Python literal: any key order, spacing, quoting and trailing commas.
#pragma once

#include <string>
#include <string_view>

#include "cli/io/array_file.hpp"

namespace upsweep::cli {

// Throws upsweep::error with `file` in front and the 1-based position in the dictionary where it helps.
[[nodiscard]] array_header parse_npy_dict(std::string_view text, const std::string& file);

}  // namespace upsweep::cli
