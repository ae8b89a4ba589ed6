// Compact and partition: every item that was chosen moves to its place, in order, and the counts become arguments of
// indirect draws and dispatches. The counts of tiles were scanned in between.
#include "interface.glsl"
layout(local_size_x = UPSWEEP_GROUP_SIZE) in;
#include "tile_bits.glsl"
#include "items.glsl"
#include "item_count.glsl"
#include "arguments.glsl"

// Before each tile, the items chosen; from UPSWEEP_P_SUPERS on, the votes; at UPSWEEP_P_CARRY, the items chosen in all.
layout(std430, binding = UPSWEEP_WORKSPACE) readonly buffer workspace_block {
    uint workspace[];
};
// Four neighbouring words of votes are added up by one invocation.
#define UPSWEEP_QUADS (UPSWEEP_TILE_WORDS / 4)
shared uint quad_counts[UPSWEEP_QUADS];
// The votes of each word and all words before it in the tile.
shared uint word_prefixes[UPSWEEP_TILE_WORDS];

// The tile's votes and their prefixes. Each of the invocations that have a quad adds up the counts of all quads, of which it
// needs those before its own: two barriers, instead of one for each doubling. Heads of segments that are votes may have
// one more behind the last item.
void load_votes(uint tile, uint count, uint lane) {
    uint at = parameters[UPSWEEP_P_SUPERS] + tile * uint(UPSWEEP_TILE_WORDS);
    uint counts[4];
    if (lane < uint(UPSWEEP_QUADS)) {
        uint words[4];
        for (int j = 0; j < 4; ++j) words[j] = workspace[at + 4u * lane + uint(j)];
        uint sum = 0u;
        for (int j = 0; j < 4; ++j) {
            uint first = tile * uint(UPSWEEP_TILE_ELEMENTS) + 32u * (4u * lane + uint(j));
            words[j] = bitfieldExtract(words[j], 0, int(count > first ? min(count - first, 32u) : 0u));
            tile_bits[4u * lane + uint(j)] = words[j];
            sum += uint(bitCount(words[j]));
            counts[j] = sum;
        }
        quad_counts[lane] = sum;
    }
    synchronize();
    if (lane < uint(UPSWEEP_QUADS)) {
        uint before = 0u;
        for (uint i = 0u; i < uint(UPSWEEP_QUADS); i += 8u) {
            for (uint j = i; j < i + 8u; ++j) before += j < lane ? quad_counts[j] : 0u;
        }
        for (int j = 0; j < 4; ++j) word_prefixes[4u * lane + uint(j)] = before + counts[j];
    }
    synchronize();
}

// What a tile knows of the items that were chosen: of all, of those before it, and which items it moves.
struct tile_moves {
    uint base;      // its first item
    uint count;     // items in all
    uint before;    // chosen before it
    uint found;     // chosen in all
    uint capacity;  // of those that are kept
    bool all;       // the others are moved, too
};

// Where nothing goes. There are fewer items.
#define UPSWEEP_NOWHERE 0xffffffffu
uint place_of(tile_moves tile, uint at) {
    if (tile.base + at >= tile.count) return uint(UPSWEEP_NOWHERE);
    uint word = tile_bits[at / 32u];
    // Chosen among the items before this one.
    uint kept = tile.before + word_prefixes[at / 32u] - uint(bitCount(word >> (at % 32u)));
    if (((word >> (at % 32u)) & 1u) != 0u) return tile.all || kept < tile.capacity ? kept : uint(UPSWEEP_NOWHERE);
    return tile.all ? tile.found + tile.base + at - kept : uint(UPSWEEP_NOWHERE);
}

// Some of many: an invocation looks at four neighbours at once.
void move_few(tile_moves tile, uint lane) {
    for (int k = 0; k < UPSWEEP_RUNS; ++k) {
        uint at = (uint(k * UPSWEEP_GROUP_SIZE) + lane) * 4u;
        uint bits = tile_bits[at / 32u] >> (at % 32u);
        uint kept = tile.before + word_prefixes[at / 32u] - uint(bitCount(bits));
        for (bits &= 15u; bits != 0u && kept < tile.capacity; bits &= bits - 1u) {
            move(tile.base + at + uint(findLSB(bits)), kept);
            ++kept;
        }
    }
}
void move_any(tile_moves tile, uint lane) {
    for (uint at = lane; at < uint(UPSWEEP_TILE_ELEMENTS); at += uint(UPSWEEP_GROUP_SIZE)) {
        uint place = place_of(tile, at);
        if (place != uint(UPSWEEP_NOWHERE)) move(tile.base + at, place);
    }
}

#ifdef UPSWEEP_FETCHES

// Of one word or none, most of which go somewhere: they are put in order in shared memory, half a tile at a time, and stored
// as neighbours.
#define UPSWEEP_STAGED (UPSWEEP_TILE_ELEMENTS / 2)
shared uint staged[UPSWEEP_STAGED];

void stage_item(tile_moves tile, uint i, uint others_at, uint bits, uint word, inout uint kept) {
    if ((bits & 1u) != 0u) {
        staged[kept] = word;
        ++kept;
    } else if (tile.all) {
        staged[others_at + i - kept] = word;
    }
}
void move_words(tile_moves tile, uint lane) {
    uvec4 runs[UPSWEEP_RUNS];
    for (int k = 0; k < UPSWEEP_RUNS; ++k)
        runs[k] = fetch_run(tile.base + (uint(k * UPSWEEP_GROUP_SIZE) + lane) * 4u, tile.count);
    for (int h = 0; h < 2; ++h) {
        uint begin = uint(h * UPSWEEP_STAGED);
        if (tile.base + begin >= tile.count) return;  // the whole work group
        uint before = h == 0 ? 0u : word_prefixes[UPSWEEP_STAGED / 32 - 1];
        uint chosen = word_prefixes[uint(h + 1) * uint(UPSWEEP_STAGED / 32) - 1u] - before;
        uint count = min(tile.count - tile.base - begin, uint(UPSWEEP_STAGED));
        if (h != 0) synchronize();
        for (int k = 0; k < UPSWEEP_RUNS / 2; ++k) {
            uint i = (uint(k * UPSWEEP_GROUP_SIZE) + lane) * 4u;
            uint word = (begin + i) / 32u;
            uint bits = tile_bits[word] >> (i % 32u);
            uint kept = word_prefixes[word] - uint(bitCount(bits)) - before;
            uvec4 run = h == 0 ? runs[k] : runs[k + UPSWEEP_RUNS / 2];
            stage_item(tile, i, chosen, bits, run.x, kept);
            stage_item(tile, i + 1u, chosen, bits >> 1, run.y, kept);
            stage_item(tile, i + 2u, chosen, bits >> 2, run.z, kept);
            stage_item(tile, i + 3u, chosen, bits >> 3, run.w, kept);
        }
        synchronize();
        // Places of the first one that was chosen, and of the first one that was not.
        uint chosen_place = tile.before + before;
        uint other_place = tile.found + tile.base + begin - chosen_place;
        uint moved = tile.all ? count : min(chosen, tile.capacity - min(chosen_place, tile.capacity));
        for (uint i = lane; i < moved; i += uint(UPSWEEP_GROUP_SIZE))
            put_word(i < chosen ? chosen_place + i : other_place + i - chosen, staged[i]);
    }
}
// Of at most four words: so many are fetched before the first is put.
#define UPSWEEP_MOVES_AHEAD 4
void move_short(tile_moves tile, uint lane) {
    for (uint i = lane; i < uint(UPSWEEP_TILE_ELEMENTS); i += uint(UPSWEEP_MOVES_AHEAD * UPSWEEP_GROUP_SIZE)) {
        uvec4 ahead[UPSWEEP_MOVES_AHEAD];
        for (int j = 0; j < UPSWEEP_MOVES_AHEAD; ++j)
            ahead[j] = fetch(min(tile.base + i + uint(j * UPSWEEP_GROUP_SIZE), tile.count - 1u));
        for (int j = 0; j < UPSWEEP_MOVES_AHEAD; ++j) {
            uint place = place_of(tile, i + uint(j * UPSWEEP_GROUP_SIZE));
            if (place != uint(UPSWEEP_NOWHERE)) put(place, ahead[j]);
        }
    }
}

#endif

void main() {
    if (group_index() >= parameters[UPSWEEP_P_GROUPS]) return;
    uint lane = gl_LocalInvocationIndex;
    uint number = parameters[UPSWEEP_P_FIRST_GROUP] + group_index();
    tile_moves tile;
    tile.base = number * uint(UPSWEEP_TILE_ELEMENTS);
    tile.count = item_count();
    tile.found = workspace[parameters[UPSWEEP_P_CARRY]];
    if (number == 0u && lane == 0u) write_arguments(tile.found, tile.count - tile.found);
    if (tile.base >= tile.count || has_flag(UPSWEEP_F_ARGUMENTS)) return;
    tile.capacity = parameters[UPSWEEP_P_CAPACITY];
    tile.all = has_flag(UPSWEEP_F_PARTITION);

    tile.before = workspace[number];
    uint tiles = (parameters[UPSWEEP_P_LENGTH] - 1u) / uint(UPSWEEP_TILE_ELEMENTS) + 1u;
    uint behind = number + 1u < tiles ? workspace[number + 1u] : tile.found;
    // The same answer in the whole work group.
    if (!tile.all && (tile.before == behind || tile.before >= tile.capacity)) return;
    load_votes(number, tile.count, lane);

    // Where there is one in most lines of memory, it costs nothing to fetch all.
    uint words = max(parameters[UPSWEEP_P_RECORD_WORDS], 1u);
    bool most = tile.all || behind - tile.before >= min(words, 16u) * uint(UPSWEEP_TILE_ELEMENTS / 16);
    if (!most)
        move_few(tile, lane);
#ifdef UPSWEEP_FETCHES
    else if (words == 1u)
        move_words(tile, lane);
    else if (words <= 4u)
        move_short(tile, lane);
#endif
    else
        move_any(tile, lane);
}
