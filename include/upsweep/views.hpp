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

// A number between braces, of any integer type, so that {n, 3} is a shape whatever n is: what does not fit
// becomes negative, and is no extent.
class any_integer {
  public:
    template <std::integral Integer>
    constexpr any_integer(Integer number) : number_(static_cast<std::int64_t>(number)) {}
    [[nodiscard]] constexpr std::int64_t number() const { return number_; }

  private:
    std::int64_t number_;
};

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
            // Without elements the extents may be any; a stride that 64 bits do not hold is 0 then.
            if (__builtin_mul_overflow(stride, std::max<std::int64_t>(1, shape_[k]), &stride)) stride = 0;
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
    strided_view(T* data, std::initializer_list<any_integer> shape)
        : strided_view(data, std::span<const std::int64_t>(numbers(shape))) {}
    strided_view(T* data, std::initializer_list<any_integer> shape,
                 std::initializer_list<any_integer> strides)
        : strided_view(data, std::span<const std::int64_t>(numbers(shape)),
                       std::span<const std::int64_t>(numbers(strides))) {}

    [[nodiscard]] T* data() const { return data_; }
    [[nodiscard]] std::size_t rank() const { return rank_; }
    [[nodiscard]] std::span<const std::int64_t> shape() const { return {shape_.data(), rank_}; }
    [[nodiscard]] std::span<const std::int64_t> strides() const { return {strides_.data(), rank_}; }
    [[nodiscard]] std::int64_t size() const {
        if (std::ranges::find(shape(), 0) != shape().end()) return 0;
        std::int64_t product = 1;
        for (const std::int64_t extent : shape()) product *= extent;
        return product;
    }

  private:
    static std::vector<std::int64_t> numbers(std::initializer_list<any_integer> list) {
        std::vector<std::int64_t> made;
        made.reserve(list.size());
        for (const any_integer& one : list) made.push_back(one.number());
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
