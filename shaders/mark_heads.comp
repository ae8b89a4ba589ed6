// Where segments begin, one bit a position in the order of the scan, from a flag or a key of each element: the first
// stage of a scan of segments by those. Segments by offsets begin with nothing but position 0, and mark_offsets adds the
// rest. A work group has the 4096 positions of a tile; behind the last one bits are 0. Where they are votes of a compaction
// too, that of the elements with which segments begin, they are counted, tile by tile. A length from a buffer ends the last
// segment with a bit behind it, which is not counted.
//
// A segment begins in front of an element that has a flag, or another key than the one before it. In a reversed scan
// that is where the next segment of the scan has its first element, one position later.
#include "interface.glsl"
layout(local_size_x = UPSWEEP_GROUP_SIZE) in;
#include "tile_bits.glsl"

layout(std430, binding = UPSWEEP_INPUT) readonly buffer description_block {
    uint described[];
};
// The same memory in vectors of four words.
layout(std430, binding = UPSWEEP_INPUT) readonly buffer description_vector_block {
    uvec4 described_vectors[];
};
layout(std430, binding = UPSWEEP_OUTPUT) writeonly buffer head_block {
    uint head_words[];
};
layout(std430, binding = UPSWEEP_WORKSPACE) writeonly buffer count_block {
    uint tile_counts[];
};
layout(std430, binding = UPSWEEP_LENGTH) readonly buffer length_block {
    uint lengths[];
};

bool has_keys() { return has_flag(UPSWEEP_F_SEGMENT_KEYS); }
bool is_wide() { return parameters[UPSWEEP_P_RECORD_WORDS] == 2u; }
bool is_reverse() { return has_flag(UPSWEEP_F_REVERSE); }

// 1 for each key that is not equal to the one before it, as operator== of C++ has it: no NaN equals anything, and -0 is
// +0. Of keys of one word, and of two that have two words each, the low one first.
uvec4 changes(uvec4 before, uvec4 keys) {
    uvec4 different = uvec4(notEqual(before, keys));
    if (!has_flag(UPSWEEP_F_FLOATING_KEYS)) return different;
    uvec4 x = before & 0x7fffffffu, y = keys & 0x7fffffffu;
    uvec4 zeros = uvec4(equal(x | y, uvec4(0u)));
    return (different & (1u - zeros)) | uvec4(greaterThan(x, uvec4(0x7f800000u)));
}
uvec2 wide_changes(uvec4 before, uvec4 keys) {
    uvec4 words = before ^ keys;
    uvec2 different = uvec2(notEqual(words.xz | words.yw, uvec2(0u)));
    if (!has_flag(UPSWEEP_F_FLOATING_KEYS)) return different;
    uvec2 x = before.yw & 0x7fffffffu, y = keys.yw & 0x7fffffffu;
    uvec2 zeros = uvec2(equal(x | y | before.xz | keys.xz, uvec2(0u)));
    uvec2 beyond = uvec2(greaterThan(x, uvec2(0x7ff00000u)));
    uvec2 at = uvec2(equal(x, uvec2(0x7ff00000u))) & uvec2(notEqual(before.xz, uvec2(0u)));
    return (different & (1u - zeros)) | beyond | at;
}

// What describes the last element of each invocation's strip, in the order of memory.
shared uint strip_ends[2 * UPSWEEP_GROUP_SIZE];

// An invocation has a strip of positions, and loads what describes them before it uses any: the elements in front of which
// they lie, in the order of memory. `first` is the element of position 0 of the dispatch.
uint lowest_of(uint first, uint position) {
    return is_reverse() ? first - position - uint(UPSWEEP_ITEMS - 1) : first + position;
}
// The element that is bound and nearest to this one.
uint nearest(uint first, uint at) {
    uint bottom = is_reverse() ? first - parameters[UPSWEEP_P_LENGTH] : max(first, 1u) - 1u;
    uint top = first + parameters[UPSWEEP_P_LENGTH] - 1u;
    // A reversed sequence begins behind its last element.
    if (is_reverse()) top = first - (parameters[UPSWEEP_P_FIRST_GROUP] == 0u ? 1u : 0u);
    return clamp(at, bottom, top);
}
uvec2 wide_key(uint at) { return uvec2(described[2u * at], described[2u * at + 1u]); }

// The element before a strip is the last one of another invocation, or another work group's. All invocations call this.
uvec2 element_before(uint first, uint lowest, uint lane, uvec2 last) {
    strip_ends[lane] = last.x;
    if (is_wide()) strip_ends[uint(UPSWEEP_GROUP_SIZE) + lane] = last.y;
    synchronize();
    uint edge = is_reverse() ? uint(UPSWEEP_GROUP_SIZE - 1) : 0u;
    if (lane == edge) {
        uint at = nearest(first, lowest - 1u);
        if (is_wide()) return wide_key(at);
        return uvec2(described[at], 0u);
    }
    uint neighbour = is_reverse() ? lane + 1u : lane - 1u;
    return uvec2(strip_ends[neighbour], is_wide() ? strip_ends[uint(UPSWEEP_GROUP_SIZE) + neighbour] : 0u);
}

// A bit for each of them, in the order of memory; not right for what has no element before it, or is behind the last.
// `whole`: all are bound.
uint described_strip(uint first, uint lowest, bool whole, uint lane) {
    uvec4 runs[UPSWEEP_RUNS];
    if (whole && (lowest & 3u) == 0u) {
        for (int k = 0; k < UPSWEEP_RUNS; ++k) runs[k] = described_vectors[(lowest >> 2) + uint(k)];
    } else {
        for (int k = 0; k < UPSWEEP_RUNS; ++k) {
            uint at = lowest + uint(4 * k);
            runs[k] = uvec4(described[nearest(first, at)], described[nearest(first, at + 1u)],
                            described[nearest(first, at + 2u)], described[nearest(first, at + 3u)]);
        }
    }
    uint heads = 0u;
    if (!has_keys()) {
        for (int k = 0; k < UPSWEEP_RUNS; ++k) heads |= bits_of(uvec4(notEqual(runs[k], uvec4(0u)))) << uint(4 * k);
        return heads;
    }
    uint before = element_before(first, lowest, lane, uvec2(runs[UPSWEEP_RUNS - 1].w, 0u)).x;
    for (int k = 0; k < UPSWEEP_RUNS; ++k) {
        heads |= bits_of(changes(uvec4(before, runs[k].xyz), runs[k])) << uint(4 * k);
        before = runs[k].w;
    }
    return heads;
}
// The same by keys of two words.
uint wide_strip(uint first, uint lowest, bool whole, uint lane) {
    uvec4 pairs[UPSWEEP_ITEMS / 2];
    if (whole && (lowest & 1u) == 0u) {
        for (int k = 0; k < UPSWEEP_ITEMS / 2; ++k) pairs[k] = described_vectors[(lowest >> 1) + uint(k)];
    } else {
        for (int k = 0; k < UPSWEEP_ITEMS / 2; ++k) {
            uint at = lowest + uint(2 * k);
            pairs[k] = uvec4(wide_key(nearest(first, at)), wide_key(nearest(first, at + 1u)));
        }
    }
    uvec2 before = element_before(first, lowest, lane, pairs[UPSWEEP_ITEMS / 2 - 1].zw);
    uint heads = 0u;
    for (int k = 0; k < UPSWEEP_ITEMS / 2; ++k) {
        uvec2 each = wide_changes(uvec4(before, pairs[k].xy), pairs[k]);
        before = pairs[k].zw;
        heads |= (each.x | (each.y << 1)) << uint(2 * k);
    }
    return heads;
}
void main() {
    if (group_index() >= parameters[UPSWEEP_P_GROUPS]) return;
    uint lane = gl_LocalInvocationIndex;
    uint tile = parameters[UPSWEEP_P_FIRST_GROUP] + group_index();
    uint base = group_index() * uint(UPSWEEP_TILE_ELEMENTS);
    uint length = parameters[UPSWEEP_P_LENGTH];
    // Positions of the tile that belong to the sequence, and whether it ends among those here.
    uint inside = min(length - base, uint(UPSWEEP_TILE_ELEMENTS));
    bool ends = false;
    if (has_flag(UPSWEEP_F_LENGTH)) {
        uint whole = lengths[parameters[UPSWEEP_P_HEADS_LENGTH]];
        uint before = tile * uint(UPSWEEP_TILE_ELEMENTS);
        ends = whole >= before && whole - before < inside;
        inside = whole > before ? min(whole - before, inside) : 0u;
    }
    clear_bits(lane);
    synchronize();
    uint heads = 0u;
    if (has_keys() || has_flag(UPSWEEP_F_HEAD_FLAGS)) {
        uint first = parameters[UPSWEEP_P_INPUT_FIRST];
        uint lowest = lowest_of(first, base + strip_begin(lane));
        bool whole = base + uint(UPSWEEP_TILE_ELEMENTS) <= length && (tile != 0u || !is_reverse());
        if (is_wide())
            heads = wide_strip(first, lowest, whole, lane);
        else
            heads = described_strip(first, lowest, whole, lane);
        if (is_reverse()) heads = bitfieldReverse(heads) >> uint(32 - UPSWEEP_ITEMS);
    }
    if (tile == 0u && lane == 0u && !has_flag(UPSWEEP_F_FIRST_TOO)) heads |= 1u;
    uint left = inside > strip_begin(lane) ? min(inside - strip_begin(lane), uint(UPSWEEP_ITEMS)) : 0u;
    set_strip(lane, bitfieldExtract(heads, 0, int(left)));
    if (ends && lane == 0u) atomicOr(tile_bits[inside / 32u], 1u << (inside % 32u));
    synchronize();
    bool counted = has_flag(UPSWEEP_F_COUNTED);
    uint words = (length + 31u) / 32u;
    for (uint w = lane; w < uint(UPSWEEP_TILE_WORDS); w += uint(UPSWEEP_GROUP_SIZE)) {
        uint at = base / 32u + w;
        if (at < words) head_words[parameters[UPSWEEP_P_HEADS_FIRST] + at] = tile_bits[w];
    }
    if (!counted) return;
    count_bits(lane);
    synchronize();
    if (lane == 0u) tile_counts[tile] = tile_count - (ends ? 1u : 0u);
}
