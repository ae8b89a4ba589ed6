// UTF-8 (RFC 3629).
#pragma once

#include <cstddef>
#include <string_view>

namespace upsweep::cli {

// Bytes of the well-formed sequence at the front of `text`, which is not empty, or 0.
[[nodiscard]] std::size_t utf8_length(std::string_view text);

}  // namespace upsweep::cli
