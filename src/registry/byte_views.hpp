// Arrays of run-time types as views of bytes, whose strides tell the element sizes too: for checks of where
// they lie.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "registry/dtype.hpp"
#include "registry/scanner.hpp"
#include "upsweep/error.hpp"
#include "upsweep/views.hpp"

namespace upsweep::registry {

// Shape or strides, of as many dimensions as there may be.
class dimensions {
  public:
    void push(std::int64_t number) { numbers_.at(count_++) = number; }
    [[nodiscard]] std::span<const std::int64_t> all() const { return {numbers_.data(), count_}; }

  private:
    std::array<std::int64_t, max_rank> numbers_{};
    std::size_t count_ = 0;
};

// Throws upsweep::error (invalid_argument) unless there is a stride for each dimension, and not too many.
inline void check_strides(const axis_layout& layout) {
    const std::size_t rank = layout.shape.size();
    if (layout.in_strides.size() != rank || layout.out_strides.size() != rank) {
        throw_error(errc::invalid_argument,
                    "strides: expected " + std::to_string(rank) + ", one a dimension");
    }
    if (rank > max_rank) {
        throw_error(errc::invalid_argument,
                    "shape: " + std::to_string(rank) + " dimensions; at most " + std::to_string(max_rank));
    }
}

template <class Byte>
strided_view<Byte> byte_view(Byte* data, std::span<const std::int64_t> shape,
                             std::span<const std::int64_t> strides, dtype type) {
    dimensions in_bytes;
    for (const std::int64_t stride : strides)
        in_bytes.push(stride * static_cast<std::int64_t>(size_of(type)));
    return {data, shape, in_bytes.all()};
}

}  // namespace upsweep::registry
