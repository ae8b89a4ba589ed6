// An invocation's part of a tile, loaded.

#include "input.glsl"
#define UPSWEEP_RUN_VECTORS UPSWEEP_ELEMENT_WORDS

#ifdef UPSWEEP_CONVERTS
// The runs of `lane` in a complete tile, wherever it begins: words first, then what is in them.
void load_converted_runs(uint first, uint base, uint lane, uint stride, out operand items[UPSWEEP_ITEMS]) {
    uvec4 words[UPSWEEP_RUNS];
    if ((run_begin(first, base, stride) & 3u) == 0u) {
        for (int k = 0; k < UPSWEEP_RUNS; ++k)
            words[k] = aligned_run_words(run_begin(first, run_position(base, k, lane), stride));
    } else {
        for (int k = 0; k < UPSWEEP_RUNS; ++k)
            words[k] = run_words(run_begin(first, run_position(base, k, lane), stride));
    }
    for (int k = 0; k < UPSWEEP_RUNS; ++k) {
        uint position = run_position(base, k, lane);
        uvec4 run = run_bits(words[k], run_begin(first, position, stride));
        if (is_backwards(stride)) run = run.wzyx;
        uint heads = run_heads(position);
        for (int m = 0; m < 4; ++m) items[4 * k + m] = operand_of(converted(run[m]), heads, uint(m));
    }
}
#endif

// The runs of `lane` in the tile at `base`. Positions from `length` on get a value that must not matter.
void load_runs(uint first, uint base, uint lane, uint length, out operand items[UPSWEEP_ITEMS]) {
    uint stride = input_stride();
#ifdef UPSWEEP_CONVERTS
    if (input_type != UPSWEEP_I_SAME && is_complete(base, length, stride)) {
        load_converted_runs(first, base, lane, stride, items);
        return;
    }
#endif
#if UPSWEEP_ELEMENT_WORDS < 4
    // All loads before the first use, and no branch between them.
    if (moves_vectors(first, base, length, stride)) {
        bool reversed = is_backwards(stride);
        uvec4 vectors[UPSWEEP_RUNS * UPSWEEP_RUN_VECTORS];
        for (int k = 0; k < UPSWEEP_RUNS; ++k) {
            uint at = run_word(first, run_position(base, k, lane), stride) >> 2;
            for (int v = 0; v < UPSWEEP_RUN_VECTORS; ++v)
                vectors[k * UPSWEEP_RUN_VECTORS + v] = input_vectors[at + uint(v)];
        }
        for (int k = 0; k < UPSWEEP_RUNS; ++k) {
            uint heads = run_heads(run_position(base, k, lane));
#if UPSWEEP_ELEMENT_WORDS == 1
            uvec4 run = reversed ? vectors[k].wzyx : vectors[k];
            for (int m = 0; m < 4; ++m) items[4 * k + m] = operand_of(run[m], heads, uint(m));
#else
            uvec4 low = reversed ? vectors[2 * k + 1].zwxy : vectors[2 * k];
            uvec4 high = reversed ? vectors[2 * k].zwxy : vectors[2 * k + 1];
            items[4 * k] = operand_of(low.xy, heads, 0u);
            items[4 * k + 1] = operand_of(low.zw, heads, 1u);
            items[4 * k + 2] = operand_of(high.xy, heads, 2u);
            items[4 * k + 3] = operand_of(high.zw, heads, 3u);
#endif
        }
        return;
    }
#endif
    // Element by element, in a loop whose end compilers do not know: unrolled, it would be most of the program.
    for (int i = 0; i < UPSWEEP_ITEMS; ++i) items[i] = from_kept(no_kept());
    uint count = base < length ? uint(UPSWEEP_ITEMS) : 0u;
    for (uint i = 0u; i < count; ++i) {
        uint position = item_position(base, i, lane);
        operand value = from_kept(no_kept());
        if (position < length) {
            uint m = position % uint(UPSWEEP_RUN_ELEMENTS);
            value = operand_of(input_element(place_of(first, position, stride)), run_heads(position - m), m);
        }
        for (int at = 0; at < UPSWEEP_ITEMS; ++at) {
            if (uint(at) == i) items[at] = value;
        }
    }
}

// The same, each run folded: its last item is its total, the others are L of what follows.
void load_folded_runs(uint first, uint base, uint lane, uint length, out operand items[UPSWEEP_ITEMS]) {
    load_runs(first, base, lane, length, items);
    for (int k = 0; k < UPSWEEP_RUNS; ++k) {
        for (int m = 1; m < UPSWEEP_RUN_ELEMENTS; ++m) {
            int i = k * UPSWEEP_RUN_ELEMENTS + m;
            items[i] = join(items[i - 1], items[i]);
        }
    }
}
