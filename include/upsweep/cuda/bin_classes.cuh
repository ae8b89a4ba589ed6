// What says on a device to which bins elements belong: a function object that takes an element and returns
// its bin, or a number that is none.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "upsweep/bin_range.hpp"
#include "upsweep/cuda/combine.cuh"
#include "upsweep/cuda/device_span.hpp"

namespace upsweep::cuda {

// Bins between ascending edges in device memory, as bin_edges has them in the host's. Preconditions, which a
// device cannot report: two edges or more, ascending, none of them NaN.
template <core::ordered_number T>
struct device_edges {
    device_span<const T> edges;

    [[nodiscard]] constexpr std::size_t count() const { return edges.size() - 1; }
};

namespace detail {

// find_bin of a range, with what it needs of the range found out once.
template <class T>
class binning {
  public:
    explicit binning(const bin_range<T>& range) : range_(range) {}
    [[nodiscard]] __host__ __device__ std::uint32_t bins() const { return range_.count; }
    __device__ __forceinline__ std::uint32_t operator()(const T& x) const { return find_bin(range_, x); }

  private:
    bin_range<T> range_;
};

// Where nothing underflows, division is replaced by products with the reciprocal and two corrections by the
// remainder, which is exact: the second leaves the quotient rounded as division rounds it (Markstein,
// "Computation of elementary functions on the IBM RISC System/6000 processor", 1990). Quotients below 1/2
// need only stay below 1.
template <std::floating_point T>
requires(std::same_as<T, float> || std::same_as<T, double>) class binning<T> {
  public:
    explicit binning(const bin_range<T>& range)
        : range_(range), width_(range.hi - range.lo), times_(static_cast<T>(range.count)) {
        using limits = std::numeric_limits<T>;
        const int exponent = std::ilogb(width_);
        multiplies_ =
            exponent > limits::min_exponent + limits::digits + 3 && exponent < limits::max_exponent - 2;
        if (multiplies_) reciprocal_ = T(1) / width_;
    }
    [[nodiscard]] __host__ __device__ std::uint32_t bins() const { return range_.count; }

    __device__ __forceinline__ std::uint32_t operator()(const T& x) const {
        return multiplies_ ? bin_of<true>(x) : bin_of<false>(x);
    }
    // use(f) with one of two functions, so that what is done for many elements asks once which.
    template <class Use>
    __device__ __forceinline__ void in_one_way(const Use& use) const {
        if (multiplies_)
            use([this](const T& x) { return bin_of<true>(x); });
        else
            use([this](const T& x) { return bin_of<false>(x); });
    }

  private:
    template <bool Multiplies>
    __device__ __forceinline__ std::uint32_t bin_of(const T& x) const {
        const T product = (x - range_.lo) * times_;
        T quotient;
        if constexpr (Multiplies) {
            quotient = product * reciprocal_;
            quotient = fma(fma(-quotient, width_, product), reciprocal_, quotient);
            quotient = fma(fma(-quotient, width_, product), reciprocal_, quotient);
        } else {
            quotient = product / width_;
        }
        // Conversions saturate.
        std::uint32_t bin;
        if constexpr (std::same_as<T, float>)
            bin = __float2uint_rz(quotient);
        else
            bin = __double2uint_rz(quotient);
        bin = min(bin, range_.count - 1);
        if (!(x < range_.hi)) bin = range_.clamp ? range_.count - 1 : no_bin;
        if (x < range_.lo) bin = range_.clamp ? 0 : no_bin;
        return x != x ? no_bin : bin;
    }

    bin_range<T> range_;
    T width_, times_;
    T reciprocal_ = 0;
    bool multiplies_;
};

// floor(offset * count / width) in words of the type's size, or of 32 bits. With count = whole * width +
// part, offset * part / width is the upper word of offset * floor(2^bits part / width), or one more: the
// remainder, which is below 2 width, tells.
template <core::integer T>
class binning<T> {
    using word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    static constexpr int bits = 8 * sizeof(word);

  public:
    explicit binning(const bin_range<T>& range)
        : range_(range),
          width_(static_cast<word>(static_cast<word>(range.hi) - static_cast<word>(range.lo))) {
        whole_ = static_cast<std::uint32_t>(range.count / width_);
        part_ = static_cast<std::uint32_t>(range.count % width_);
        factor_ = static_cast<word>((static_cast<unsigned __int128>(part_) << bits) / width_);
    }
    [[nodiscard]] __host__ __device__ std::uint32_t bins() const { return range_.count; }

    __device__ __forceinline__ std::uint32_t operator()(const T& x) const {
        if (x < range_.lo) return range_.clamp ? 0 : no_bin;
        if (!(x < range_.hi)) return range_.clamp ? range_.count - 1 : no_bin;
        const word offset = static_cast<word>(x) - static_cast<word>(range_.lo);
        word quotient;
        bool more;
        if constexpr (sizeof(T) == 8) {
            quotient = __umul64hi(offset, factor_);
            const std::uint64_t product = offset * part_, multiple = quotient * width_;
            const std::uint64_t carried =
                __umul64hi(offset, part_) - __umul64hi(quotient, width_) - (product < multiple);
            more = carried != 0 || product - multiple >= width_;
        } else if constexpr (sizeof(T) == 4) {
            quotient = __umulhi(offset, factor_);
            more = std::uint64_t(offset) * part_ - std::uint64_t(quotient) * width_ >= width_;
        } else {
            quotient = __umulhi(offset, factor_);
            more = offset * part_ - quotient * width_ >= width_;
        }
        return static_cast<std::uint32_t>(offset) * whole_ + static_cast<std::uint32_t>(quotient) + more;
    }

  private:
    bin_range<T> range_;
    word width_, factor_;
    std::uint32_t whole_, part_;
};

template <class T>
class between {
  public:
    explicit between(const device_edges<T>& bins)
        : edges_(bins.edges.data()), last_(static_cast<std::uint32_t>(bins.count())) {}
    [[nodiscard]] __host__ __device__ std::uint32_t bins() const { return last_; }
    __device__ __forceinline__ std::uint32_t operator()(const T& x) const {
        return core::find_between(edges_, std::size_t(last_), x);
    }

  private:
    const T* edges_;
    std::uint32_t last_;
};

// What the bins of numbers are found by, for elements that are looked at as such.
template <class Element, class Find>
struct of_number {
    Find find;
    static constexpr bool asks_caller = false;
    [[nodiscard]] __host__ __device__ std::uint32_t bins() const { return find.bins(); }
    __device__ __forceinline__ std::uint32_t operator()(const Element& x) const {
        return find(convert<accumulator_type<Element>>(x));
    }
    template <class Use>
    __device__ __forceinline__ void in_one_way(const Use& use) const requires requires {
        find.in_one_way(use);
    }
    {
        find.in_one_way([&](const auto& find_in_one_way) {
            use([&](const Element& x) { return find_in_one_way(convert<accumulator_type<Element>>(x)); });
        });
    }
};
// What the caller's function says.
template <class Element, class F>
struct by_function {
    F f;
    std::uint32_t count;
    static constexpr bool asks_caller = true;
    [[nodiscard]] __host__ __device__ std::uint32_t bins() const { return count; }
    __device__ __forceinline__ std::uint32_t operator()(const Element& x) const {
        const auto bin = static_cast<std::uint64_t>(f(x));  // a negative one is huge
        return static_cast<std::uint32_t>(min(bin, std::uint64_t{count}));
    }
};

// use(f) with what says to which bins elements belong.
template <class Classes, class Use>
__device__ __forceinline__ void in_one_way(const Classes& classes, const Use& use) {
    if constexpr (requires { classes.in_one_way(use); })
        classes.in_one_way(use);
    else
        use(classes);
}

template <class Element, class T>
auto classes_of(const bin_range<T>& range) {
    return of_number<Element, binning<T>>{binning<T>(range)};
}
template <class Element, class T>
auto classes_of(const device_edges<T>& bins) {
    return of_number<Element, between<T>>{between<T>(bins)};
}

}  // namespace detail

}  // namespace upsweep::cuda
