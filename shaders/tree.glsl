// Folds within a tile, for operators under which the grouping matters: a row of 32 values is folded by one invocation,
// 32 rows at once. Rows are 33 apart, so that 32 invocations never meet in a bank of shared memory.
//
// Behind the rows of the tile stand two more: the totals of its rows, and those of the tiles before it.

#define UPSWEEP_STRIDE (UPSWEEP_ROW_RUNS + 1)
#define UPSWEEP_TOTALS_ROW uint(UPSWEEP_TILE_ROWS)
#define UPSWEEP_TILES_ROW uint(UPSWEEP_TILE_ROWS + 1)
#ifdef UPSWEEP_LOOK_BACK
// And the totals of the tiles of so many supers in front of this one, and of these supers.
#define UPSWEEP_SUPERS_ASKED 6
#define UPSWEEP_SUPERS_ROW uint(UPSWEEP_TILE_ROWS + 2 + UPSWEEP_SUPERS_ASKED)
#define UPSWEEP_SLOTS ((UPSWEEP_TILE_ROWS + 3 + UPSWEEP_SUPERS_ASKED) * UPSWEEP_STRIDE)
#else
#define UPSWEEP_SLOTS ((UPSWEEP_TILE_ROWS + 2) * UPSWEEP_STRIDE)
#endif
#ifndef UPSWEEP_SEGMENTS
shared operand rows[UPSWEEP_SLOTS];
operand row_value(uint slot) { return rows[slot]; }
void set_row_value(uint slot, operand value) { rows[slot] = value; }
#else
// Apart, because a pair of four words and a count would take eight.
shared element rows[UPSWEEP_SLOTS];
shared uint row_heads[UPSWEEP_SLOTS];
operand row_value(uint slot) { return operand(row_heads[slot], rows[slot]); }
void set_row_value(uint slot, operand pair) {
    rows[slot] = pair.value;
    row_heads[slot] = pair.heads;
}
#endif

uint slot_of(uint r, uint i) { return r * uint(UPSWEEP_STRIDE) + i; }
// Where the i-th value of a tile stands.
uint row_slot(uint i) { return slot_of(i / uint(UPSWEEP_ROW_RUNS), i % uint(UPSWEEP_ROW_RUNS)); }

// How many of `count` values, laid out from the first row on, are in row r.
uint row_count(uint count, uint r) {
    uint before = r * uint(UPSWEEP_ROW_RUNS);
    return count > before ? min(count - before, uint(UPSWEEP_ROW_RUNS)) : 0u;
}

// Values read before they are folded, so that they arrive together. The loops around them have a bound that compilers do
// not know: some would unroll all 32 steps, at the price of seconds of compilation.
#define UPSWEEP_AHEAD 8

// The left fold of the first `count` values of row r; unspecified if there are none.
operand fold_row(uint r, uint count) {
    operand fold = no_operand();
    for (uint i = 0u; i < count; i += uint(UPSWEEP_AHEAD)) {
        operand next[UPSWEEP_AHEAD];
        for (int j = 0; j < UPSWEEP_AHEAD; ++j) next[j] = row_value(slot_of(r, i + uint(j)));
        for (int j = 0; j < UPSWEEP_AHEAD; ++j) {
            if (i + uint(j) < count) fold = j > 0 || i > 0u ? join(fold, next[j]) : next[j];
        }
    }
    return fold;
}

// The left fold of `start`, if present, and the first `count` values, rounded up to a multiple of 8; each value is
// replaced by the fold of what is before it (no_operand() for the first, if start is not present).
operand scan_row(uint r, uint count, bool present, operand start) {
    operand fold = start;
    for (uint i = 0u; i < count; i += uint(UPSWEEP_AHEAD)) {
        operand next[UPSWEEP_AHEAD];
        for (int j = 0; j < UPSWEEP_AHEAD; ++j) next[j] = row_value(slot_of(r, i + uint(j)));
        for (int j = 0; j < UPSWEEP_AHEAD; ++j) {
            set_row_value(slot_of(r, i + uint(j)), fold);
            fold = present || j > 0 || i > 0u ? join(fold, next[j]) : next[j];
        }
    }
    return fold;
}
