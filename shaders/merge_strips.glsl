// Merging in shared memory. A tile has UPSWEEP_SORT_TILE records, of which each invocation has a strip of neighbouring
// places; it finds for each of them which record goes there, the earlier one of equal keys first.

#define UPSWEEP_STRIP (UPSWEEP_STRIP_WORDS / UPSWEEP_ELEMENT_WORDS)
#define UPSWEEP_SORT_TILE (UPSWEEP_STRIP * UPSWEEP_GROUP_SIZE)

// Behind as many keys as are 32 words one is left out, so that the first keys of strips lie in different banks; and behind 32
// words of places.
#define UPSWEEP_KEYS_OF_BANKS (32 / UPSWEEP_ELEMENT_WORDS)
uint key_slot(uint at) { return at + at / uint(UPSWEEP_KEYS_OF_BANKS); }
uint place_slot(uint word) { return word + word / 32u; }
shared key_words near_keys[UPSWEEP_SORT_TILE + UPSWEEP_SORT_TILE / UPSWEEP_KEYS_OF_BANKS];  // in order_of()
// Where in the tile the record was that goes to each place, two in a word.
shared uint near_places[UPSWEEP_SORT_TILE / 2 + UPSWEEP_SORT_TILE / 64];

uint strip_of(uint lane) { return lane * uint(UPSWEEP_STRIP); }
uint near_place(uint at) { return near_places[place_slot(at / 2u)] >> (16u * (at % 2u)) & 0xffffu; }
void put_places(uint lane, uint places[UPSWEEP_STRIP]) {
    for (int k = 0; k < UPSWEEP_STRIP; k += 2)
        near_places[place_slot((strip_of(lane) + uint(k)) / 2u)] = places[k] | places[k + 1] << 16;
}

#if UPSWEEP_ELEMENT_WORDS == 1
bool is_before(uint a, uint b) { return a < b; }
#else
bool is_before(uvec2 a, uvec2 b) { return a.y < b.y || (a.y == b.y && a.x < b.x); }
#endif

// How many of the first `taken` records come from the first one of the two runs [begin, mid) and [mid, end) when they are
// merged.
uint taken_from_first(uint begin, uint mid, uint end, uint taken) {
    uint low = max(taken, end - mid) - (end - mid);
    uint high = min(taken, mid - begin);
    while (low < high) {
        uint centre = (low + high) / 2u;
        bool too_many = is_before(near_keys[key_slot(mid + taken - 1u - centre)], near_keys[key_slot(begin + centre)]);
        low = too_many ? low : centre + 1u;
        high = too_many ? centre : high;
    }
    return low;
}

// The keys of those places of a strip that are in [from, to), of the merged runs [begin, mid) and [mid, end), and where they
// were. What is in front of or behind them is left alone. There is a key at every index below mid and end.
void merge_strip(uint begin, uint mid, uint end, uint from, uint to, uint strip, inout key_words own[UPSWEEP_STRIP],
                 inout uint sources[UPSWEEP_STRIP]) {
    uint a = begin + taken_from_first(begin, mid, end, from - begin);
    uint b = mid + (from - a);
    key_words key_a = near_keys[key_slot(min(a, max(mid, 1u) - 1u))];
    key_words key_b = near_keys[key_slot(min(b, end - 1u))];
    for (int k = 0; k < UPSWEEP_STRIP; ++k) {
        uint place = strip + uint(k);
        if (place < from || place >= to) continue;
        bool is_later = a >= mid || (b < end && is_before(key_b, key_a));
        own[k] = is_later ? key_b : key_a;
        sources[k] = is_later ? b : a;
        if (is_later)
            ++b;
        else
            ++a;
        key_words next = near_keys[key_slot(is_later ? min(b, end - 1u) : min(a, max(mid, 1u) - 1u))];
        if (is_later)
            key_b = next;
        else
            key_a = next;
    }
}
