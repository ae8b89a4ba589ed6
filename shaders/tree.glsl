// Folds within a tile, for operators under which the grouping matters: a row of 32 values is folded by one invocation,
// 32 rows at once. Rows are 33 apart, so that 32 invocations never meet in a bank of shared memory.
//
// Behind the rows of the tile stand two more: the totals of its rows, and those of the tiles before it.

#define UPSWEEP_STRIDE (UPSWEEP_ROW_RUNS + 1)
#define UPSWEEP_TOTALS_ROW uint(UPSWEEP_TILE_ROWS)
#define UPSWEEP_TILES_ROW uint(UPSWEEP_TILE_ROWS + 1)
shared element rows[(UPSWEEP_TILE_ROWS + 2) * UPSWEEP_STRIDE];

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
element fold_row(uint r, uint count) {
    element fold = absent();
    for (uint i = 0u; i < count; i += uint(UPSWEEP_AHEAD)) {
        element next[UPSWEEP_AHEAD];
        for (int j = 0; j < UPSWEEP_AHEAD; ++j) next[j] = rows[slot_of(r, i + uint(j))];
        for (int j = 0; j < UPSWEEP_AHEAD; ++j) {
            if (i + uint(j) < count) fold = j > 0 || i > 0u ? join(fold, next[j]) : next[j];
        }
    }
    return fold;
}

// The left fold of `start`, if present, and the first `count` values, rounded up to a multiple of 8; each value is
// replaced by the fold of what is before it (absent() for the first, if start is not present).
element scan_row(uint r, uint count, bool present, element start) {
    element fold = start;
    for (uint i = 0u; i < count; i += uint(UPSWEEP_AHEAD)) {
        element next[UPSWEEP_AHEAD];
        for (int j = 0; j < UPSWEEP_AHEAD; ++j) next[j] = rows[slot_of(r, i + uint(j))];
        for (int j = 0; j < UPSWEEP_AHEAD; ++j) {
            rows[slot_of(r, i + uint(j))] = fold;
            fold = present || j > 0 || i > 0u ? join(fold, next[j]) : next[j];
        }
    }
    return fold;
}
