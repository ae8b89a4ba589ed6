#include "runs.hpp"

#include <algorithm>
#include <execution>

namespace bench {

template <class T>
std::size_t reduce_by_key_loop(const std::int32_t* keys, const T* in, std::int32_t* keys_out, T* out,
                               std::size_t n) {
    std::size_t at = 0;
    T sum{};
    for (std::size_t i = 0; i < n; ++i) {
        sum += in[i];
        if (i + 1 != n && keys[i + 1] == keys[i]) continue;
        keys_out[at] = keys[i];
        out[at++] = sum;
        sum = T{};
    }
    return at;
}
template std::size_t reduce_by_key_loop(const std::int32_t*, const float*, std::int32_t*, float*,
                                        std::size_t);
template std::size_t reduce_by_key_loop(const std::int32_t*, const std::int32_t*, std::int32_t*,
                                        std::int32_t*, std::size_t);

template <class T>
void reduce_offsets_loop(const T* in, T* out, const std::int64_t* offsets, std::size_t segments) {
    for (std::size_t s = 0; s < segments; ++s) {
        T sum{};
        for (auto i = offsets[s]; i < offsets[s + 1]; ++i) sum += in[i];
        out[s] = sum;
    }
}
template void reduce_offsets_loop(const float*, float*, const std::int64_t*, std::size_t);
template void reduce_offsets_loop(const std::int32_t*, std::int32_t*, const std::int64_t*, std::size_t);

template <class T>
void maxima_offsets_loop(const T* in, T* out, const std::int64_t* offsets, std::size_t segments) {
    for (std::size_t s = 0; s < segments; ++s) {
        T largest = in[offsets[s]];
        for (auto i = offsets[s] + 1; i < offsets[s + 1]; ++i) largest = std::max(largest, in[i]);
        out[s] = largest;
    }
}
template void maxima_offsets_loop(const float*, float*, const std::int64_t*, std::size_t);
template void maxima_offsets_loop(const std::int32_t*, std::int32_t*, const std::int64_t*, std::size_t);

std::size_t run_lengths_loop(const std::int32_t* keys, std::int32_t* out, std::int32_t* lengths,
                             std::size_t n) {
    std::size_t at = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (i + 1 != n && keys[i + 1] == keys[i]) continue;
        out[at] = keys[i];
        lengths[at++] = static_cast<std::int32_t>(i + 1 - begin);
        begin = i + 1;
    }
    return at;
}

std::size_t unique_loop(const std::int32_t* keys, std::int32_t* out, std::size_t n) {
    std::size_t at = 0;
    for (std::size_t i = 0; i + 1 < n; ++i) {
        out[at] = keys[i];
        at += keys[i + 1] != keys[i] ? 1 : 0;
    }
    if (n != 0) out[at++] = keys[n - 1];
    return at;
}
std::size_t unique_standard(const std::int32_t* keys, std::int32_t* out, std::size_t n) {
    return static_cast<std::size_t>(std::unique_copy(keys, keys + n, out) - out);
}
std::size_t unique_standard_parallel(const std::int32_t* keys, std::int32_t* out, std::size_t n) {
    return static_cast<std::size_t>(std::unique_copy(std::execution::par_unseq, keys, keys + n, out) - out);
}

}  // namespace bench
