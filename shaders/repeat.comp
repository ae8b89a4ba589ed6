// Elements repeated: each place of the output gets that element between whose offset and the next one's it lies. A work
// group has UPSWEEP_REPEAT_PLACES neighbouring places. It looks for the elements of the first and the last of them; each
// element in between that has results marks the place where they begin with a bit, and leaves its number there; and then
// each place takes the number at the last mark that is not behind it.
#include "interface.glsl"
layout(local_size_x = UPSWEEP_GROUP_SIZE) in;
#include "item_count.glsl"
#include "arguments.glsl"

layout(std430, binding = UPSWEEP_INPUT) readonly buffer record_block {
    uint records[];
};
layout(std430, binding = UPSWEEP_OUTPUT) writeonly buffer result_block {
    uint results[];
};
// The same memory in vectors of four words.
layout(std430, binding = UPSWEEP_INPUT) readonly buffer record_vector_block {
    uvec4 record_vectors[];
};
layout(std430, binding = UPSWEEP_OUTPUT) writeonly buffer result_vector_block {
    uvec4 result_vectors[];
};
// Where the results of each element begin, from UPSWEEP_P_OFFSETS_FIRST on; at UPSWEEP_P_CARRY, where the last ones end.
layout(std430, binding = UPSWEEP_WORKSPACE) readonly buffer offset_block {
    uint offsets[];
};

#define UPSWEEP_PLACE_WORDS (UPSWEEP_REPEAT_PLACES / 32)
shared uint owners[UPSWEEP_REPEAT_PLACES];  // at places with a mark the element's number
shared uint marks[UPSWEEP_PLACE_WORDS];
shared uint owners_before[UPSWEEP_PLACE_WORDS];  // of each word of marks: the number at the last mark before it

uint offset_of(uint element) { return offsets[parameters[UPSWEEP_P_OFFSETS_FIRST] + element]; }

// Half of the work group looks for each of two places, at so many parts of an interval at once. That number to the power of
// the rounds is more than there are elements.
#define UPSWEEP_SEARCH_PARTS (UPSWEEP_GROUP_SIZE / 2)
#define UPSWEEP_SEARCH_ROUNDS 5
shared uint reached[2 * UPSWEEP_SEARCH_ROUNDS];

// The last elements whose offsets are not above these places: those that have them. There is at least one element.
uvec2 find_owners(uint first_place, uint last_place, uint elements, uint lane) {
    bool is_last = lane >= uint(UPSWEEP_SEARCH_PARTS);
    uint place = is_last ? last_place : first_place;
    uint part = is_last ? lane - uint(UPSWEEP_SEARCH_PARTS) : lane;
    uvec2 low = uvec2(0u);
    uint size = elements;
    // As many rounds for the whole work group.
    for (uint slot = 0u; size > 1u; slot += 2u) {
        size = (size - 1u) / uint(UPSWEEP_SEARCH_PARTS) + 1u;
        uint at = (is_last ? low.y : low.x) + part * size;
        if (part != 0u && at < elements && offset_of(at) <= place) atomicMax(reached[slot + (is_last ? 1u : 0u)], at);
        synchronize();
        low = max(low, uvec2(reached[slot], reached[slot + 1u]));
    }
    return low;
}

// The elements that have results here are among those behind `first`, up to `last`. An invocation has UPSWEEP_OFFSETS_AHEAD
// neighbours, whose marks it sets together where they are in one word. An element without results has the offset of the
// next one; the last element has some.
void mark_elements(uint base, uint count, uint first, uint last, uint lane) {
    for (uint i = first + 1u + lane * uint(UPSWEEP_OFFSETS_AHEAD); i <= last;
         i += uint(UPSWEEP_GROUP_SIZE * UPSWEEP_OFFSETS_AHEAD)) {
        uint ahead[UPSWEEP_OFFSETS_AHEAD + 1];
        for (int j = 0; j <= UPSWEEP_OFFSETS_AHEAD; ++j) ahead[j] = offset_of(min(i + uint(j), last));
        uint word = 0u, bits = 0u;
        for (int j = 0; j < UPSWEEP_OFFSETS_AHEAD; ++j) {
            uint place = ahead[j] - base;
            bool has_results = ahead[j] != ahead[j + 1] || i + uint(j) == last;
            if (!has_results || place >= count) continue;
            owners[place] = i + uint(j);
            if (bits != 0u && place / 32u != word) {
                atomicOr(marks[word], bits);
                bits = 0u;
            }
            word = place / 32u;
            bits |= 1u << (place % 32u);
        }
        if (bits != 0u) atomicOr(marks[word], bits);
    }
}

// Where nearly all elements have no results, each place looks for its own: all are marked.
#define UPSWEEP_MOST_MARKED (16 * UPSWEEP_REPEAT_PLACES)
void mark_places(uint base, uint count, uint first, uint last, uint lane) {
    for (uint place = lane; place < count; place += uint(UPSWEEP_GROUP_SIZE)) {
        uint low = first;
        uint size = last - first;  // elements behind `low` that it may be
        while (size != 0u) {
            uint half_size = (size + 1u) / 2u;
            bool is_behind = offset_of(low + half_size) <= base + place;
            low += is_behind ? half_size : 0u;
            size = is_behind ? size - half_size : half_size - 1u;
        }
        owners[place] = low;
    }
    if (lane < uint(UPSWEEP_PLACE_WORDS)) marks[lane] = 0xffffffffu;
}

uint last_mark(uint word, uint bits) { return 32u * word + uint(findMSB(bits)); }
uint owner_of(uint place) {
    uint word = place / 32u;
    uint bits = marks[word] & (0xffffffffu >> (31u - place % 32u));
    return bits != 0u ? owners[last_mark(word, bits)] : owners_before[word];
}

// Words, or vectors, so many of an invocation are fetched before the first is put.
#define UPSWEEP_WORDS_AHEAD 8
#define UPSWEEP_VECTORS_AHEAD 4
void store_words(uint base, uint count, uint lane) {
    uint width = max(parameters[UPSWEEP_P_RECORD_WORDS], 1u);
    bool indices = parameters[UPSWEEP_P_RECORD_WORDS] == 0u;
    uint from = parameters[UPSWEEP_P_INPUT_FIRST];
    uint to = parameters[UPSWEEP_P_OUTPUT_FIRST] + base * width;
    uint words = count * width;
    for (uint i = lane; i < words; i += uint(UPSWEEP_WORDS_AHEAD * UPSWEEP_GROUP_SIZE)) {
        uint ahead[UPSWEEP_WORDS_AHEAD];
        for (int j = 0; j < UPSWEEP_WORDS_AHEAD; ++j) {
            uint word = min(i + uint(j * UPSWEEP_GROUP_SIZE), words - 1u);
            uint place = width == 1u ? word : word / width;
            uint owner = owner_of(place);
            ahead[j] = owner;
            if (!indices) ahead[j] = records[from + owner * width + word - place * width];
        }
        for (int j = 0; j < UPSWEEP_WORDS_AHEAD; ++j) {
            uint word = i + uint(j * UPSWEEP_GROUP_SIZE);
            if (word < words) results[to + word] = ahead[j];
        }
    }
}
void store_vectors(uint base, uint count, uint lane) {
    uint width = parameters[UPSWEEP_P_RECORD_WORDS] / 4u;
    uint from = parameters[UPSWEEP_P_INPUT_FIRST] / 4u;
    uint to = parameters[UPSWEEP_P_OUTPUT_FIRST] / 4u + base * width;
    uint vectors = count * width;
    for (uint i = lane; i < vectors; i += uint(UPSWEEP_VECTORS_AHEAD * UPSWEEP_GROUP_SIZE)) {
        uvec4 ahead[UPSWEEP_VECTORS_AHEAD];
        for (int j = 0; j < UPSWEEP_VECTORS_AHEAD; ++j) {
            uint vector = min(i + uint(j * UPSWEEP_GROUP_SIZE), vectors - 1u);
            uint place = width == 1u ? vector : vector / width;
            ahead[j] = record_vectors[from + owner_of(place) * width + vector - place * width];
        }
        for (int j = 0; j < UPSWEEP_VECTORS_AHEAD; ++j) {
            uint vector = i + uint(j * UPSWEEP_GROUP_SIZE);
            if (vector < vectors) result_vectors[to + vector] = ahead[j];
        }
    }
}

void main() {
    if (group_index() >= parameters[UPSWEEP_P_GROUPS]) return;
    uint lane = gl_LocalInvocationIndex;
    uint number = parameters[UPSWEEP_P_FIRST_GROUP] + group_index();
    uint elements = item_count();
    uint found = offsets[parameters[UPSWEEP_P_CARRY]];
    uint kept = min(found, parameters[UPSWEEP_P_CAPACITY]);
    if (number == 0u && lane == 0u) write_arguments(found, found - kept);
    uint base = number * uint(UPSWEEP_REPEAT_PLACES);
    // The same answer in the whole work group.
    if (base >= kept || elements == 0u) return;
    uint count = min(kept - base, uint(UPSWEEP_REPEAT_PLACES));

    if (lane < uint(2 * UPSWEEP_SEARCH_ROUNDS)) reached[lane] = 0u;
    if (lane < uint(UPSWEEP_PLACE_WORDS)) marks[lane] = lane == 0u ? 1u : 0u;
    synchronize();
    uvec2 ends = find_owners(base, base + count - 1u, elements, lane);
    if (lane == 0u) owners[0] = ends.x;
    if (ends.y - ends.x <= uint(UPSWEEP_MOST_MARKED) || ends.y < ends.x)
        mark_elements(base, count, ends.x, ends.y, lane);
    else
        mark_places(base, count, ends.x, ends.y, lane);
    synchronize();
    if (lane != 0u && lane < uint(UPSWEEP_PLACE_WORDS)) {
        uint word = lane - 1u;
        while (marks[word] == 0u) --word;  // the first place has a mark
        owners_before[lane] = owners[last_mark(word, marks[word])];
    }
    synchronize();
    if (has_flag(UPSWEEP_F_VECTORS))
        store_vectors(base, count, lane);
    else
        store_words(base, count, lane);
}
