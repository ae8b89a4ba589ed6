// The last step of a stable split: the items of a tile are put in order of their bins in shared memory, word by word,
// and stored from there, neighbours to neighbouring places (split.glsl). The counts have been scanned in between.
//
// An item's rank among those of its bin is counted 256 items at a time: each sets its bit in a mask of its bin, and
// counts the bits in front of it. Nothing depends on subgroups or on the order in which invocations run.

// Before each bin of each tile, the items with earlier places; at UPSWEEP_P_CARRY a length that came from a buffer.
layout(std430, binding = UPSWEEP_WORKSPACE) readonly buffer workspace_block {
    uint workspace[];
};

#define UPSWEEP_MASK_ROWS (UPSWEEP_GROUP_SIZE / 32)
// Places that are filled at once: as many words as the masks of all bins are, which they share.
#define UPSWEEP_WINDOW (UPSWEEP_MASK_ROWS * UPSWEEP_MOST_BINS)
#define UPSWEEP_WINDOW_ITEMS (UPSWEEP_WINDOW / UPSWEEP_GROUP_SIZE)  // of an invocation
// A bin above, a number below UPSWEEP_SPLIT_ITEMS in the low bits.
#define UPSWEEP_LOW_BITS 12

shared uint words[UPSWEEP_WINDOW];
shared uint bin_before[UPSWEEP_MOST_BINS];  // items of the tile in earlier bins
shared uint bin_first[UPSWEEP_MOST_BINS];   // what is added to an item's position in the tile to get its place

uint joined(uint bin, uint low) { return bin << UPSWEEP_LOW_BITS | low; }
uint low_of(uint both) { return both & ((1u << UPSWEEP_LOW_BITS) - 1u); }
uint bin_in(uint both) { return both >> UPSWEEP_LOW_BITS; }
// Whether a position, with its bin, is one of UPSWEEP_WINDOW from `start` on. Below that it wraps around.
bool in_window(uint both, uint start) {
    return both != UPSWEEP_NO_BIN && low_of(both) - start < uint(UPSWEEP_WINDOW);
}

uint mask_slot(uint row, uint bin) { return row * uint(UPSWEEP_MOST_BINS) + bin; }

// The rank of one of 256 items among those of its bin that the tile has up to them.
uint rank_of(uint bin, uint lane, uint bins) {
    uint row = lane / 32u;
    uint bit = 1u << (lane % 32u);
    bool chosen = bin < bins;
    if (chosen) atomicOr(words[mask_slot(row, bin)], bit);
    synchronize();
    uint rank = 0u;
    if (chosen) {
        rank = bin_before[bin] + uint(bitCount(words[mask_slot(row, bin)] & (bit - 1u)));
        for (uint r = 0u; r < row; ++r) rank += uint(bitCount(words[mask_slot(r, bin)]));
    }
    synchronize();
    if (lane < bins) {
        uint sum = 0u;
        for (uint r = 0u; r < uint(UPSWEEP_MASK_ROWS); ++r) {
            sum += uint(bitCount(words[mask_slot(r, lane)]));
            words[mask_slot(r, lane)] = 0u;
        }
        bin_before[lane] += sum;
    }
    synchronize();
    return rank;
}

// From the bins of a tile's `count` items to bins and ranks in the tile; returns how many items bin `lane` has.
uint rank_items(uint lane, uint count, uint bins, inout uint own[UPSWEEP_ROUNDS]) {
    if (lane < bins) {
        for (uint row = 0u; row < uint(UPSWEEP_MASK_ROWS); ++row) words[mask_slot(row, lane)] = 0u;
        bin_before[lane] = 0u;
    }
    synchronize();
    for (int k = 0; k < UPSWEEP_ROUNDS; ++k) {
        if (uint(k * UPSWEEP_GROUP_SIZE) >= count) break;
        uint rank = rank_of(own[k], lane, bins);
        own[k] = own[k] < bins ? joined(own[k], rank) : UPSWEEP_NO_BIN;
    }
    return lane < bins ? bin_before[lane] : 0u;
}

// From how many items each bin has, in bin_before, to how many are in earlier ones; `value` is that of bin `lane`.
// Returns how many there are in all, and leaves bin_before for something else.
uint sum_before(uint lane, uint bins, uint value, out uint before) {
    uint sum = value;
    for (uint distance = 1u; distance < bins; distance *= 2u) {
        if (lane < bins && lane >= distance) sum += bin_before[lane - distance];
        synchronize();
        if (lane < bins) bin_before[lane] = sum;
        synchronize();
    }
    before = sum - value;
    uint all = bin_before[bins - 1u];
    synchronize();
    return all;
}

void main() {
    if (group_index() >= parameters[UPSWEEP_P_GROUPS]) return;
    uint lane = gl_LocalInvocationIndex;
    uint tile = split_tile();
    uint bins = parameters[UPSWEEP_P_BINS];
    uint count = has_flag(UPSWEEP_F_LENGTH) ? workspace[parameters[UPSWEEP_P_CARRY]] : parameters[UPSWEEP_P_LENGTH];
    uint base = tile * uint(UPSWEEP_SPLIT_ITEMS);
    if (base >= count) return;

    // Asked for before the items, used after them.
    uint first = lane < bins ? workspace[count_slot(lane, tile)] : 0u;
    split_source sources[UPSWEEP_ROUNDS];  // of this invocation's items
    for (int k = 0; k < UPSWEEP_ROUNDS; ++k)
        sources[k] = source_of(min(base + uint(k * UPSWEEP_GROUP_SIZE) + lane, count - 1u));
    uint own[UPSWEEP_ROUNDS];  // their bins, with their ranks, and then with their positions in the tile
    for (int k = 0; k < UPSWEEP_ROUNDS; ++k)
        own[k] = base + uint(k * UPSWEEP_GROUP_SIZE) + lane < count ? bin_of(sources[k]) : UPSWEEP_NO_BIN;
    uint total = rank_items(lane, count - base, bins, own);
    uint before;
    uint kept = sum_before(lane, bins, total, before);
    if (lane < bins) {
        bin_before[lane] = before;
        bin_first[lane] = first - before;
    }
    synchronize();
    for (int k = 0; k < UPSWEEP_ROUNDS; ++k) {
        if (own[k] != UPSWEEP_NO_BIN) own[k] += bin_before[bin_in(own[k])];
    }

    // Where the items of a window of positions go, and then their words, one after the other.
    for (uint start = 0u; start < kept; start += uint(UPSWEEP_WINDOW)) {
        for (int k = 0; k < UPSWEEP_ROUNDS; ++k) {
            if (in_window(own[k], start)) words[low_of(own[k]) - start] = bin_first[bin_in(own[k])] + low_of(own[k]);
        }
        synchronize();
        uint places[UPSWEEP_WINDOW_ITEMS];
        for (int j = 0; j < UPSWEEP_WINDOW_ITEMS; ++j) places[j] = words[uint(j * UPSWEEP_GROUP_SIZE) + lane];
        synchronize();
        for (uint word = 0u; word < split_words(); ++word) {
            uint moved[UPSWEEP_ROUNDS];
            for (int k = 0; k < UPSWEEP_ROUNDS; ++k)
                moved[k] = word_of(min(base + uint(k * UPSWEEP_GROUP_SIZE) + lane, count - 1u), sources[k], word);
            for (int k = 0; k < UPSWEEP_ROUNDS; ++k) {
                if (in_window(own[k], start)) words[low_of(own[k]) - start] = moved[k];
            }
            synchronize();
            for (int j = 0; j < UPSWEEP_WINDOW_ITEMS; ++j) {
                uint i = uint(j * UPSWEEP_GROUP_SIZE) + lane;
                if (start + i < kept) store_word(places[j], word, words[i]);
            }
            synchronize();
        }
    }
}
