// Counts the elements of each bin. A work group counts tiles of 4096 in counters of its own, in shared memory, and then
// adds them to the counts in the buffer, which clear_counts left at zero: sums of integers, the same in any order.
//
// Where there are few bins each has up to 32 counters, of which an invocation takes its lane's, so that a subgroup
// meets in no bank whatever it counts. Where there are more bins than counters, several work groups read the same tiles
// and each counts a slice of the bins; their neighbours find the tiles in the caches. Far more bins than that are
// counted in the buffer at once. Neighbours of one bin are counted together everywhere.
#include "interface.glsl"
layout(local_size_x = UPSWEEP_GROUP_SIZE) in;
#include "element.glsl"

layout(std430, binding = UPSWEEP_LENGTH) readonly buffer length_block {
    uint lengths[];
};

layout(std430, binding = UPSWEEP_OUTPUT) buffer count_block {
    uint counts[];
};

// Counters, then the thresholds if there is room for them.
shared uint tallies[UPSWEEP_TALLY_WORDS];

#define UPSWEEP_NEAR_TABLE
#include "bin_classes.glsl"

// Elements of this dispatch.
uint dispatch_length() {
    if (!has_flag(UPSWEEP_F_LENGTH)) return parameters[UPSWEEP_P_LENGTH];
    uint length = min(lengths[parameters[UPSWEEP_P_LENGTH_INDEX]], parameters[UPSWEEP_P_MAXIMUM]);
    uint before = parameters[UPSWEEP_P_BEFORE];
    return length > before ? min(length - before, parameters[UPSWEEP_P_LENGTH]) : 0u;
}
// An invocation counts runs of four neighbours, a work group's size apart.
uint run_position(uint base, int k, uint lane) {
    return base + (uint(k * UPSWEEP_GROUP_SIZE) + lane) * uint(UPSWEEP_RUN_ELEMENTS);
}
// All of a tile's runs, as a number that the compiler does not know: unrolled, the search would be there sixteen times.
int run_count(uint length) { return int(min(length, uint(UPSWEEP_RUNS))); }

// The bins from first_bin on for which this work group has counters.
uint first_bin() {
    uint slice = parameters[UPSWEEP_P_FIRST_GROUP] + group_index() % parameters[UPSWEEP_P_SLICES];
    return slice * parameters[UPSWEEP_P_SLICE_BINS];
}
uint bin_count() { return min(parameters[UPSWEEP_P_BINS] - first_bin(), parameters[UPSWEEP_P_SLICE_BINS]); }
uint tally_slot(uint i, uint lane) {
    uint copies = parameters[UPSWEEP_P_COPIES];
    return i * copies + (lane & (copies - 1u));
}

void add(uint bin, uint count, uint lane) {
    if (bin >= parameters[UPSWEEP_P_BINS]) return;
    if (has_flag(UPSWEEP_F_FAR_COUNTERS)) {
        atomicAdd(counts[parameters[UPSWEEP_P_OUTPUT_FIRST] + bin], count);
    } else if (bin - first_bin() < bin_count()) {
        atomicAdd(tallies[tally_slot(bin - first_bin(), lane)], count);
    }
}

// So many elements of this invocation had this bin, in runs of one bin: they are added together.
uint row_bin = UPSWEEP_NO_BIN;
uint row_count = 0u;

// The bins of a run, where what is behind the length has none.
void tally(uint found[UPSWEEP_RUN_ELEMENTS], uint lane) {
    bool alike = true;
    for (int m = 1; m < UPSWEEP_RUN_ELEMENTS; ++m) alike = alike && found[m] == found[0];
    if (!alike) {
        for (int m = 0; m < UPSWEEP_RUN_ELEMENTS; ++m) add(found[m], 1u, lane);
        return;
    }
    if (found[0] != row_bin) {
        add(row_bin, row_count, lane);
        row_bin = found[0];
        row_count = 0u;
    }
    row_count += uint(UPSWEEP_RUN_ELEMENTS);
}

#ifdef UPSWEEP_USER_BINS

void load_thresholds(uint lane) {}

void count_tile(uint base, uint length, uint lane) {
    int runs = run_count(length);
    for (int k = 0; k < runs; ++k) {
        uint position = run_position(base, k, lane);
        uint found[UPSWEEP_RUN_ELEMENTS];
        for (uint m = 0u; m < uint(UPSWEEP_RUN_ELEMENTS); ++m)
            found[m] = position + m < length ? bin(position + m) : UPSWEEP_NO_BIN;
        tally(found, lane);
    }
}

#else

layout(std430, binding = UPSWEEP_INPUT) readonly buffer input_block {
    stored input_elements[];
};
// The same memory in vectors of four words.
layout(std430, binding = UPSWEEP_INPUT) readonly buffer input_vector_block {
    uvec4 input_vectors[];
};

// Four neighbours; what lies behind the length gets a value that must not matter.
void load_run(uint first, uint position, uint length, bool vectors, out stored run[UPSWEEP_RUN_ELEMENTS]) {
    if (vectors) {
        uint at = (first + position) * uint(UPSWEEP_ELEMENT_WORDS) >> 2;
#if UPSWEEP_ELEMENT_WORDS == 1
        uvec4 four = input_vectors[at];
        for (int m = 0; m < 4; ++m) run[m] = four[m];
#else
        uvec4 low = input_vectors[at];
        uvec4 high = input_vectors[at + 1u];
        run[0] = low.xy;
        run[1] = low.zw;
        run[2] = high.xy;
        run[3] = high.zw;
#endif
        return;
    }
    for (int m = 0; m < UPSWEEP_RUN_ELEMENTS; ++m) {
        bool inside = position + uint(m) < length;
        run[m] = inside ? input_elements[first + position + uint(m)] : stored(0u);
    }
}

void count_tile(uint base, uint length, uint lane) {
    uint first = parameters[UPSWEEP_P_INPUT_FIRST];
    // Whether the tile is complete and its runs begin at multiples of 16 bytes.
    bool vectors = length - base >= uint(UPSWEEP_TILE_ELEMENTS) && (first * uint(UPSWEEP_ELEMENT_WORDS) & 3u) == 0u;
    stored ahead[UPSWEEP_RUN_ELEMENTS];
    load_run(first, run_position(base, 0, lane), length, vectors, ahead);
    int runs = run_count(length);
    for (int k = 0; k < runs; ++k) {
        stored run[UPSWEEP_RUN_ELEMENTS] = ahead;
        if (k + 1 < runs) load_run(first, run_position(base, k + 1, lane), length, vectors, ahead);
        uint position = run_position(base, k, lane);
        uint found[UPSWEEP_RUN_ELEMENTS];
        for (int m = 0; m < UPSWEEP_RUN_ELEMENTS; ++m)
            found[m] = position + uint(m) < length ? find_bin(run[m]) : UPSWEEP_NO_BIN;
        tally(found, lane);
    }
}

#endif

void main() {
    if (group_index() >= parameters[UPSWEEP_P_GROUPS]) return;
    uint lane = gl_LocalInvocationIndex;
    bool counts_here = !has_flag(UPSWEEP_F_FAR_COUNTERS);
    uint copies = parameters[UPSWEEP_P_COPIES];
    if (counts_here) {
        for (uint i = lane; i < bin_count() * copies; i += uint(UPSWEEP_GROUP_SIZE)) tallies[i] = 0u;
    }
    load_thresholds(lane);
    synchronize();

    uint length = dispatch_length();
    uint tiles = length / uint(UPSWEEP_TILE_ELEMENTS) + (length % uint(UPSWEEP_TILE_ELEMENTS) != 0u ? 1u : 0u);
    // Work groups that run at the same time read tiles that lie side by side.
    uint slices = parameters[UPSWEEP_P_SLICES];
    uint stretches = parameters[UPSWEEP_P_GROUPS] / slices;
    uint tile = group_index() / slices;
    for (uint t = 0u; t < parameters[UPSWEEP_P_GROUP_TILES] && tile < tiles; ++t) {
        count_tile(tile * uint(UPSWEEP_TILE_ELEMENTS), length, lane);
        tile += stretches;
    }
    add(row_bin, row_count, lane);
    synchronize();

    if (!counts_here) return;
    for (uint i = lane; i < bin_count(); i += uint(UPSWEEP_GROUP_SIZE)) {
        uint sum = 0u;
        // Each lane begins with another copy, so that they do not meet in a bank.
        for (uint c = 0u; c < copies; ++c) sum += tallies[tally_slot(i, c + lane)];
        if (sum != 0u) atomicAdd(counts[parameters[UPSWEEP_P_OUTPUT_FIRST] + first_bin() + i], sum);
    }
}
