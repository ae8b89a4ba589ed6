// scan_tile in a single pass: a work group tells the others the total of its tile, and asks them for what is before it.
//
// It asks for the totals of the tiles before its own in its super, T, and of all tiles of the UPSWEEP_SUPERS_ASKED supers
// in front of that, so that S needs only what is before the first of these, which whoever has the first tile of that super
// told a while ago. (Merrill and Garland, Single-pass parallel prefix scan with decoupled look-back, 2016.)
//
// Shaders promise no progress between work groups, so nobody waits for another one for good: whoever has asked
// UPSWEEP_P_POLLS times in vain computes the total from the elements, and the tree makes it the same bits. (Smith, Levien
// and Owens, Decoupled fallback: a portable single-pass GPU scan, 2025.) In place, elements of a tile may have been
// overwritten by results; but then its total was told before, so it is asked for once more after they were read.
#include "tile_nesting.glsl"
#include "look_back.glsl"

#define UPSWEEP_TOTALS_ASKED ((UPSWEEP_SUPERS_ASKED + 1) * UPSWEEP_SUPER_TILES)

shared uint missing[UPSWEEP_SUPERS_ASKED + 1];  // a bit for each tile whose total is not known, the own super first
shared part before_asked;                       // what is before the first super that was asked for
shared bool knows_before;
shared operand heard;
shared bool was_heard;

// What is before each run in its row, and before each row; the total of a complete tile for invocation 0.
operand fold_tile(operand items[UPSWEEP_ITEMS], uint runs) {
    uint lane = gl_LocalInvocationIndex;
    set_run_totals(lane, items);
    synchronize();
    if (lane < uint(UPSWEEP_TILE_ROWS)) {
        operand row_total = scan_row(lane, row_count(runs, lane), false, no_operand());
        set_row_value(slot_of(UPSWEEP_TOTALS_ROW, lane), row_total);
    }
    synchronize();
    operand total = no_operand();
    uint row_total_count = (runs + uint(UPSWEEP_ROW_RUNS - 1)) / uint(UPSWEEP_ROW_RUNS);
    if (lane == 0u) total = scan_row(UPSWEEP_TOTALS_ROW, row_total_count, false, no_operand());
    return total;
}

// ---- what others did not tell in time, by all invocations ----

// What invocation 0 hears, for all.
bool all_hear(uint place, inout operand value) {
    synchronize();
    if (gl_LocalInvocationIndex == 0u) {
        was_heard = hear(place, value);
        heard = value;
    }
    synchronize();
    value = heard;
    return was_heard;
}

// The total of a complete tile of this dispatch, whose elements begin at position `base`; for invocation 0.
operand total_of(uint first, uint tile, uint base) {
    operand total = no_operand();
    if (all_hear(place_of_tile(tile), total)) return total;
    uint lane = gl_LocalInvocationIndex;
    uint stride = input_stride();
    for (uint run_index = lane; run_index < uint(UPSWEEP_TILE_RUNS); run_index += uint(UPSWEEP_GROUP_SIZE)) {
        uint position = base + run_index * uint(UPSWEEP_RUN_ELEMENTS);
        uint heads = run_heads(position);
        operand fold = operand_of(input_element(place_of(first, position, stride)), heads, 0u);
        for (uint m = 1u; m < uint(UPSWEEP_RUN_ELEMENTS); ++m)
            fold = join(fold, operand_of(input_element(place_of(first, position + m, stride)), heads, m));
        set_row_value(row_slot(run_index), fold);
    }
    memoryBarrierBuffer();
    synchronize();
    // All of them, as a number that the compiler does not know.
    uint runs = min(parameters[UPSWEEP_P_LENGTH], uint(UPSWEEP_TILE_RUNS));
    if (lane < uint(UPSWEEP_TILE_ROWS))
        set_row_value(slot_of(UPSWEEP_TOTALS_ROW, lane), fold_row(lane, row_count(runs, lane)));
    synchronize();
    if (lane == 0u && !hear(place_of_tile(tile), total)) {
        total = fold_row(UPSWEEP_TOTALS_ROW, row_count(runs, 0u));
        tell(place_of_tile(tile), total);
    }
    return total;
}

// S of the super whose elements begin at position `base`, modulo 2^32; for invocation 0.
part compute_before(uint first, uint super, uint base) {
    part before = initial_part();
    uint known = super;
    operand value = no_operand();
    while (known > 0u && !all_hear(place_before_super(known), value)) --known;
    if (known > 0u) before = part(true, value);
    for (; known < super; ++known) {
        for (uint i = 0u; i < uint(UPSWEEP_SUPER_TILES); ++i) {
            uint tile = known * uint(UPSWEEP_SUPER_TILES) + i;
            uint tiles_back = super * uint(UPSWEEP_SUPER_TILES) - tile;
            operand total = total_of(first, tile, base - tiles_back * uint(UPSWEEP_TILE_ELEMENTS));
            value = i == 0u ? total : join(value, total);
        }
        part nested = part(true, value);
        prepend(before, nested);
        before = nested;
        if (gl_LocalInvocationIndex == 0u) tell(place_before_super(known + 1u), before.value);
    }
    return before;
}

// ---- the common case ----

// The totals that may be asked for, super by super, the own one first; where each goes, and which tile's it is.
uint asked_slot(uint i) {
    return slot_of(UPSWEEP_TILES_ROW + i / uint(UPSWEEP_SUPER_TILES), i % uint(UPSWEEP_SUPER_TILES));
}
uint asked_tile(uint i, uint super) {
    return (super - i / uint(UPSWEEP_SUPER_TILES)) * uint(UPSWEEP_SUPER_TILES) + i % uint(UPSWEEP_SUPER_TILES);
}
bool is_asked(uint i, uint tiles, uint supers) {
    uint back = i / uint(UPSWEEP_SUPER_TILES);
    return back == 0u ? i < tiles : back <= supers;
}

// Invocations from the 33rd on ask for a total each; but the last of those for the own super, where 31 tiles at most are
// before another, for what is before all.
void ask(uint tiles, uint super, uint supers) {
    if (gl_LocalInvocationIndex < uint(UPSWEEP_SUPER_TILES)) return;
    uint i = gl_LocalInvocationIndex - uint(UPSWEEP_SUPER_TILES);
    bool is_before = i == uint(UPSWEEP_SUPER_TILES - 1);
    if (is_before ? super == supers : !is_asked(i, tiles, supers)) return;
    uint place = is_before ? place_before_super(super - supers) : place_of_tile(asked_tile(i, super));
    operand value = no_operand();
    bool there = false;
    for (uint k = 0u; k < parameters[UPSWEEP_P_POLLS] && !there; ++k) there = hear(place, value);
    if (is_before) {
        before_asked = part(true, value);
        knows_before = there;
    } else if (there) {
        set_row_value(asked_slot(i), value);
    } else {
        atomicOr(missing[i / uint(UPSWEEP_SUPER_TILES)], 1u << (i % uint(UPSWEEP_SUPER_TILES)));
    }
}

void scan_tile(uint sequence, uint tile, uint base, uint length) {
    uint lane = gl_LocalInvocationIndex;
    uint first = input_first(sequence);
    uint tiles = tiles_before(tile);
    uint super = tile / uint(UPSWEEP_SUPER_TILES);
    uint supers = min(super, uint(UPSWEEP_SUPERS_ASKED));  // that are asked for
    uint runs = (min(length - base, uint(UPSWEEP_TILE_ELEMENTS)) + uint(UPSWEEP_RUN_ELEMENTS - 1)) /
                uint(UPSWEEP_RUN_ELEMENTS);

    // L, and the totals of runs.
    operand items[UPSWEEP_ITEMS];
    load_folded_runs(first, base, lane, length, items);
    if (lane <= uint(UPSWEEP_SUPERS_ASKED)) missing[lane] = 0u;
    if (lane == 0u) {
        knows_before = true;
        before_asked = initial_part();
    }
    operand total = fold_tile(items, runs);
    if (lane == 0u && length - base >= uint(UPSWEEP_TILE_ELEMENTS)) tell(place_of_tile(tile), total);
    memoryBarrierBuffer();  // results are stored after that
    ask(tiles, super, supers);
    synchronize();

    uint any_missing = knows_before ? 0u : 1u;
    for (int i = 0; i <= UPSWEEP_SUPERS_ASKED; ++i) any_missing |= missing[i];
    if (any_missing != 0u) {
        uint base_of_super = base - tiles * uint(UPSWEEP_TILE_ELEMENTS);
        if (!knows_before) {
            uint super_elements = uint(UPSWEEP_SUPER_TILES * UPSWEEP_TILE_ELEMENTS);
            part before = compute_before(first, super - supers, base_of_super - supers * super_elements);
            if (lane == 0u) before_asked = before;
        }
        for (uint i = 0u; i < uint(UPSWEEP_TOTALS_ASKED); ++i) {
            uint bits = missing[i / uint(UPSWEEP_SUPER_TILES)];
            if (((bits >> (i % uint(UPSWEEP_SUPER_TILES))) & 1u) == 0u) continue;
            uint other = asked_tile(i, super);
            operand value = total_of(first, other, base - (tile - other) * uint(UPSWEEP_TILE_ELEMENTS));
            if (lane == 0u) set_row_value(asked_slot(i), value);
        }
        fold_tile(items, runs);
        synchronize();
    }

    // T, and the totals of supers.
    if (lane <= supers) {
        uint count = lane == 0u ? tiles : uint(UPSWEEP_SUPER_TILES);
        set_row_value(slot_of(UPSWEEP_SUPERS_ROW, lane), fold_row(UPSWEEP_TILES_ROW + lane, count));
    }
    synchronize();

    // S
    part before = before_asked;
    for (uint i = supers; i > 0u; --i) {
        part nested = part(true, row_value(slot_of(UPSWEEP_SUPERS_ROW, i)));
        prepend(before, nested);
        before = nested;
    }
    if (lane == 0u && tiles == 0u && super != 0u) tell(place_before_super(super), before.value);
    part before_in_super = part(tiles != 0u, row_value(slot_of(UPSWEEP_SUPERS_ROW, 0u)));

    // Under an exact operator S and T go in front of R, so that one part does for three.
    outer_parts outside = outer_parts(part(false, no_operand()), before_in_super, before);
    if (exact) {
        outside.all = before_in_super;
        prepend(before, outside.all);
        if (lane < uint(UPSWEEP_TILE_ROWS)) {
            part row = part(lane != 0u, row_value(slot_of(UPSWEEP_TOTALS_ROW, lane)));
            prepend(outside.all, row);
            set_row_value(slot_of(UPSWEEP_TOTALS_ROW, lane), row.value);
        }
        synchronize();
    }
    finish_tile(output_first(sequence), base, length, items, outside);
}
