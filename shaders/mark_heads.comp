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

layout(std430, binding = UPSWEEP_INPUT) readonly buffer description_block {
    uint described[];
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

#define UPSWEEP_TILE_WORDS (UPSWEEP_TILE_ELEMENTS / 32)
shared uint marks[UPSWEEP_TILE_WORDS];
shared uint tile_count;

// Words of the keys' elements `at` - 1 and `at`, high word first. Equal as operator== of C++ has it: no NaN equals
// anything, and -0 is +0.
bool differ(uvec2 a, uvec2 b) {
    if (!has_flag(UPSWEEP_F_FLOATING_KEYS)) return a != b;
    bool wide = parameters[UPSWEEP_P_RECORD_WORDS] == 2u;
    uint infinity = wide ? 0x7ff00000u : 0x7f800000u;
    uvec2 x = uvec2(a.x & 0x7fffffffu, a.y);
    uvec2 y = uvec2(b.x & 0x7fffffffu, b.y);
    if (x.x > infinity || (x.x == infinity && x.y != 0u)) return true;
    if (x == uvec2(0u) && y == uvec2(0u)) return false;
    return a != b;
}
uvec2 key(uint at) {
    if (parameters[UPSWEEP_P_RECORD_WORDS] == 1u) return uvec2(described[at], 0u);
    return uvec2(described[2u * at + 1u], described[2u * at]);
}

bool is_head(uint tile, uint position) {
    if (tile == 0u && position == 0u && !has_flag(UPSWEEP_F_FIRST_TOO)) return true;
    uint at = parameters[UPSWEEP_P_INPUT_FIRST] + (has_flag(UPSWEEP_F_REVERSE) ? 0u - position : position);
    if (has_flag(UPSWEEP_F_SEGMENT_KEYS)) return differ(key(at - 1u), key(at));
    if (has_flag(UPSWEEP_F_HEAD_FLAGS)) return described[at] != 0u;
    return false;
}

void main() {
    if (group_index() >= parameters[UPSWEEP_P_GROUPS]) return;
    uint lane = gl_LocalInvocationIndex;
    uint tile = parameters[UPSWEEP_P_FIRST_GROUP] + group_index();
    uint base = group_index() * uint(UPSWEEP_TILE_ELEMENTS);
    uint length = parameters[UPSWEEP_P_LENGTH];
    // Elements of the tile that belong to the sequence, and whether it ends among the positions here.
    uint inside = uint(UPSWEEP_TILE_ELEMENTS);
    bool ends = false;
    if (has_flag(UPSWEEP_F_LENGTH)) {
        uint whole = lengths[parameters[UPSWEEP_P_HEADS_LENGTH]];
        uint before = tile * uint(UPSWEEP_TILE_ELEMENTS);
        inside = whole > before ? min(whole - before, inside) : 0u;
        ends = whole >= before && inside < uint(UPSWEEP_TILE_ELEMENTS) && base + inside < length;
    }
    for (uint w = lane; w < uint(UPSWEEP_TILE_WORDS); w += uint(UPSWEEP_GROUP_SIZE)) marks[w] = 0u;
    if (lane == 0u) tile_count = 0u;
    synchronize();
    for (uint i = lane; i < uint(UPSWEEP_TILE_ELEMENTS); i += uint(UPSWEEP_GROUP_SIZE)) {
        uint position = base + i;
        if (position >= length) break;
        bool head = i == inside && ends;
        if (i < inside) head = is_head(tile, position);
        if (head) atomicOr(marks[i / 32u], 1u << (i % 32u));
    }
    synchronize();
    bool counted = has_flag(UPSWEEP_F_COUNTED);
    uint words = (length + 31u) / 32u;
    for (uint w = lane; w < uint(UPSWEEP_TILE_WORDS); w += uint(UPSWEEP_GROUP_SIZE)) {
        uint at = base / 32u + w;
        if (at < words) head_words[parameters[UPSWEEP_P_HEADS_FIRST] + at] = marks[w];
        if (counted) atomicAdd(tile_count, uint(bitCount(marks[w])));
    }
    if (!counted) return;
    synchronize();
    if (lane == 0u) tile_counts[tile] = tile_count - (ends ? 1u : 0u);
}
