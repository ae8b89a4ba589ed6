// The scans of others, each written as its own users would write it, behind one signature. Sums of signed
// integers run on the unsigned type of the same width, so that overflow wraps instead of being undefined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace bench {

enum class scan_work { inclusive, exclusive, maximum };  // sum, sum, inclusive maximum

template <class T>
struct peer {
    std::string_view name;
    bool parallel;   // runs on every core
    bool candidate;  // counts when the best peer is looked for; otherwise shown for orientation only
    bool in_place;   // correct when in == out
    void (*run)(const T* in, T* out, std::size_t n);
};

// One list a source file of this folder; T is int8, int16, int32, int64 (std::intN_t), float or double.
template <class T>
std::vector<peer<T>> loop_peers(scan_work);
template <class T>
std::vector<peer<T>> standard_peers(scan_work);
template <class T>
std::vector<peer<T>> onetbb_peers(scan_work);
template <class T>
std::vector<peer<T>> openmp_peers(scan_work);

template <class T>
std::vector<peer<T>> all_peers(scan_work work) {
    std::vector<peer<T>> result = loop_peers<T>(work);
    for (const auto& list : {standard_peers<T>(work), onetbb_peers<T>(work), openmp_peers<T>(work)})
        result.insert(result.end(), list.begin(), list.end());
    return result;
}

}  // namespace bench
