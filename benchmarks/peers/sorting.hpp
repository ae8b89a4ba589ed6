// Peers of sorting, in place. T is std::uint32_t, std::int64_t, float, double or keyed_value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bench {

struct keyed_value {
    std::uint32_t key;
    std::uint32_t value;
    friend bool operator<(const keyed_value& a, const keyed_value& b) { return a.key < b.key; }
};

template <class T>
struct sorting_peer {
    std::string name;
    bool parallel;
    bool stable;
    void (*sort)(T* data, std::size_t n);
};
// std::sort and std::stable_sort, std::sort(par_unseq), tbb::parallel_sort, and Highway's VQSort where the
// build has it (not of pairs).
template <class T>
std::vector<sorting_peer<T>> sorting_peers();

// Peers of sorting each of `count` segments in place, of which segment k is [offsets[k], offsets[k + 1]):
// std::sort and std::stable_sort in a loop, and the former in std::for_each(par_unseq).
struct segment_sorting_peer {
    std::string name;
    bool parallel;
    void (*sort)(float* data, const std::uint32_t* offsets, std::size_t count);
};
std::vector<segment_sorting_peer> segment_sorting_peers();

}  // namespace bench
