// What OpenGL and Vulkan sort by, and what a sort gives.
#pragma once

#include <cstdint>

#include "upsweep/core/key_order.hpp"

namespace upsweep::shader {

// Keys of one or two words: integers, characters, float and double. No device feature is needed for any.
template <class T>
concept word_key = sort_key<T> &&(sizeof(T) == 4 || sizeof(T) == 8);

// Of a word, of sorts that merge unless an executor is told another number.
inline constexpr std::uint64_t most_merged_keys = std::uint64_t{1} << 18;

enum class sort_output : std::uint8_t {
    keys,
    indices,           // where the sorted keys stand
    keys_with_values,  // keys, and a value of each
};

// What the workspace of a sort depends on, beside the number of keys.
struct sort_shape {
    sort_output output = sort_output::keys;
    std::uint32_t key_words = 1;
    std::uint32_t value_words = 0;
    bool values_in_place = false;  // values_out is values
};

}  // namespace upsweep::shader
