// What the tests of sorts on OpenGL and Vulkan share: limits of devices, types of keys, values of any width.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

namespace upsweep::test {

// Limits below a device's; 0: the device's. Sorts of up to so many keys merge.
struct sort_limits {
    std::uint32_t groups_x = 0, groups_y = 0;
    std::uint64_t binding_bytes = 0;
    std::uint64_t merged_keys = 0;
};

template <std::size_t Words>
struct sort_record {
    std::array<std::uint32_t, Words> words;
};
template <class Value>
std::vector<Value> numbered(std::size_t n) {
    std::vector<std::uint32_t> words(n * sizeof(Value) / 4);
    std::iota(words.begin(), words.end(), 0x80000001u);
    std::vector<Value> made(n);
    if (n != 0) std::memcpy(static_cast<void*>(made.data()), words.data(), n * sizeof(Value));
    return made;
}
template <class T>
bool same_memory(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// f.template operator()<Key>(), for each type of key; for one of each width where that is enough.
template <class F>
void for_each_key_type(const F& f) {
    f.template operator()<std::uint32_t>();
    f.template operator()<double>();
    f.template operator()<float>();
    f.template operator()<std::int64_t>();
    f.template operator()<std::int32_t>();
    f.template operator()<std::uint64_t>();
}

}  // namespace upsweep::test
