// What is repeated, and how repeated elements and indices reach the output: 16 aligned bytes a thread where
// results have 1, 2, 4, 8 or 16 bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "upsweep/cuda/combine.cuh"
#include "upsweep/cuda/rows.cuh"
#include "upsweep/cuda/words.cuh"

namespace upsweep::cuda::detail {

// Neighbours that a lane takes at once.
inline constexpr int repeat_run = 8;

// Elements [first, first + 8) of an array of n, packed; 0 behind the last one. `first` is a multiple of 8.
template <class T>
__device__ __forceinline__ word_array<repeat_run* int(sizeof(T)) / 4> load_neighbours(const T* array,
                                                                                      std::uint64_t first,
                                                                                      std::uint64_t n) {
    constexpr int bytes = repeat_run * int(sizeof(T));
    using whole = typename unit_of<access_size<bytes>>::type;
    word_array<bytes / 4> words{};
    if (first + repeat_run <= n && reinterpret_cast<std::uintptr_t>(array) % sizeof(whole) == 0) {
        whole pieces[bytes / sizeof(whole)];
#pragma unroll
        for (int k = 0; k < int(bytes / sizeof(whole)); ++k)
            pieces[k] = reinterpret_cast<const whole*>(array + first)[k];
        std::memcpy(&words, pieces, bytes);
    } else {
#pragma unroll
        for (int m = 0; m < repeat_run; ++m)
            if (first + unsigned(m) < n) pack<T>(words, m, array[first + unsigned(m)]);
    }
    return words;
}

template <int Bytes>
struct bits_of_size {
    static constexpr bool exists = false;
    using type = void;
};
template <>
struct bits_of_size<1> {
    static constexpr bool exists = true;
    using type = std::uint8_t;
};
template <>
struct bits_of_size<2> {
    static constexpr bool exists = true;
    using type = std::uint16_t;
};
template <>
struct bits_of_size<4> {
    static constexpr bool exists = true;
    using type = std::uint32_t;
};
template <>
struct bits_of_size<8> {
    static constexpr bool exists = true;
    using type = std::uint64_t;
};
template <>
struct bits_of_size<16> {
    static constexpr bool exists = true;
    using type = uint4;
};
// Results that pass through shared memory and registers as bits; others are copied from where they are.
template <class Out>
inline constexpr bool passes_as_bits = bits_of_size<int(sizeof(Out))>::exists;
template <class Out>
using result_bits = typename bits_of_size<int(sizeof(Out))>::type;
template <class Out>
__device__ __forceinline__ result_bits<Out> to_bits(const Out& value) {
    result_bits<Out> bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
}

// Elements of an array of n, as results.
template <class In, class Out>
struct repeated_elements {
    using result = Out;
    const In* in;
    std::uint64_t n;

    static constexpr bool loads_runs =
        sizeof(In) <= 8 && passes_as_bits<In> && std::is_default_constructible_v<In>;
    struct nothing {};
    using run = std::conditional_t<loads_runs,
                                   word_array<(loads_runs ? repeat_run * int(sizeof(In)) : 4) / 4>, nothing>;

    // What value() is to know of elements [first, first + 8); `first` is a multiple of 8.
    __device__ __forceinline__ run load(std::uint64_t first) const {
        if constexpr (loads_runs) return load_neighbours(in, first, n);
        return {};
    }
    // Of element first + m.
    __device__ __forceinline__ result_bits<Out> value(const run& own, std::uint64_t first, int m) const {
        if constexpr (loads_runs) return to_bits<Out>(convert<Out>(unpack<In>(own, m)));
        return value(first + unsigned(m));
    }
    __device__ __forceinline__ result_bits<Out> value(std::uint64_t i) const {
        return to_bits<Out>(convert<Out>(in[i]));
    }

    // Copies results that do not pass as bits, by the threads of a block: out[j] = in[index(j)], j < count.
    template <class Index>
    __device__ __forceinline__ void copy(Out* out, unsigned count, const Index& index) const {
        if constexpr (std::is_same_v<In, Out>) {
            using unit = natural_unit<int(alignof(Out)), int(sizeof(Out))>;
            constexpr unsigned units = sizeof(Out) / sizeof(unit);
            const unit* const from = reinterpret_cast<const unit*>(in);
            unit* const to = reinterpret_cast<unit*>(out);
#pragma unroll 4
            for (unsigned u = threadIdx.x; u < count * units; u += blockDim.x)
                to[u] = from[index(u / units) * units + u % units];
        } else {
#pragma unroll 4
            for (unsigned j = threadIdx.x; j < count; j += blockDim.x) out[j] = convert<Out>(in[index(j)]);
        }
    }
};

// The numbers of n elements.
template <class Index>
struct repeated_indices {
    using result = Index;
    std::uint64_t n;

    struct run {};
    __device__ __forceinline__ static run load(std::uint64_t) { return {}; }
    __device__ __forceinline__ static result_bits<Index> value(const run&, std::uint64_t first, int m) {
        return value(first + unsigned(m));
    }
    __device__ __forceinline__ static result_bits<Index> value(std::uint64_t i) {
        return to_bits(static_cast<Index>(i));
    }
};

// Where `count` results go, from `first` on. They are counted from the beginning of the 16 aligned bytes in
// which the first one lies: `lead` places do not belong to them. Groups of 16 bytes are stored at once, but
// for those at both ends; and where no group can be aligned, each result by itself.
template <class Out>
class result_places {
  public:
    using bits = result_bits<Out>;
    static constexpr int group = 16 / int(sizeof(Out));

    __device__ __forceinline__ result_places(Out* first, int count)
        : is_aligned_(reinterpret_cast<std::uintptr_t>(first) % sizeof(Out) == 0),
          lead_(is_aligned_ ? int(reinterpret_cast<std::uintptr_t>(first) % 16 / sizeof(Out)) : 0),
          end_(lead_ + count),
          begin_(reinterpret_cast<std::uintptr_t>(first) - unsigned(lead_) * sizeof(Out)) {}

    [[nodiscard]] __device__ __forceinline__ int lead() const { return lead_; }
    [[nodiscard]] __device__ __forceinline__ int end() const { return end_; }
    // The results at places [at, at + group), of which those that there are; `at` is a multiple of group.
    __device__ __forceinline__ void store(int at, const bits (&value)[group]) const {
        const std::uintptr_t to = begin_ + unsigned(at) * sizeof(Out);
        if (is_aligned_ && at >= lead_ && at + group <= end_) {
            uint4 whole;
            std::memcpy(&whole, value, sizeof(whole));
            *reinterpret_cast<uint4*>(to) = whole;
            return;
        }
#pragma unroll
        for (int k = 0; k < group; ++k)
            if (at + k >= lead_ && at + k < end_) store_one(to + unsigned(k) * sizeof(Out), value[k]);
    }

  private:
    __device__ __forceinline__ static void store_one(std::uintptr_t to, const bits& value) {
        using unit = natural_unit<int(alignof(Out)), int(sizeof(Out))>;
        unit parts[sizeof(Out) / sizeof(unit)];
        std::memcpy(parts, &value, sizeof(value));
#pragma unroll
        for (int k = 0; k < int(sizeof(Out) / sizeof(unit)); ++k) reinterpret_cast<unit*>(to)[k] = parts[k];
    }

    bool is_aligned_;
    int lead_, end_;
    std::uintptr_t begin_;
};

}  // namespace upsweep::cuda::detail
