// Strided views of n-dimensional arrays, as NumPy and every array library lay them out.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "upsweep/error.hpp"

namespace upsweep {

// The most dimensions of a view.
inline constexpr std::size_t max_rank = 64;

// element(i0, i1, ...) = data[i0 * strides[0] + i1 * strides[1] + ...]. Strides count elements and may be
// negative or, for what is only read, zero. Owns nothing.
template <class T>
class strided_view {
  public:
    // C order: the last index runs fastest.
    strided_view(T* data, std::span<const std::int64_t> shape) : strided_view(data, shape, {}, 0) {
        std::int64_t stride = 1;
        for (std::size_t k = rank_; k-- != 0;) {
            strides_[k] = stride;
            stride *= std::max<std::int64_t>(1, shape_[k]);
        }
    }
    strided_view(T* data, std::span<const std::int64_t> shape, std::span<const std::int64_t> strides)
        : strided_view(data, shape, strides, 0) {
        if (strides.size() != shape.size()) {
            throw_error(errc::invalid_argument, "strides: expected " + std::to_string(shape.size()) +
                                                    ", one a dimension, but there are " +
                                                    std::to_string(strides.size()));
        }
    }
    strided_view(T* data, std::initializer_list<std::int64_t> shape)
        : strided_view(data, std::span(shape.begin(), shape.size())) {}
    strided_view(T* data, std::initializer_list<std::int64_t> shape,
                 std::initializer_list<std::int64_t> strides)
        : strided_view(data, std::span(shape.begin(), shape.size()),
                       std::span(strides.begin(), strides.size())) {}
    // Extents of one unsigned type, such as std::size_t.
    template <std::unsigned_integral Extent>
    strided_view(T* data, std::initializer_list<Extent> shape)
        : strided_view(data, std::span<const std::int64_t>(extents(shape))) {}
    template <std::unsigned_integral Extent>
    strided_view(T* data, std::initializer_list<Extent> shape, std::initializer_list<std::int64_t> strides)
        : strided_view(data, std::span<const std::int64_t>(extents(shape)),
                       std::span(strides.begin(), strides.size())) {}

    [[nodiscard]] T* data() const { return data_; }
    [[nodiscard]] std::size_t rank() const { return rank_; }
    [[nodiscard]] std::span<const std::int64_t> shape() const { return {shape_.data(), rank_}; }
    [[nodiscard]] std::span<const std::int64_t> strides() const { return {strides_.data(), rank_}; }
    [[nodiscard]] std::int64_t size() const {
        std::int64_t product = 1;
        for (const std::int64_t extent : shape()) product *= extent;
        return product;
    }

  private:
    // What does not fit becomes negative, and is refused as that.
    template <class Extent>
    static std::vector<std::int64_t> extents(std::initializer_list<Extent> shape) {
        std::vector<std::int64_t> made;
        for (const Extent extent : shape) made.push_back(static_cast<std::int64_t>(extent));
        return made;
    }

    strided_view(T* data, std::span<const std::int64_t> shape, std::span<const std::int64_t> strides, int)
        : data_(data), rank_(shape.size()) {
        if (rank_ > max_rank) {
            throw_error(errc::invalid_argument, "shape: " + std::to_string(rank_) + " dimensions; at most " +
                                                    std::to_string(max_rank));
        }
        bool empty = false;
        for (const std::int64_t extent : shape) {
            if (extent < 0)
                throw_error(errc::invalid_argument,
                            "shape: a dimension is negative: " + std::to_string(extent));
            empty = empty || extent == 0;
        }
        std::int64_t product = 1;
        for (const std::int64_t extent : shape) {
            if (!empty && __builtin_mul_overflow(product, extent, &product)) {
                throw_error(errc::invalid_argument, "shape: the number of elements does not fit 64 bits");
            }
        }
        std::ranges::copy(shape, shape_.begin());
        std::ranges::copy(strides.first(std::min(strides.size(), rank_)), strides_.begin());
    }

    T* data_;
    std::size_t rank_;
    std::array<std::int64_t, max_rank> shape_{};
    std::array<std::int64_t, max_rank> strides_{};
};

}  // namespace upsweep
