#include "compaction.hpp"

#include <algorithm>
#include <execution>

namespace bench {
namespace {

template <class T>
auto below(T bound) {
    return [bound](T x) { return x < bound; };
}

}  // namespace

template <class T>
std::size_t compact_loop(const T* in, T* out, std::size_t n, T bound) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const T x = in[i];
        out[at] = x;
        at += x < bound ? 1 : 0;
    }
    return at;
}
template <class T>
std::size_t compact_flags_loop(const T* in, T* out, const std::uint8_t* flags, std::size_t n) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < n; ++i) {
        out[at] = in[i];
        at += flags[i] != 0 ? 1 : 0;
    }
    return at;
}
template <class T>
std::size_t compact_standard(const T* in, T* out, std::size_t n, T bound) {
    return static_cast<std::size_t>(std::copy_if(in, in + n, out, below(bound)) - out);
}
template <class T>
std::size_t compact_standard_parallel(const T* in, T* out, std::size_t n, T bound) {
    return static_cast<std::size_t>(std::copy_if(std::execution::par_unseq, in, in + n, out, below(bound)) -
                                    out);
}

template <class T>
std::size_t partition_loop(const T* in, T* out, std::size_t n, T bound) {
    std::size_t chosen = 0;
    for (std::size_t i = 0; i < n; ++i) chosen += in[i] < bound ? 1 : 0;
    std::size_t at[2] = {chosen, 0};
    for (std::size_t i = 0; i < n; ++i) out[at[in[i] < bound ? 1 : 0]++] = in[i];
    return chosen;
}
template <class T>
std::size_t partition_standard(const T* in, T* out, std::size_t n, T bound) {
    const auto chosen = std::count_if(in, in + n, below(bound));
    std::partition_copy(in, in + n, out, out + chosen, below(bound));
    return static_cast<std::size_t>(chosen);
}
template <class T>
std::size_t partition_standard_parallel(const T* in, T* out, std::size_t n, T bound) {
    std::copy(std::execution::par_unseq, in, in + n, out);
    return static_cast<std::size_t>(
        std::stable_partition(std::execution::par_unseq, out, out + n, below(bound)) - out);
}

#define UPSWEEP_COMPACTION_PEERS(T)                                                             \
    template std::size_t compact_loop<T>(const T*, T*, std::size_t, T);                         \
    template std::size_t compact_flags_loop<T>(const T*, T*, const std::uint8_t*, std::size_t); \
    template std::size_t compact_standard<T>(const T*, T*, std::size_t, T);                     \
    template std::size_t compact_standard_parallel<T>(const T*, T*, std::size_t, T);            \
    template std::size_t partition_loop<T>(const T*, T*, std::size_t, T);                       \
    template std::size_t partition_standard<T>(const T*, T*, std::size_t, T);                   \
    template std::size_t partition_standard_parallel<T>(const T*, T*, std::size_t, T);
UPSWEEP_COMPACTION_PEERS(std::int8_t)
UPSWEEP_COMPACTION_PEERS(std::int32_t)
UPSWEEP_COMPACTION_PEERS(float)
UPSWEEP_COMPACTION_PEERS(double)

}  // namespace bench
