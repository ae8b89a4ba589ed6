// Where bytes go, one after the other.
#pragma once

#include <cstddef>
#include <string_view>

namespace upsweep::cli {

class byte_sink {
  public:
    // Appends. Every failure throws upsweep::error with file and reason.
    virtual void write(const void* data, std::size_t bytes) = 0;
    void write(std::string_view text) { write(text.data(), text.size()); }

  protected:
    ~byte_sink() = default;
};

}  // namespace upsweep::cli
