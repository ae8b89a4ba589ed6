// The two operators the peers scan with, and the dispatch from a runtime `scan_work` to a compile-time one.
#pragma once

#include "peers.hpp"

#include <functional>
#include <limits>
#include <type_traits>

namespace bench {

// int8 -> uint8, ..., float -> float.
template <class T>
struct wrapping {
    using type = std::make_unsigned_t<T>;
};
template <>
struct wrapping<float> {
    using type = float;
};
template <>
struct wrapping<double> {
    using type = double;
};

// std::plus<T> itself, because libstdc++ vectorises a parallel scan for that type alone.
template <class T>
struct sum_fold {
    using type = T;
    using function = std::plus<T>;
    static constexpr bool is_maximum = false;
    static constexpr T identity = T{0};
};
template <class T>
struct larger {
    T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T>
struct maximum_fold {
    using type = T;
    using function = larger<T>;
    static constexpr bool is_maximum = true;
    static constexpr T identity = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                                       : std::numeric_limits<T>::lowest();
};

// Calls Scan<Fold, exclusive>::run on the fold's own element type.
template <class T, template <class, bool> class Scan>
struct as_peer {
    template <class Fold, bool Exclusive>
    static void call(const T* in, T* out, std::size_t n) {
        using U = typename Fold::type;
        Scan<Fold, Exclusive>::run(reinterpret_cast<const U*>(in), reinterpret_cast<U*>(out), n);
    }
    static auto of(scan_work work) -> void (*)(const T*, T*, std::size_t) {
        using sum = sum_fold<typename wrapping<T>::type>;
        switch (work) {
            case scan_work::inclusive:
                return &call<sum, false>;
            case scan_work::exclusive:
                return &call<sum, true>;
            case scan_work::maximum:
                break;
        }
        return &call<maximum_fold<T>, false>;
    }
};

}  // namespace bench

#define BENCH_INSTANTIATE_PEERS(LIST)                                              \
    template std::vector<bench::peer<std::int8_t>> bench::LIST(bench::scan_work);  \
    template std::vector<bench::peer<std::int16_t>> bench::LIST(bench::scan_work); \
    template std::vector<bench::peer<std::int32_t>> bench::LIST(bench::scan_work); \
    template std::vector<bench::peer<std::int64_t>> bench::LIST(bench::scan_work); \
    template std::vector<bench::peer<float>> bench::LIST(bench::scan_work);        \
    template std::vector<bench::peer<double>> bench::LIST(bench::scan_work);
