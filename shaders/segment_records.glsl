// Records of a sort of segments: a key, of UPSWEEP_ELEMENT_WORDS words as it was given, and with UPSWEEP_F_INDICES the
// index of its element behind it. Those of a stretch of tiles whose segment may have elements outside it are open: they go
// to a scratch array, from where the next stage merges them. The others have their place, and what is wanted of them, the
// key or the index, goes to the result.
//
// Of each stretch the workspace has its ends: the position of the first head in it, and that of the last.

layout(std430, binding = UPSWEEP_OUTPUT) writeonly buffer open_block {
    uint open_words[];
};
layout(std430, binding = UPSWEEP_MOVED_VALUES) writeonly buffer done_block {
    uint done_words[];
};
// Heads, one bit a position, and then the ends of stretches.
layout(std430, binding = UPSWEEP_WORKSPACE) buffer workspace_block {
    uint workspace[];
};

#define UPSWEEP_NO_HEAD 0xffffffffu

uint record_words() { return uint(UPSWEEP_ELEMENT_WORDS) + (has_flag(UPSWEEP_F_INDICES) ? 1u : 0u); }

void store_open(uint position, key_words key, uint index) {
    uint at = parameters[UPSWEEP_P_OUTPUT_FIRST] + position * record_words();
#if UPSWEEP_ELEMENT_WORDS == 1
    open_words[at] = key;
#else
    open_words[at] = key.x;
    open_words[at + 1u] = key.y;
#endif
    if (has_flag(UPSWEEP_F_INDICES)) open_words[at + uint(UPSWEEP_ELEMENT_WORDS)] = index;
}
void store_done(uint position, key_words key, uint index) {
    uint first = parameters[UPSWEEP_P_MOVED_FIRST];
    if (has_flag(UPSWEEP_F_INDICES)) {
        done_words[first + position] = index;
        return;
    }
#if UPSWEEP_ELEMENT_WORDS == 1
    done_words[first + position] = key;
#else
    done_words[first + 2u * position] = key.x;
    done_words[first + 2u * position + 1u] = key.y;
#endif
}

// Without a head the first is UPSWEEP_NO_HEAD, and the last 0.
void store_ends(uint stretch, uvec2 ends, uint first) {
    workspace[first + 2u * stretch] = ends.x;
    workspace[first + 2u * stretch + 1u] = ends.y;
}
