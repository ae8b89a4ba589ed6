// Radix selection: how far the first k elements of an order reach, and a few more.
//
// A record is the integer of a key's order (sort_keys.glsl) and behind it the element's index. No two are equal, and the
// first k of them are those of a stable sort, however many keys are. The k-th is narrowed down by a digit of eight bits at a
// time, from the key's highest to its lowest and then those of the index: of the records that share the digits found so far,
// those with each next digit are counted, which tells the one that the k-th has. As soon as the records up to there are not
// more than there is room for, they are the candidates: of random numbers mostly after one digit or two.
//
// A digit is told by its lowest bit in a record, whose lowest 32 bits are the index.

struct selection_bound {
    bool settled;   // nothing is left to count
    uint rank;      // of the records that share its digits, so many are wanted
    key_words key;  // the last record of those: the digits that are not known have every bit set
    uint index;
};

// In front of the first digit. Indices have no bits above the digit at UPSWEEP_P_INDEX_SHIFT.
selection_bound first_bound(uint wanted, bool settled) {
    selection_bound bound;
    bound.settled = settled;
    bound.rank = wanted;
    bound.key = key_words(0xffffffffu);
    bound.index = (256u << parameters[UPSWEEP_P_INDEX_SHIFT]) - 1u;
    return bound;
}

bool is_within(key_words order, uint index, selection_bound bound) {
#if UPSWEEP_ELEMENT_WORDS == 1
    return order < bound.key || (order == bound.key && index <= bound.index);
#else
    if (order.y != bound.key.y) return order.y < bound.key.y;
    return order.x < bound.key.x || (order.x == bound.key.x && index <= bound.index);
#endif
}

uint digit_at(uint shift, key_words order, uint index) {
    if (shift < 32u) return index >> shift & 0xffu;
#if UPSWEEP_ELEMENT_WORDS == 1
    return order >> (shift - 32u) & 0xffu;
#else
    return (shift < 64u ? order.x : order.y) >> (shift & 31u) & 0xffu;
#endif
}
// Whether all digits in front of it are the bound's.
bool shares_digits(uint shift, key_words order, uint index, selection_bound bound) {
    if (shift < 32u) return order == bound.key && (index ^ bound.index) >> shift >> 8 == 0u;
#if UPSWEEP_ELEMENT_WORDS == 1
    return (order ^ bound.key) >> (shift - 32u) >> 8 == 0u;
#else
    if (shift >= 64u) return (order.y ^ bound.key.y) >> (shift - 64u) >> 8 == 0u;
    return order.y == bound.key.y && (order.x ^ bound.key.x) >> (shift - 32u) >> 8 == 0u;
#endif
}
void set_digit(uint shift, uint digit, inout selection_bound bound) {
    uint cleared = (0xffu ^ digit) << (shift & 31u);
    if (shift < 32u) {
        bound.index ^= cleared;
        return;
    }
#if UPSWEEP_ELEMENT_WORDS == 1
    bound.key ^= cleared;
#else
    if (shift < 64u)
        bound.key.x ^= cleared;
    else
        bound.key.y ^= cleared;
#endif
}

// Records with a digit; `where` is what narrow_bound was given.
uint digit_count(uint where, uint digit);

// Four neighbouring digits are added up by one invocation.
#define UPSWEEP_DIGIT_QUADS (UPSWEEP_MOST_BINS / 4)
shared uint quad_counts[UPSWEEP_DIGIT_QUADS];
shared uint found_digit;    // the k-th record's
shared uint found_before;   // records with a lower one
shared uint found_through;  // and those with this one

// Looks for the digit at which `rank` records are reached.
void find_digit(uint where, uint rank, uint lane) {
    uint counts_of_quad[4];
    uint sum = 0u;
    if (lane < uint(UPSWEEP_DIGIT_QUADS)) {
        for (int j = 0; j < 4; ++j) {
            counts_of_quad[j] = digit_count(where, 4u * lane + uint(j));
            sum += counts_of_quad[j];
        }
        quad_counts[lane] = sum;
    }
    synchronize();
    if (lane < uint(UPSWEEP_DIGIT_QUADS)) {
        uint before = 0u;
        for (uint i = 0u; i < uint(UPSWEEP_DIGIT_QUADS); i += 8u) {
            for (uint j = i; j < i + 8u; ++j) before += j < lane ? quad_counts[j] : 0u;
        }
        if (before < rank && rank <= before + sum) {
            for (int j = 0; j < 4; ++j) {
                uint through = before + counts_of_quad[j];
                if (before < rank && rank <= through) {
                    found_digit = 4u * lane + uint(j);
                    found_before = before;
                    found_through = through;
                }
                before = through;
            }
        }
    }
    synchronize();
}

// By the digit that has been counted, where `wanted` records are wanted and `capacity` have room. All invocations call this.
void narrow_bound(uint where, uint shift, uint wanted, uint capacity, uint lane, inout selection_bound bound) {
    find_digit(where, bound.rank, lane);
    // In front of the digits that were known there were these records, all of them wanted.
    uint before = wanted - bound.rank;
    bound.settled = before + found_through <= capacity;
    bound.rank -= found_before;
    set_digit(shift, found_digit, bound);
}
