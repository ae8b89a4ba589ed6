// The first k elements of each row, at most UPSWEEP_SELECTED of them a dispatch.
//
// Rows that shared memory has room for are put in order there, some a work group. A longer row has a work group, which
// selects from it (select_bound.glsl), digit after digit, until the candidates have room, and puts those in order. Only the
// first k of a row are: merges drop the others. Where more are wanted than have room, half as many or more come with each
// dispatch, and the last record is left in the workspace for the next one.
#include "interface.glsl"
layout(local_size_x = UPSWEEP_GROUP_SIZE) in;
#include "sort_keys.glsl"
#include "item_count.glsl"
#include "select_bound.glsl"

layout(std430, binding = UPSWEEP_OUTPUT) writeonly buffer first_key_block {
    key_words first_keys[];
};
layout(std430, binding = UPSWEEP_MOVED_VALUES) writeonly buffer first_word_block {
    uint first_words[];
};
// What goes along with the elements, unless that is their indices; or, of each row, how many elements have been stored and
// the last of them.
layout(std430, binding = UPSWEEP_WORKSPACE) buffer workspace_block {
    uint workspace[];
};

// 12 KiB of records of two words, 8 of one.
shared key_words record_keys[UPSWEEP_SELECTED];
shared uint record_indices[UPSWEEP_SELECTED];
shared uint record_count;
// And 2 or 4 KiB of counts.
#define UPSWEEP_COUNT_COPIES (4 / UPSWEEP_ELEMENT_WORDS)
#include "select_counts.glsl"
uint digit_count(uint where, uint digit) { return counted(digit); }

key_words key_at(uint row, uint index) { return source_of(row * parameters[UPSWEEP_P_LENGTH] + index); }
void set_record(uint at, key_words order, uint index) {
    record_keys[at] = order;
    record_indices[at] = index;
}
// Behind all others.
void set_no_record(uint at) { set_record(at, key_words(0xffffffffu), 0xffffffffu); }
bool goes_before(uint a, uint b) {
#if UPSWEEP_ELEMENT_WORDS == 2
    if (record_keys[a].y != record_keys[b].y) return record_keys[a].y < record_keys[b].y;
    if (record_keys[a].x != record_keys[b].x) return record_keys[a].x < record_keys[b].x;
#else
    if (record_keys[a] != record_keys[b]) return record_keys[a] < record_keys[b];
#endif
    return record_indices[a] < record_indices[b];
}

// The least power of two that is not less.
uint padded(uint count) { return count <= 1u ? 1u : 2u << uint(findMSB(count - 1u)); }

void exchange_records(uint a, uint b) {
    if (!goes_before(b, a)) return;
    key_words key = record_keys[a];
    uint index = record_indices[a];
    set_record(a, record_keys[b], record_indices[b]);
    set_record(b, key, index);
}

// Of each `size` records the first `kept` in order, in front of the others; powers of two, and `all` a multiple of `size`.
// With a barrier behind it. Every `kept` neighbours are sorted by Batcher's bitonic network, whose merges begin with
// comparisons from both ends towards the middle, so that none is turned round. The lesser ones of such comparisons of two
// sorted blocks are the first of both; they take the former's place, half a merge puts them in order, and so on.
void keep_first_records(uint all, uint size, uint kept, uint lane) {
    for (uint merged = 2u; merged <= kept; merged *= 2u) {
        for (uint apart = merged / 2u; apart != 0u; apart /= 2u) {
            for (uint pair = lane; pair < all / 2u; pair += uint(UPSWEEP_GROUP_SIZE)) {
                uint a = 2u * pair - (pair & (apart - 1u));
                exchange_records(a, apart == merged / 2u ? a ^ (merged - 1u) : a + apart);
            }
            synchronize();
        }
    }
    uint within = kept - 1u;  // bits of a place in a block
    for (uint blocks = 2u; kept * blocks <= size; blocks *= 2u) {  // of which one stays, the first
        uint left = all / blocks;
        for (uint i = lane; i < left; i += uint(UPSWEEP_GROUP_SIZE)) {
            uint begin = (i & ~within) * blocks;
            exchange_records(begin + (i & within), begin + kept * blocks / 2u + within - (i & within));
        }
        synchronize();
        for (uint apart = kept / 2u; apart != 0u; apart /= 2u) {
            for (uint pair = lane; pair < left / 2u; pair += uint(UPSWEEP_GROUP_SIZE)) {
                uint i = 2u * pair - (pair & (apart - 1u));
                uint a = (i & ~within) * blocks + (i & within);
                exchange_records(a, a + apart);
            }
            synchronize();
        }
    }
}

void store_element(uint row, uint place, uint index) {
    uint to = row * parameters[UPSWEEP_P_WANTED] + place;
    if (has_flag(UPSWEEP_F_KEYS)) first_keys[parameters[UPSWEEP_P_OUTPUT_FIRST] + to] = key_at(row, index);
    if (!has_flag(UPSWEEP_F_VALUES)) return;
    uint word = has_flag(UPSWEEP_F_INDICES) ? index : workspace[parameters[UPSWEEP_P_VALUES_FIRST] + index];
    first_words[parameters[UPSWEEP_P_MOVED_FIRST] + to] = word;
}

// All of some rows.
void take_short_rows(uint first_row, uint length, uint wanted, uint lane) {
    uint size = padded(length);
    uint rows = parameters[UPSWEEP_P_GROUP_ROWS];
    uint some = min(rows, parameters[UPSWEEP_P_ROWS] - first_row);
    for (uint i = lane; i < rows * size; i += uint(UPSWEEP_GROUP_SIZE)) {
        uint row = i >> uint(findMSB(size));
        uint index = i & (size - 1u);
        if (row < some && index < length)
            set_record(i, order_of(key_at(first_row + row, index)), index);
        else
            set_no_record(i);
    }
    synchronize();
    keep_first_records(rows * size, size, padded(wanted), lane);
    for (uint i = lane; i < some * wanted; i += uint(UPSWEEP_GROUP_SIZE))
        store_element(first_row + i / wanted, i % wanted, record_indices[i / wanted * size + i % wanted]);
}

// Elements that an invocation loads before it uses the first.
#define UPSWEEP_ROW_AHEAD 16
#define UPSWEEP_ROW_STRETCH (UPSWEEP_ROW_AHEAD * UPSWEEP_GROUP_SIZE)
uint stretch_index(uint base, int k, uint lane) { return base + uint(k * UPSWEEP_GROUP_SIZE) + lane; }
void load_stretch(uint row, uint base, uint length, uint lane, out key_words loaded[UPSWEEP_ROW_AHEAD]) {
    for (int k = 0; k < UPSWEEP_ROW_AHEAD; ++k)
        loaded[k] = key_at(row, min(stretch_index(base, k, lane), length - 1u));
}

// How many have each digit, of the records that share the bound's, but for those that are stored already.
void count_row(uint row, uint length, uint shift, selection_bound bound, bool some_stored, selection_bound stored,
               uint lane) {
    clear_counts(lane);
    for (uint base = 0u; base < length; base += uint(UPSWEEP_ROW_STRETCH)) {
        key_words loaded[UPSWEEP_ROW_AHEAD];
        load_stretch(row, base, length, lane, loaded);
        for (int k = 0; k < UPSWEEP_ROW_AHEAD; ++k) {
            uint index = stretch_index(base, k, lane);
            key_words order = order_of(loaded[k]);
            if (index >= length || !shares_digits(shift, order, index, bound)) continue;
            if (some_stored && is_within(order, index, stored)) continue;
            count_digit(digit_at(shift, order, index), lane);
        }
    }
    add_run(lane);
    synchronize();
}
// Those up to the bound, in any order.
void collect_row(uint row, uint length, selection_bound bound, bool some_stored, selection_bound stored, uint lane) {
    if (lane == 0u) record_count = 0u;
    synchronize();
    for (uint base = 0u; base < length; base += uint(UPSWEEP_ROW_STRETCH)) {
        key_words loaded[UPSWEEP_ROW_AHEAD];
        load_stretch(row, base, length, lane, loaded);
        for (int k = 0; k < UPSWEEP_ROW_AHEAD; ++k) {
            uint index = stretch_index(base, k, lane);
            key_words order = order_of(loaded[k]);
            if (index >= length || !is_within(order, index, bound)) continue;
            if (some_stored && is_within(order, index, stored)) continue;
            set_record(atomicAdd(record_count, 1u), order, index);
        }
    }
    synchronize();
}

void take_long_row(uint row, uint length, uint wanted, uint lane) {
    uint state = parameters[UPSWEEP_P_VALUES_FIRST] + row * uint(UPSWEEP_ROW_STATE_WORDS);
    uint done = 0u;
    selection_bound stored = first_bound(0u, true);
    if (has_flag(UPSWEEP_F_CONTINUED)) {
        done = workspace[state];
        stored.index = workspace[state + 1u];
#if UPSWEEP_ELEMENT_WORDS == 1
        stored.key = workspace[state + 2u];
#else
        stored.key = uvec2(workspace[state + 2u], workspace[state + 3u]);
#endif
    }
    if (done >= wanted) return;  // the whole work group
    uint left = wanted - done;
    uint rank = left <= uint(UPSWEEP_SELECTED) ? left : uint(UPSWEEP_SELECTED / 2);
    selection_bound bound = first_bound(rank, length - done <= uint(UPSWEEP_SELECTED));
    // Behind the last digit there are exactly `rank`.
    for (uint shift = uint(32 * UPSWEEP_ELEMENT_WORDS + 24); !bound.settled;
         shift = shift == 32u ? parameters[UPSWEEP_P_INDEX_SHIFT] : shift - 8u) {
        count_row(row, length, shift, bound, done != 0u, stored, lane);
        narrow_bound(0u, shift, rank, uint(UPSWEEP_SELECTED), lane, bound);
    }
    collect_row(row, length, bound, done != 0u, stored, lane);
    uint found = record_count;
    uint size = padded(found);
    for (uint i = found + lane; i < size; i += uint(UPSWEEP_GROUP_SIZE)) set_no_record(i);
    synchronize();
    keep_first_records(size, size, padded(min(found, left)), lane);
    for (uint i = lane; i < min(found, left); i += uint(UPSWEEP_GROUP_SIZE))
        store_element(row, done + i, record_indices[i]);
    if (left <= uint(UPSWEEP_SELECTED) && !has_flag(UPSWEEP_F_CONTINUED)) return;
    if (lane == 0u) {
        workspace[state] = done + min(found, left);
        workspace[state + 1u] = bound.index;
#if UPSWEEP_ELEMENT_WORDS == 1
        workspace[state + 2u] = bound.key;
#else
        workspace[state + 2u] = bound.key.x;
        workspace[state + 3u] = bound.key.y;
#endif
    }
}

void main() {
    if (group_index() >= parameters[UPSWEEP_P_GROUPS]) return;
    uint lane = gl_LocalInvocationIndex;
    uint length = item_count();
    uint wanted = min(parameters[UPSWEEP_P_WANTED], length);
    uint row = group_index() * parameters[UPSWEEP_P_GROUP_ROWS];
    if (length <= uint(UPSWEEP_SELECTED))
        take_short_rows(row, length, wanted, lane);
    else
        take_long_row(row, length, wanted, lane);
}
