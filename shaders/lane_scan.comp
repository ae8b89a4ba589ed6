// Scans along an axis, or totals alone (UPSWEEP_F_ONLY_TOTAL), a sequence an invocation, from end to end: for many
// sequences. Neighbouring invocations have neighbouring sequences, so that loads and stores of a work group are of
// neighbours in memory where the sequences are such. Where the elements of a sequence are closer to each other than the
// sequences are (UPSWEEP_F_TURNED), invocations load and store for each other, a piece of a sequence at a time.
//
// Some drivers stop an invocation after 65535 iterations of its loops, and an array may be larger than a binding: then a
// dispatch has a part of each sequence, and the next one goes on from the state in the workspace.
#define UPSWEEP_GROUP_SIZE 64
#include "interface.glsl"
layout(local_size_x = UPSWEEP_GROUP_SIZE) in;
#include "operators.glsl"
#include "operands.glsl"
#include "parts.glsl"
#include "axis.glsl"
#include "input.glsl"

layout(std430, binding = UPSWEEP_OUTPUT) writeonly buffer output_block {
    stored output_elements[];
};
// The five accumulators, each of all sequences side by side.
layout(std430, binding = UPSWEEP_WORKSPACE) buffer state_block {
    stored states[];
};

#define UPSWEEP_ROW_ELEMENTS (UPSWEEP_RUN_ELEMENTS * UPSWEEP_ROW_RUNS)
#define UPSWEEP_SUPER_ELEMENTS (UPSWEEP_TILE_ELEMENTS * UPSWEEP_SUPER_TILES)

// The odometer of docs/numerics.md. Carries are made as soon as a run is full, which changes no bit; then the position
// alone, the same for all invocations, tells which accumulators are there. An exact operator has the last one only.
struct accumulators {
    element elements, runs, rows, tiles, supers;
};

bool starts() { return has_flag(UPSWEEP_F_INITIAL); }

void append(inout element fold, bool present, element value) {
    fold = neutral || present ? join(fold, value) : value;
}

// `value` is the element at `position`.
void take(inout accumulators all, uint position, element value) {
    if (exact) {
        append(all.supers, position != 0u || starts(), value);
        return;
    }
    append(all.elements, position % uint(UPSWEEP_RUN_ELEMENTS) != 0u, value);
    uint taken = position + 1u;
    if (taken % uint(UPSWEEP_RUN_ELEMENTS) != 0u) return;
    append(all.runs, position % uint(UPSWEEP_ROW_ELEMENTS) >= uint(UPSWEEP_RUN_ELEMENTS), all.elements);
    all.elements = absent();
    if (taken % uint(UPSWEEP_ROW_ELEMENTS) != 0u) return;
    append(all.rows, position % uint(UPSWEEP_TILE_ELEMENTS) >= uint(UPSWEEP_ROW_ELEMENTS), all.runs);
    all.runs = absent();
    if (taken % uint(UPSWEEP_TILE_ELEMENTS) != 0u) return;
    append(all.tiles, position % uint(UPSWEEP_SUPER_ELEMENTS) >= uint(UPSWEEP_TILE_ELEMENTS), all.rows);
    all.rows = absent();
    if (taken % uint(UPSWEEP_SUPER_ELEMENTS) != 0u) return;
    append(all.supers, position >= uint(UPSWEEP_SUPER_ELEMENTS) || starts(), all.tiles);
    all.tiles = absent();
}

// prefix(taken)
element prefix(accumulators all, uint taken) {
    if (exact) {
        if (taken == 0u && !starts()) return absent();
        return all.supers;
    }
    part nested = part(taken % uint(UPSWEEP_RUN_ELEMENTS) != 0u, all.elements);
    prepend(part(taken % uint(UPSWEEP_ROW_ELEMENTS) >= uint(UPSWEEP_RUN_ELEMENTS), all.runs), nested);
    prepend(part(taken % uint(UPSWEEP_TILE_ELEMENTS) >= uint(UPSWEEP_ROW_ELEMENTS), all.rows), nested);
    prepend(part(taken % uint(UPSWEEP_SUPER_ELEMENTS) >= uint(UPSWEEP_TILE_ELEMENTS), all.tiles), nested);
    prepend(part(taken >= uint(UPSWEEP_SUPER_ELEMENTS) || starts(), all.supers), nested);
    if (!nested.present) return absent();
    return nested.value;
}

// Pieces of 128 bytes of each sequence, one word more apart than they are long, so that neither an invocation's own
// elements nor those that it moves meet in a bank.
#define UPSWEEP_PIECE (32 / UPSWEEP_ELEMENT_WORDS)
#define UPSWEEP_AHEAD 8  // loads before the first of them is used
shared element pieces[UPSWEEP_GROUP_SIZE * (UPSWEEP_PIECE + 1)];
uint slot(uint sequence, uint i) { return sequence * uint(UPSWEEP_PIECE + 1) + i; }

shared uvec2 begins[UPSWEEP_GROUP_SIZE];

// The k-th element that an invocation moves: of which of the group's sequences, and which of its piece.
uvec2 moved(uint k, uint width) {
    if (!has_flag(UPSWEEP_F_TURNED)) return uvec2(gl_LocalInvocationIndex, k);
    uint i = k * uint(UPSWEEP_GROUP_SIZE) + gl_LocalInvocationIndex;
    return uvec2(i / width, i % width);
}

// What one invocation wrote to shared memory, another reads.
void exchange() {
    if (has_flag(UPSWEEP_F_TURNED)) {
        synchronize();
    }
}

void load_pieces(uint sequences, uint done, uint width, uint count) {
    for (uint k = 0u; k < width; k += uint(UPSWEEP_AHEAD)) {
        stored next[UPSWEEP_AHEAD];
        for (int j = 0; j < UPSWEEP_AHEAD; ++j) {
            uvec2 at = moved(k + uint(j), width);
            next[j] = stored(0u);
            if (at.x < sequences && at.y < count)
                next[j] = input_element(begins[at.x].x + (done + at.y) * input_stride());
        }
        for (int j = 0; j < UPSWEEP_AHEAD; ++j) {
            uvec2 at = moved(k + uint(j), width);
            if (at.x < sequences && at.y < count) pieces[slot(at.x, at.y)] = from_words(next[j]);
        }
    }
}

void store_pieces(uint sequences, uint done, uint width, uint count) {
    for (uint k = 0u; k < width; ++k) {
        uvec2 at = moved(k, width);
        if (at.x < sequences && at.y < count)
            output_elements[begins[at.x].y + (done + at.y) * output_stride()] = to_words(pieces[slot(at.x, at.y)]);
    }
}

uint state_at(uint sequence, uint which) { return which * sequence_count() + sequence; }
element load_state(uint sequence, uint which) { return from_words(states[state_at(sequence, which)]); }

accumulators first_state(uint sequence, bool inside) {
    accumulators all = accumulators(absent(), absent(), absent(), absent(), absent());
    if (!has_flag(UPSWEEP_F_CONTINUED)) {
        if (starts()) all.supers = initial_value();
    } else if (inside) {
        all.supers = load_state(sequence, 0u);
        if (!exact) {
            all.tiles = load_state(sequence, 1u);
            all.rows = load_state(sequence, 2u);
            all.runs = load_state(sequence, 3u);
            all.elements = load_state(sequence, 4u);
        }
    }
    return all;
}

void keep_state(uint sequence, accumulators all) {
    states[state_at(sequence, 0u)] = to_words(all.supers);
    if (exact) return;
    states[state_at(sequence, 1u)] = to_words(all.tiles);
    states[state_at(sequence, 2u)] = to_words(all.rows);
    states[state_at(sequence, 3u)] = to_words(all.runs);
    states[state_at(sequence, 4u)] = to_words(all.elements);
}

void main() {
    if (group_index() >= parameters[UPSWEEP_P_GROUPS]) return;
    uint lane = gl_LocalInvocationIndex;
    uint first = group_index() * uint(UPSWEEP_GROUP_SIZE);
    uint sequences = min(sequence_count() - first, uint(UPSWEEP_GROUP_SIZE));
    bool inside = lane < sequences;
    if (inside) begins[lane] = sequence_begin(first + lane);
    accumulators all = first_state(first + lane, inside);
    bool exclusive = has_flag(UPSWEEP_F_EXCLUSIVE);
    bool only_total = has_flag(UPSWEEP_F_ONLY_TOTAL);
    uint before = parameters[UPSWEEP_P_BEFORE];
    uint length = sequence_length();
    uint width = min(length, uint(UPSWEEP_PIECE));

    for (uint done = 0u; done < length; done += width) {
        uint count = min(length - done, width);
        exchange();
        load_pieces(sequences, done, width, count);
        exchange();
        for (uint i = 0u; inside && i < count; ++i) {
            uint position = before + done + i;
            element value = pieces[slot(lane, i)];
            element result = absent();
            if (exclusive) result = prefix(all, position);
            take(all, position, value);
            if (only_total) continue;
            if (!exclusive) result = prefix(all, position + 1u);
            pieces[slot(lane, i)] = result;
        }
        if (only_total) continue;
        exchange();
        store_pieces(sequences, done, width, count);
    }
    if (!inside) return;
    if (has_flag(UPSWEEP_F_CONTINUES))
        keep_state(first + lane, all);
    else if (only_total)
        output_elements[begins[lane].y] = to_words(prefix(all, before + length));
}
