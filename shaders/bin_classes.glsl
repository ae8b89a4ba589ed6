// To which bin an element belongs: bin(item) of the user's text, or the last threshold that is not above the element.
//
// Elements and thresholds are compared as unsigned integers of the same order, their keys, so that no driver can flush
// a subnormal number or lose a NaN. The host finds the thresholds, by the arithmetic of bin_range.hpp
// (src/shader/bin_table.cpp). The stage's own arithmetic only guesses where to look first: however it rounds, what is
// found is the same.

#ifdef UPSWEEP_USER_BINS

//! user text

#else

#ifdef VULKAN
layout(constant_id = UPSWEEP_C_TYPE) const int element_type = UPSWEEP_T_UINT;
#else
const int element_type = UPSWEEP_TYPE;
#endif

layout(std430, binding = UPSWEEP_THRESHOLDS) readonly buffer threshold_block {
    stored far_thresholds[];
};

#if UPSWEEP_ELEMENT_WORDS == 1

bool is_number(uint a) { return element_type != UPSWEEP_T_FLOAT || (a & 0x7fffffffu) <= 0x7f800000u; }
// Both zeros have one key.
uint key_of(uint a) {
    if (element_type == UPSWEEP_T_UINT) return a;
    if (element_type == UPSWEEP_T_INT) return a ^ 0x80000000u;
    if ((a & 0x7fffffffu) == 0u) return 0x80000000u;
    return (a & 0x80000000u) != 0u ? ~a : a | 0x80000000u;
}
bool is_above(uint a, uint b) { return a > b; }
uint two_words(int at) { return parameters[at]; }

// How far the element is above the first bin's edge, about.
float distance_of(uint a, uint key) {
    if (element_type == UPSWEEP_T_FLOAT) return uintBitsToFloat(a) - uintBitsToFloat(parameters[UPSWEEP_P_GUESS_FROM]);
    return float(key - two_words(UPSWEEP_P_BOTTOM));
}

#else

bool is_number(uvec2 a) {
    uint magnitude = a.y & 0x7fffffffu;
    return element_type != UPSWEEP_T_DOUBLE || magnitude < 0x7ff00000u || (magnitude == 0x7ff00000u && a.x == 0u);
}
uvec2 key_of(uvec2 a) {
    if (element_type == UPSWEEP_T_UINT64) return a;
    if (element_type == UPSWEEP_T_INT64) return uvec2(a.x, a.y ^ 0x80000000u);
    if ((a.y & 0x7fffffffu) == 0u && a.x == 0u) return uvec2(0u, 0x80000000u);
    return (a.y & 0x80000000u) != 0u ? ~a : uvec2(a.x, a.y | 0x80000000u);
}
bool is_above(uvec2 a, uvec2 b) { return a.y > b.y || (a.y == b.y && a.x > b.x); }
uvec2 two_words(int at) { return uvec2(parameters[at], parameters[at + 1]); }

float distance_of(uvec2 a, uvec2 key) {
    if (element_type == UPSWEEP_T_DOUBLE) {
        // The nearest float towards zero; what is too small is zero, what is too large the largest.
        uint exponent = (a.y >> 20) & 0x7ffu;
        uint bits = ((exponent - 896u) << 23) | ((a.y & 0xfffffu) << 3) | (a.x >> 29);
        if (exponent <= 896u) bits = 0u;
        if (exponent >= 1151u) bits = 0x7f7fffffu;
        return uintBitsToFloat(bits | (a.y & 0x80000000u)) - uintBitsToFloat(parameters[UPSWEEP_P_GUESS_FROM]);
    }
    uvec2 bottom = two_words(UPSWEEP_P_BOTTOM);
    uint high = key.y - bottom.y - (key.x < bottom.x ? 1u : 0u);
    return float(high) * 4294967296.0 + float(key.x - bottom.x);
}

#endif

// The least key of a bin and those behind it: from shared memory, where the stage has brought them there.
#ifdef UPSWEEP_NEAR_TABLE

// They end the stage's `tallies`: the low words of all, then the high ones, so that neighbours lie in neighbouring banks.
uint near_slot(uint bin) {
    return uint(UPSWEEP_TALLY_WORDS) - uint(UPSWEEP_ELEMENT_WORDS) * parameters[UPSWEEP_P_BINS] + bin;
}
stored threshold_of(uint bin) {
    if (!has_flag(UPSWEEP_F_NEAR_TABLE)) return far_thresholds[bin];
    uint at = near_slot(bin);
#if UPSWEEP_ELEMENT_WORDS == 1
    return tallies[at];
#else
    return uvec2(tallies[at], tallies[at + parameters[UPSWEEP_P_BINS]]);
#endif
}
// To be followed by synchronize().
void load_thresholds(uint lane) {
    if (!has_flag(UPSWEEP_F_NEAR_TABLE)) return;
    for (uint bin = lane; bin < parameters[UPSWEEP_P_BINS]; bin += uint(UPSWEEP_GROUP_SIZE)) {
        uint at = near_slot(bin);
#if UPSWEEP_ELEMENT_WORDS == 1
        tallies[at] = far_thresholds[bin];
#else
        uvec2 threshold = far_thresholds[bin];
        tallies[at] = threshold.x;
        tallies[at + parameters[UPSWEEP_P_BINS]] = threshold.y;
#endif
    }
}

#else
stored threshold_of(uint bin) { return far_thresholds[bin]; }
#endif

// Whether a key is in a bin. That of a NaN is not, since it is below or above those of all numbers.
bool has_bin(stored key) {
    return !is_above(two_words(UPSWEEP_P_BOTTOM), key) && !is_above(key, two_words(UPSWEEP_P_TOP));
}
// A bin that exists, near the one of a key that has one.
uint guess_of(stored a, stored key) {
    float quotient = distance_of(a, key) * uintBitsToFloat(parameters[UPSWEEP_P_GUESS_SCALE]);
    return min(uint(clamp(quotient, 0.0, 4294967040.0)), parameters[UPSWEEP_P_BINS] - 1u);
}
// Whether a key that has a bin has this one.
bool is_in(stored key, uint bin) {
    uint next = min(bin + 1u, parameters[UPSWEEP_P_BINS] - 1u);
    return !is_above(threshold_of(bin), key) && (next == bin || is_above(threshold_of(next), key));
}

uint search_bin(stored a) {
    uint bins = parameters[UPSWEEP_P_BINS];
    bool clamped = has_flag(UPSWEEP_F_CLAMP);
    if (!is_number(a)) return UPSWEEP_NO_BIN;
    stored key = key_of(a);
    if (is_above(two_words(UPSWEEP_P_BOTTOM), key)) return clamped ? 0u : UPSWEEP_NO_BIN;
    if (is_above(key, two_words(UPSWEEP_P_TOP))) return clamped ? bins - 1u : UPSWEEP_NO_BIN;

    // The threshold of `first` is not above the key, that of `last` is.
    uint first = 0u;
    uint last = bins;
    if (has_flag(UPSWEEP_F_GUESS)) {
        uint guess = guess_of(a, key);
        if (is_above(threshold_of(guess), key)) {
            last = guess;
            if (!is_above(threshold_of(guess - 1u), key)) first = guess - 1u;
        } else {
            first = guess;
            if (guess + 1u < bins && !is_above(threshold_of(guess + 1u), key)) first = guess + 1u;
        }
    }
    while (last - first > 1u) {
        uint middle = first + (last - first) / 2u;
        if (is_above(threshold_of(middle), key))
            last = middle;
        else
            first = middle;
    }
    return first;
}
uint find_bin(stored a) {
    if (has_flag(UPSWEEP_F_GUESS)) {
        stored key = key_of(a);
        uint guess = guess_of(a, key);
        if (has_bin(key) && is_in(key, guess)) return guess;
    }
    return search_bin(a);
}

#endif
