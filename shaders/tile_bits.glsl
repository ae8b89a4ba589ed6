// A bit for each of a tile's items or positions, in their order, 32 to a word of shared memory; and how many are set.

#define UPSWEEP_TILE_WORDS (UPSWEEP_TILE_ELEMENTS / 32)

shared uint tile_bits[UPSWEEP_TILE_WORDS];
shared uint tile_count;

// All invocations call these, with a barrier before count_bits and one behind each.
void clear_bits(uint lane) {
    for (uint w = lane; w < uint(UPSWEEP_TILE_WORDS); w += uint(UPSWEEP_GROUP_SIZE)) tile_bits[w] = 0u;
    if (lane == 0u) tile_count = 0u;
}
// Some words an invocation, so that few meet at the counter.
#define UPSWEEP_COUNTERS 16
void count_bits(uint lane) {
    if (lane >= uint(UPSWEEP_COUNTERS)) return;
    uint sum = 0u;
    for (uint w = lane; w < uint(UPSWEEP_TILE_WORDS); w += uint(UPSWEEP_COUNTERS)) sum += uint(bitCount(tile_bits[w]));
    atomicAdd(tile_count, sum);
}

// A strip is the UPSWEEP_ITEMS neighbours that an invocation has, of which a word holds two or more.
uint strip_begin(uint lane) { return lane * uint(UPSWEEP_ITEMS); }
void set_strip(uint lane, uint bits) {
    if (bits != 0u) atomicOr(tile_bits[strip_begin(lane) / 32u], bits << (strip_begin(lane) % 32u));
}
// Bits 0 to 3 from what is 0 or 1.
uint bits_of(uvec4 each) { return each.x | (each.y << 1) | (each.z << 2) | (each.w << 3); }
