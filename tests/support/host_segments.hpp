// What describes segments, in host memory, as the tests of segmented scans carry it to a device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "upsweep/segmented_scan.hpp"
#include "upsweep/shader/operation.hpp"
#include "upsweep/shader/segments.hpp"

namespace upsweep::test {

// `words` are those of a buffer of uint32_t, or of keys.
struct host_segments {
    shader::segments_by kind;
    bool wide;      // keys of 64 bits
    bool floating;  // keys are such
    std::vector<std::uint32_t> words;

    [[nodiscard]] std::size_t count() const { return words.size() / (wide ? 2 : 1); }

    // Calls body(T{}) with the element type of the buffer.
    template <class Body>
    void with_element(const Body& body) const {
        if (floating && wide)
            body(double{});
        else if (floating)
            body(float{});
        else if (wide)
            body(std::uint64_t{});
        else
            body(std::uint32_t{});
    }
};

template <class Flag>
host_segments carried(const by_head_flags<Flag>& segments) {
    host_segments made{shader::segments_by::head_flags, false, false, {}};
    for (const Flag& flag : segments.flags())
        made.words.push_back(flag != Flag(0) ? static_cast<std::uint32_t>(flag) << 20 : 0u);
    return made;
}
template <class Integer>
host_segments carried(const by_offsets<Integer>& segments) {
    host_segments made{shader::segments_by::offsets, false, false, {}};
    for (const Integer& offset : segments.offsets()) made.words.push_back(static_cast<std::uint32_t>(offset));
    return made;
}
template <class Key, class Equal>
host_segments carried(const by_keys<Key, Equal>& segments) {
    // Narrow integers as wider ones.
    using element = std::conditional_t<sizeof(Key) < 4, std::int32_t, Key>;
    host_segments made{shader::segments_by::keys, sizeof(element) == 8, std::is_floating_point_v<Key>, {}};
    for (const Key& key : segments.keys()) {
        const std::array<std::uint32_t, 4> words = shader::words_of(static_cast<element>(key));
        made.words.insert(made.words.end(), words.begin(), words.begin() + sizeof(element) / 4);
    }
    return made;
}

}  // namespace upsweep::test
