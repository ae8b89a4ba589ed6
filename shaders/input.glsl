// The elements of the input. They are of the results' type, or of one of fewer bytes, `input_type`, and then converted
// when they are loaded, as C++ converts them and in integers alone, so that no driver flushes or drops anything. An
// element of 8 or 16 bits lies in the word that is bound for it, with neighbours: the first of them in its lowest bits.

layout(std430, binding = UPSWEEP_INPUT) readonly buffer input_block {
    stored input_elements[];
};

#if UPSWEEP_ELEMENT_WORDS < 4
// The same memory in vectors of four words.
layout(std430, binding = UPSWEEP_INPUT) readonly buffer input_vector_block {
    uvec4 input_vectors[];
};
#endif

// Vulkan has one module for all types, a constant of which says which; in OpenGL the text is that of one type. What a
// user's operator combines has no other type to come from.
#if !defined(UPSWEEP_USER_OPERATOR) && (defined(VULKAN) || defined(UPSWEEP_INPUT_TYPE))
#define UPSWEEP_CONVERTS
#endif

#ifndef UPSWEEP_CONVERTS

#define input_element(i) input_elements[i]

#else

#ifdef VULKAN
layout(constant_id = UPSWEEP_C_INPUT_TYPE) const int input_type = UPSWEEP_I_SAME;
#else
const int input_type = UPSWEEP_INPUT_TYPE;
#endif

// And in words, and in pairs of them.
layout(std430, binding = UPSWEEP_INPUT) readonly buffer input_word_block {
    uint input_words[];
};
layout(std430, binding = UPSWEEP_INPUT) readonly buffer input_pair_block {
    uvec2 input_pairs[];
};

bool has_bytes() { return input_type == UPSWEEP_I_UINT8 || input_type == UPSWEEP_I_INT8; }
bool has_halves() { return input_type == UPSWEEP_I_FLOAT16 || input_type == UPSWEEP_I_BFLOAT16; }
bool has_16_bits() { return input_type == UPSWEEP_I_UINT16 || input_type == UPSWEEP_I_INT16 || has_halves(); }
bool has_signed_integers() {
    return input_type == UPSWEEP_I_INT8 || input_type == UPSWEEP_I_INT16 || input_type == UPSWEEP_I_INT;
}

// ---- bits: of an element in the lowest ones of a word, above them zeros ----

uint input_bits(uint i) {
    if (has_bytes()) return (input_words[i >> 2] >> (8u * (i & 3u))) & 0xffu;
    if (has_16_bits()) return (input_words[i >> 1] >> (16u * (i & 1u))) & 0xffffu;
    return input_words[i];
}

// The words in which four neighbours lie, the first of them element `lowest`: of bytes one, or two; of 16 bits two, or
// three; of 32 four. The last one is loaded twice where it is one less. No word is touched that has none of the four.
uvec4 run_words(uint lowest) {
    if (has_bytes()) return uvec4(input_words[lowest >> 2], input_words[(lowest + 3u) >> 2], 0u, 0u);
    if (has_16_bits()) {
        uint at = lowest >> 1;
        return uvec4(input_words[at], input_words[at + 1u], input_words[(lowest + 3u) >> 1], 0u);
    }
    return uvec4(input_words[lowest], input_words[lowest + 1u], input_words[lowest + 2u], input_words[lowest + 3u]);
}
// The same at once, where `lowest` is a multiple of 4.
uvec4 aligned_run_words(uint lowest) {
    uint at = lowest >> 2;
    if (has_bytes()) return uvec4(input_words[at], 0u, 0u, 0u);
    if (has_16_bits()) return uvec4(input_pairs[at], 0u, 0u);
    return input_vectors[at];
}
// Their bits.
uvec4 run_bits(uvec4 words, uint lowest) {
    if (has_bytes()) {
        uint shift = 8u * (lowest & 3u);
        uint bytes = words.x;
        if (shift != 0u) bytes = words.x >> shift | words.y << (32u - shift);
        return (uvec4(bytes) >> uvec4(0u, 8u, 16u, 24u)) & uvec4(0xffu);
    }
    if (has_16_bits()) {
        uvec2 pairs = words.xy;
        if ((lowest & 1u) != 0u) pairs = words.xy >> uvec2(16u) | words.yz << uvec2(16u);
        return uvec4(pairs.x & 0xffffu, pairs.x >> 16, pairs.y & 0xffffu, pairs.y >> 16);
    }
    return words;
}

// ---- values ----

// Modulo 2^32.
uint integer_of(uint bits) {
    if (input_type == UPSWEEP_I_INT8) return (bits ^ 0x80u) - 0x80u;
    if (input_type == UPSWEEP_I_INT16) return (bits ^ 0x8000u) - 0x8000u;
    return bits;
}
// The float that a number of 16 bits is; one of 32 bits is that already.
uint float_of(uint bits) {
    if (input_type == UPSWEEP_I_BFLOAT16) return bits << 16;
    if (input_type != UPSWEEP_I_FLOAT16) return bits;
    uint sign = (bits & 0x8000u) << 16;
    uint magnitude = bits & 0x7fffu;
    if (magnitude >= 0x7c00u) return sign | 0x7f800000u | (magnitude & 0x3ffu) << 13;
    if (magnitude >= 0x0400u) return sign | ((magnitude << 13) + 0x38000000u);
    if (magnitude == 0u) return sign;
    uint leading = uint(findMSB(magnitude));  // of a subnormal number, whose unit is 2^-24
    return sign | (leading + 103u) << 23 | ((magnitude << (23u - leading)) & 0x7fffffu);
}

#if UPSWEEP_ELEMENT_WORDS == 1

stored converted(uint bits) {
    if (has_halves()) return float_of(bits);
    uint value = integer_of(bits);
    if (element_type != UPSWEEP_T_FLOAT) return value;
    // Exact: 16 bits at most.
    if (has_signed_integers()) return floatBitsToUint(float(int(value)));
    return floatBitsToUint(float(value));
}

#else

// The double of a sign, an exponent of its own and the 32 highest bits of its fraction.
uvec2 double_of(uint sign, uint exponent, uint fraction) {
    return uvec2(fraction << 20, sign | exponent << 20 | fraction >> 12);
}
uvec2 double_of_integer(uint sign, uint magnitude) {
    if (magnitude == 0u) return uvec2(0u);
    uint leading = uint(findMSB(magnitude));
    return double_of(sign, leading + 1023u, magnitude << (31u - leading) << 1);
}
uvec2 double_of_float(uint bits) {
    uint sign = bits & 0x80000000u;
    uint magnitude = bits & 0x7fffffffu;
    uint fraction = magnitude << 9;
    if (magnitude > 0x7f800000u) return double_of(sign, 0x7ffu, fraction | 0x80000000u);  // a quiet NaN
    if (magnitude == 0x7f800000u) return double_of(sign, 0x7ffu, 0u);
    if (magnitude >= 0x00800000u) return double_of(sign, (magnitude >> 23) + 896u, fraction);
    if (magnitude == 0u) return uvec2(0u, sign);
    uint leading = uint(findMSB(magnitude));  // of a subnormal number, whose unit is 2^-149
    return double_of(sign, leading + 874u, magnitude << (31u - leading) << 1);
}

stored converted(uint bits) {
    if (has_halves() || input_type == UPSWEEP_I_FLOAT) return double_of_float(float_of(bits));
    uint value = integer_of(bits);
    bool negative = has_signed_integers() && (value & 0x80000000u) != 0u;
    if (element_type == UPSWEEP_T_DOUBLE)
        return negative ? double_of_integer(0x80000000u, 0u - value) : double_of_integer(0u, value);
    return uvec2(value, negative ? 0xffffffffu : 0u);
}

#endif

stored input_element(uint i) {
    if (input_type != UPSWEEP_I_SAME) return converted(input_bits(i));
    return input_elements[i];
}

#endif
