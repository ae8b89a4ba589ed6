// What says on a device to which bins elements belong: a function object that takes an element and returns
// its bin, or a number that is none.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
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

// Which cell a number is in: cells ascend with numbers (edge_cells.cuh).
template <class T>
struct alignas(16) cell_map {
    using word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

    T lowest, highest;  // edges that are finite
    T scale;            // cells a unit, where cells are intervals
    word base;          // else: the lowest edge's word, and how many words a cell has
    int shift;
    bool by_words;
    std::uint32_t last;  // cell

    __device__ void set_bounds(T low, T high) {
        lowest = low;
        highest = high;
    }
    // Unless `cells` intervals cannot be computed with: by words then.
    __device__ void use_intervals(std::uint32_t cells) {
        use_words(cells);
        if constexpr (std::floating_point<T>) {
            const T width = highest - lowest;
            scale = static_cast<T>(last) / width;
            by_words = !(width - width == 0 && scale - scale == 0);
        }
    }
    // `cells` is a power of two.
    __device__ void use_words(std::uint32_t cells) {
        last = cells - 1;
        base = word_of(lowest);
        const auto span = static_cast<unsigned long long>(word_of(highest) - base);
        shift = max(0, 64 - __clzll(static_cast<long long>(span)) - (31 - __clz(static_cast<int>(cells))));
        scale = T(0);
        by_words = true;
    }

    template <bool ByWords>
    __device__ __forceinline__ std::uint32_t cell_by(T x) const {
        const T inner = min(max(x, lowest), highest);  // of a NaN some bound
        if constexpr (ByWords) {
            return static_cast<std::uint32_t>((word_of(inner) - base) >> shift);
        } else if constexpr (std::same_as<T, float>) {
            return min(__float2uint_rz((inner - lowest) * scale), last);
        } else {
            return min(__double2uint_rz((inner - lowest) * scale), last);
        }
    }
    __device__ __forceinline__ std::uint32_t cell(T x) const {
        if constexpr (std::floating_point<T>) {
            if (!by_words) return cell_by<false>(x);
        }
        return cell_by<true>(x);
    }
    // Ascends with x.
    __device__ __forceinline__ static word word_of(T x) {
        constexpr word sign = word(1) << (8 * sizeof(word) - 1);
        if constexpr (std::integral<T>) {
            return static_cast<word>(x) + (std::is_signed_v<T> ? sign : 0);
        } else {
            word bits;
            const T positive_zero = x + T(0);  // for either zero
            std::memcpy(&bits, &positive_zero, sizeof bits);
            return (bits & sign) != 0 ? ~bits : bits | sign;
        }
    }
};
template <class T>
struct alignas(sizeof(T) == 8 ? 16 : 8) cell_entry {
    static constexpr std::uint32_t has_edge = 1u << 31, has_more = 1u << 30;

    T edge;                // the first one in the cell
    std::uint32_t before;  // how many edges are in cells before, and whether there is one, or more, in this
};

// Bins between edges, by a table of cells or, without one, by a binary search.
template <class T>
class between {
  public:
    between(const device_edges<T>& bins, const cell_map<T>* map)
        : edges_(bins.edges.data()), map_(map), last_(static_cast<std::uint32_t>(bins.count())) {}
    [[nodiscard]] __host__ __device__ std::uint32_t bins() const { return last_; }

    __device__ __forceinline__ std::uint32_t operator()(const T& x) const {
        std::uint32_t bin = no_bin;
        in_one_way([&](const auto& bin_of) { bin = bin_of(x); });
        return bin;
    }
    template <class Use>
    __device__ __forceinline__ void in_one_way(const Use& use) const {
        if (map_ == nullptr)
            return use([this](const T& x) { return core::find_between(edges_, std::size_t(last_), x); });
        const cell_map<T> map = *map_;
        const T least = edges_[0], most = edges_[last_];
        const auto by_words = [&](const T& x) { return find<true>(map, least, most, x); };
        if constexpr (std::floating_point<T>) {
            if (!map.by_words) return use([&](const T& x) { return find<false>(map, least, most, x); });
        }
        use(by_words);
    }

  private:
    using entry = cell_entry<T>;

    template <bool ByWords>
    __device__ __forceinline__ std::uint32_t find(const cell_map<T>& map, T least, T most, T x) const {
        const auto* const entries = reinterpret_cast<const entry*>(map_ + 1);
        const std::uint32_t cell = map.template cell_by<ByWords>(x);
        const entry found = entries[cell];
        // How many edges are at most x.
        std::uint32_t count = found.before & ~(entry::has_edge | entry::has_more);
        const bool is_reached = (found.before & entry::has_edge) != 0 && found.edge <= x;
        count += is_reached;
        if (is_reached && (found.before & entry::has_more) != 0) {
            const std::uint32_t end = entries[cell + 1].before & ~(entry::has_edge | entry::has_more);
            for (std::uint32_t left = end > count ? end - count : 0; left != 0;) {
                const std::uint32_t half = left / 2;
                const bool above = !(edges_[count + half] <= x);
                count = above ? count : count + half + 1;
                left = above ? half : left - half - 1;
            }
        }
        return x >= least && x <= most ? min(count, last_) - 1 : no_bin;
    }

    const T* edges_;
    const cell_map<T>* map_;  // its entries lie behind it; null: none
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

}  // namespace detail

}  // namespace upsweep::cuda
