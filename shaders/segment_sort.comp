// A sort of segments, first step: each tile is sorted, every segment or part of one that it has by itself. An invocation
// sorts a strip by comparing neighbours, and then stretches of 1, 2, 4, ... strips are merged with their neighbours, where a
// segment reaches over the border between the two.
#include "interface.glsl"
layout(local_size_x = UPSWEEP_GROUP_SIZE) in;
#include "item_count.glsl"
#include "key_order.glsl"
#include "segment_records.glsl"
#include "merge_strips.glsl"

layout(std430, binding = UPSWEEP_INPUT) readonly buffer key_block {
    key_words keys[];
};

// Of a stretch, at its first strip: its ends, positions in the tile.
shared uint first_heads[UPSWEEP_GROUP_SIZE];
shared uint last_heads[UPSWEEP_GROUP_SIZE];

void exchange(inout key_words a, inout key_words b, inout uint place_a, inout uint place_b, bool apart) {
    if (apart || !is_before(b, a)) return;
    key_words key = a;
    a = b;
    b = key;
    uint place = place_a;
    place_a = place_b;
    place_b = place;
}

// Neighbours change places, not across a head, in as many rounds as there are keys. The compiler does not know how many, so
// that it does not unroll them.
void sort_strip(inout key_words own[UPSWEEP_STRIP], inout uint places[UPSWEEP_STRIP], uint heads, uint rounds) {
    for (uint round = 0u; round < rounds; round += 2u) {
        for (int k = 0; k < UPSWEEP_STRIP; k += 2)
            exchange(own[k], own[k + 1], places[k], places[k + 1], (heads >> uint(k + 1) & 1u) != 0u);
        for (int k = 1; k + 1 < UPSWEEP_STRIP; k += 2)
            exchange(own[k], own[k + 1], places[k], places[k + 1], (heads >> uint(k + 1) & 1u) != 0u);
    }
}

// Merges stretches of `width` strips of a tile of `count` records with their right neighbours.
void merge_stretches(uint width, uint count, uint lane, inout key_words own[UPSWEEP_STRIP],
                     inout uint places[UPSWEEP_STRIP]) {
    uint left = lane & ~(2u * width - 1u);
    uint right = left + width;
    uint mid = strip_of(right);
    uint begin = max(strip_of(left), last_heads[left]);
    uint end = min(min(strip_of(right + width), first_heads[right]), count);
    uint from = max(strip_of(lane), begin);
    uint to = min(strip_of(lane + 1u), end);
    bool moves = mid < end && from < to;
    uint sources[UPSWEEP_STRIP];
    if (moves) {
        merge_strip(begin, mid, end, from, to, strip_of(lane), own, sources);
        for (int k = 0; k < UPSWEEP_STRIP; ++k) {
            uint place = strip_of(lane) + uint(k);
            if (place >= from && place < to) places[k] = near_place(sources[k]);
        }
    }
    synchronize();
    if (moves) {
        for (int k = 0; k < UPSWEEP_STRIP; ++k) near_keys[key_slot(strip_of(lane) + uint(k))] = own[k];
        put_places(lane, places);
    }
    if (lane == left) {
        first_heads[left] = min(first_heads[left], first_heads[right]);
        last_heads[left] = max(last_heads[left], last_heads[right]);
    }
    synchronize();
}

void main() {
    if (group_index() >= parameters[UPSWEEP_P_GROUPS]) return;
    uint lane = gl_LocalInvocationIndex;
    uint tile = parameters[UPSWEEP_P_FIRST_GROUP] + group_index();
    uint whole = item_count();
    uint base = tile * uint(UPSWEEP_SORT_TILE);
    if (base >= whole) return;
    uint count = min(whole - base, uint(UPSWEEP_SORT_TILE));

    key_words raw[UPSWEEP_STRIP];  // a work group's size apart
    for (int k = 0; k < UPSWEEP_STRIP; ++k)
        raw[k] = keys[parameters[UPSWEEP_P_INPUT_FIRST] + base + min(uint(k * UPSWEEP_GROUP_SIZE) + lane, count - 1u)];
    for (int k = 0; k < UPSWEEP_STRIP; ++k) near_keys[key_slot(uint(k * UPSWEEP_GROUP_SIZE) + lane)] = order_of(raw[k]);
    // A bit for each place of the strip.
    uint strip = strip_of(lane);
    uint inside = count > strip ? min(count - strip, uint(UPSWEEP_STRIP)) : 0u;
    uint heads = 0u;
    if (has_flag(UPSWEEP_F_WHOLE))
        heads = base + strip == 0u ? 1u : 0u;
    else if (inside != 0u)
        heads = workspace[(base + strip) / 32u] >> ((base + strip) % 32u) & ((1u << inside) - 1u);
    first_heads[lane] = heads != 0u ? strip + uint(findLSB(heads)) : UPSWEEP_NO_HEAD;
    last_heads[lane] = heads != 0u ? strip + uint(findMSB(heads)) : 0u;
    synchronize();

    key_words own[UPSWEEP_STRIP];
    uint places[UPSWEEP_STRIP];
    for (int k = 0; k < UPSWEEP_STRIP; ++k) {
        own[k] = near_keys[key_slot(strip + uint(k))];
        places[k] = strip + uint(k);
    }
    // What is behind the last record stays there.
    sort_strip(own, places, heads | ~((1u << inside) - 1u), min(count, uint(UPSWEEP_STRIP)));
    synchronize();
    for (int k = 0; k < UPSWEEP_STRIP; ++k) near_keys[key_slot(strip + uint(k))] = own[k];
    put_places(lane, places);
    synchronize();
    for (uint width = 1u; strip_of(width) < count; width *= 2u) merge_stretches(width, count, lane, own, places);

    // The tile's ends; keys as they were, from where they were.
    uvec2 ends = uvec2(first_heads[0], last_heads[0]);
    bool continues = base + count != whole;
    for (int k = 0; k < UPSWEEP_STRIP; ++k) near_keys[key_slot(uint(k * UPSWEEP_GROUP_SIZE) + lane)] = raw[k];
    synchronize();
    for (int k = 0; k < UPSWEEP_STRIP; ++k) {
        uint at = uint(k * UPSWEEP_GROUP_SIZE) + lane;
        if (at >= count) break;
        uint place = near_place(at);
        key_words key = near_keys[key_slot(place)];
        if (at < ends.x || (continues && at >= ends.y))
            store_open(base + at, key, base + place);
        else
            store_done(base + at, key, base + place);
    }
    if (lane != 0u) return;
    if (ends.x != UPSWEEP_NO_HEAD) ends += base;
    store_ends(tile, ends, parameters[UPSWEEP_P_ENDS]);
}
