// A sort of segments, next step: sorted stretches of 1, 2, 4, ... tiles are merged with their right neighbours, where a
// segment reaches over the border between the two. What they have of segments that may reach out of both goes along, unless
// it is merged, so that all that is open lies in one array. A work group has some tiles of the result, and first finds out in
// which there is something to do.
#include "interface.glsl"
layout(local_size_x = UPSWEEP_GROUP_SIZE) in;
#include "item_count.glsl"
#include "key_order.glsl"
#include "segment_records.glsl"
#include "merge_strips.glsl"

layout(std430, binding = UPSWEEP_INPUT) readonly buffer record_block {
    uint records[];
};

uint record_at(uint position) { return parameters[UPSWEEP_P_INPUT_FIRST] + position * record_words(); }
#if UPSWEEP_ELEMENT_WORDS == 1
key_words key_at(uint position) { return records[record_at(position)]; }
#else
key_words key_at(uint position) { return uvec2(records[record_at(position)], records[record_at(position) + 1u]); }
#endif

// A tile's first position, and what is behind the last one.
uint begin_of(uint tile, uint tiles, uint count) { return tile >= tiles ? count : tile * uint(UPSWEEP_SORT_TILE); }
// Of the stretch that begins with a tile.
uvec2 ends_of(uint tile, uint tiles) {
    if (tile >= tiles) return uvec2(UPSWEEP_NO_HEAD, 0u);
    uint at = parameters[UPSWEEP_P_ENDS] + 2u * (tile >> parameters[UPSWEEP_P_LEVEL]);
    return uvec2(workspace[at], workspace[at + 1u]);
}
uint left_tile_of(uint tile) { return tile >> (parameters[UPSWEEP_P_LEVEL] + 1u) << (parameters[UPSWEEP_P_LEVEL] + 1u); }

void pass_on(uint from, uint to, uint lane) {
    uint end = to * record_words();
    for (uint word = from * record_words() + lane; from < to && word < end; word += uint(UPSWEEP_GROUP_SIZE))
        open_words[parameters[UPSWEEP_P_OUTPUT_FIRST] + word] = records[parameters[UPSWEEP_P_INPUT_FIRST] + word];
}

// Half of the work group looks for each of two numbers, at so many parts of an interval at once. That number to the power of
// the rounds is more than there are records.
#define UPSWEEP_SEARCH_PARTS (UPSWEEP_GROUP_SIZE / 2)
#define UPSWEEP_SEARCH_ROUNDS 5
shared uint reached[2 * UPSWEEP_SEARCH_ROUNDS];

// How many of the first taken.x records come from the first one of the runs [begin, mid) and [mid, end) of the whole array
// when they are merged; and of the first taken.y.
uvec2 split_runs(uint begin, uint mid, uint end, uvec2 taken, uint lane) {
    bool is_second = lane >= uint(UPSWEEP_SEARCH_PARTS);
    uint part = is_second ? lane - uint(UPSWEEP_SEARCH_PARTS) : lane;
    uint own_taken = is_second ? taken.y : taken.x;
    uvec2 low = max(taken, uvec2(end - mid)) - uvec2(end - mid);
    uvec2 high = min(taken, uvec2(mid - begin));
    uint own_high = is_second ? high.y : high.x;
    uint size = max(high.x - low.x, high.y - low.y) + 1u;
    // As many rounds for the whole work group.
    for (uint slot = 0u; size > 1u; slot += 2u) {
        size = (size - 1u) / uint(UPSWEEP_SEARCH_PARTS) + 1u;
        uint at = (is_second ? low.y : low.x) + part * size;
        // With so many from the first run, that its last one is not behind what the second has left.
        if (part != 0u && at <= own_high &&
            !is_before(order_of(key_at(mid + own_taken - at)), order_of(key_at(begin + at - 1u))))
            atomicMax(reached[slot + (is_second ? 1u : 0u)], at);
        synchronize();
        low = max(low, uvec2(reached[slot], reached[slot + 1u]));
    }
    return low;
}

// The places from `from` to `to` of the merged runs, at most a tile of them. The same arguments in the whole work group, for
// which nobody has `reached` anything.
void merge_runs(uint begin, uint mid, uint end, uint from, uint to, bool is_done, uint lane) {
    uvec2 firsts = split_runs(begin, mid, end, uvec2(from, to) - uvec2(begin), lane);
    uint count = to - from;
    uint first_count = firsts.y - firsts.x;
    // Where the shares of the two runs are.
    uint first_at = begin + firsts.x;
    uint second_at = mid + (from - begin - firsts.x) - first_count;
    for (int k = 0; k < UPSWEEP_STRIP; ++k) {
        uint i = min(uint(k * UPSWEEP_GROUP_SIZE) + lane, count - 1u);
        near_keys[key_slot(uint(k * UPSWEEP_GROUP_SIZE) + lane)] =
            order_of(key_at(i + (i < first_count ? first_at : second_at)));
    }
    synchronize();
    key_words own[UPSWEEP_STRIP];
    uint sources[UPSWEEP_STRIP];
    for (int k = 0; k < UPSWEEP_STRIP; ++k) sources[k] = 0u;
    uint strip = strip_of(lane);
    if (strip < count)
        merge_strip(0u, first_count, count, strip, min(strip + uint(UPSWEEP_STRIP), count), strip, own, sources);
    put_places(lane, sources);
    synchronize();
    for (int k = 0; k < UPSWEEP_STRIP; ++k) {
        uint i = uint(k * UPSWEEP_GROUP_SIZE) + lane;
        if (i >= count) break;
        uint source = near_place(i);
        uint position = source + (source < first_count ? first_at : second_at);
        uint index = has_flag(UPSWEEP_F_INDICES) ? records[record_at(position) + uint(UPSWEEP_ELEMENT_WORDS)] : 0u;
        if (is_done)
            store_done(from + i, key_at(position), index);
        else
            store_open(from + i, key_at(position), index);
    }
}

// What becomes of a tile of the result. The segment at the border of the two stretches, [begin, end), is merged, of which the
// tile has [from, to). In front of it [left_from, left_to) belongs to a segment from outside, up to a first head; behind it
// [right_from, right_to) to one that goes on outside, from a last head on.
struct tile_work {
    uint begin, mid, end;
    uint from, to;
    uint left_from, left_to;
    uint right_from, right_to;
    bool is_done;  // the merged segment has both its ends here
};
tile_work work_of(uint tile, uint tiles, uint count) {
    uint left_tile = left_tile_of(tile);
    uint mid_tile = left_tile + (1u << parameters[UPSWEEP_P_LEVEL]);
    uint stop = begin_of(mid_tile + (1u << parameters[UPSWEEP_P_LEVEL]), tiles, count);
    uvec2 left = ends_of(left_tile, tiles);
    uvec2 right = ends_of(mid_tile, tiles);
    tile_work work;
    work.mid = begin_of(mid_tile, tiles, count);
    // A stretch without a neighbour has nothing to merge.
    work.begin = mid_tile >= tiles ? count : max(begin_of(left_tile, tiles, count), left.y);
    work.end = min(stop, right.x);
    work.left_from = begin_of(tile, tiles, count);
    work.right_to = begin_of(tile + 1u, tiles, count);
    work.from = max(work.left_from, work.begin);
    work.to = min(work.right_to, work.end);
    work.left_to = min(work.right_to, min(work.begin, left.x));
    work.right_from = stop == count ? count : max(work.left_from, max(work.end, right.y));
    work.is_done = left.x != UPSWEEP_NO_HEAD && (right.x != UPSWEEP_NO_HEAD || stop == count);
    return work;
}

shared uint busy_tiles;  // a bit for each tile of the work group, of at most 32

void main() {
    if (group_index() >= parameters[UPSWEEP_P_GROUPS]) return;
    uint lane = gl_LocalInvocationIndex;
    uint count = item_count();
    uint tiles = count == 0u ? 0u : (count - 1u) / uint(UPSWEEP_SORT_TILE) + 1u;
    uint first_tile = (parameters[UPSWEEP_P_FIRST_GROUP] + group_index()) * parameters[UPSWEEP_P_GROUP_TILES];
    if (first_tile >= tiles) return;
    if (lane == 0u) busy_tiles = 0u;
    synchronize();
    uint own_tile = first_tile + lane;
    if (lane < parameters[UPSWEEP_P_GROUP_TILES] && own_tile < tiles) {
        tile_work work = work_of(own_tile, tiles, count);
        if (work.from < work.to || work.left_from < work.left_to || work.right_from < work.right_to)
            atomicOr(busy_tiles, 1u << lane);
        if (own_tile == left_tile_of(own_tile)) {
            uvec2 left = ends_of(own_tile, tiles);
            uvec2 right = ends_of(own_tile + (1u << parameters[UPSWEEP_P_LEVEL]), tiles);
            store_ends(own_tile >> (parameters[UPSWEEP_P_LEVEL] + 1u),
                       uvec2(min(left.x, right.x), max(left.y, right.y)), parameters[UPSWEEP_P_NEXT_ENDS]);
        }
    }
    synchronize();
    for (uint busy = busy_tiles; busy != 0u; busy &= busy - 1u) {
        tile_work work = work_of(first_tile + uint(findLSB(busy)), tiles, count);
        pass_on(work.left_from, work.left_to, lane);
        pass_on(work.right_from, work.right_to, lane);
        if (work.from >= work.to) continue;
        if (lane < uint(2 * UPSWEEP_SEARCH_ROUNDS)) reached[lane] = 0u;
        synchronize();
        merge_runs(work.begin, work.mid, work.end, work.from, work.to, work.is_done, lane);
        synchronize();
    }
}
