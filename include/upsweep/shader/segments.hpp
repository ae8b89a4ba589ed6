// What describes the segments of a sequence in a buffer of OpenGL or Vulkan, which differ in what a buffer is
// called.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace upsweep::shader {

enum class segments_by : std::uint8_t { head_flags, offsets, keys };

// What calls that have one result for each segment, or run of equal keys, give besides its first key: nothing
// else, the fold of its elements, the first one of them, or how many they are.
enum class run_values : std::uint8_t { none, totals, first, lengths };

// One of the descriptions below, without types.
template <class Buffer>
struct segments {
    segments_by kind;
    std::uint32_t key_words;  // 1 or 2
    bool floating_keys;
    Buffer buffer;
    std::uint64_t count;   // of flags, offsets or keys
    std::uint64_t offset;  // bytes

    [[nodiscard]] std::uint64_t bytes() const { return count * 4 * key_words; }
};

// Keys that the stages compare, as operator== does: no NaN equals anything, -0 equals +0.
template <class K>
concept segment_key = (std::integral<K> || std::same_as<K, float> ||
                       std::same_as<K, double>)&&(sizeof(K) == 4 || sizeof(K) == 8);

// n words; one that is not zero starts a segment; element 0 always does.
template <class Buffer>
struct by_head_flags {
    segments<Buffer> described;
    template <class Span>
    requires std::same_as<std::remove_const_t<typename Span::element_type>, std::uint32_t>
    explicit by_head_flags(const Span& flags)
        : described{segments_by::head_flags, 1, false, flags.buffer, flags.size, flags.offset} {}
};

// m + 1 words 0 = o[0] <= o[1] <= ... <= o[m] = n; segment k is [o[k], o[k + 1]) and may be empty. That they
// are such is not checked, since the host does not read them; where they are not, a segment begins at each
// that is below n.
template <class Buffer>
struct by_offsets {
    segments<Buffer> described;
    template <class Span>
    requires std::same_as<std::remove_const_t<typename Span::element_type>, std::uint32_t>
    explicit by_offsets(const Span& offsets)
        : described{segments_by::offsets, 1, false, offsets.buffer, offsets.size, offsets.offset} {}
};

// n keys; a segment is a run of equal neighbours.
template <class Buffer>
struct by_keys {
    segments<Buffer> described;
    template <class Span>
    requires segment_key<std::remove_const_t<typename Span::element_type>>
    explicit by_keys(const Span& keys)
        : described{segments_by::keys,
                    sizeof(typename Span::element_type) / 4,
                    std::floating_point<std::remove_const_t<typename Span::element_type>>,
                    keys.buffer,
                    keys.size,
                    keys.offset} {}
};

template <class Segments, class Buffer>
concept describes_segments = std::same_as<Segments, by_head_flags<Buffer>> ||
    std::same_as<Segments, by_offsets<Buffer>> || std::same_as<Segments, by_keys<Buffer>>;

}  // namespace upsweep::shader
