// The heads of segments that are given by offsets: an invocation has UPSWEEP_OFFSETS_AHEAD neighbours and adds the bits of
// those that are the beginning of an element, within the window of heads that is bound; together, where they have a
// word in common. Empty segments add a bit that is there.
#include "interface.glsl"
layout(local_size_x = UPSWEEP_GROUP_SIZE) in;

layout(std430, binding = UPSWEEP_INPUT) readonly buffer offset_block {
    uint offsets[];
};
layout(std430, binding = UPSWEEP_OUTPUT) buffer head_block {
    uint head_words[];
};

void main() {
    if (group_index() >= parameters[UPSWEEP_P_GROUPS]) return;
    uint i = (group_index() * uint(UPSWEEP_GROUP_SIZE) + gl_LocalInvocationIndex) * uint(UPSWEEP_OFFSETS_AHEAD);
    uint count = parameters[UPSWEEP_P_LENGTH];
    if (i >= count) return;
    uint ahead[UPSWEEP_OFFSETS_AHEAD];
    for (int j = 0; j < UPSWEEP_OFFSETS_AHEAD; ++j)
        ahead[j] = offsets[parameters[UPSWEEP_P_INPUT_FIRST] + min(i + uint(j), count - 1u)];
    uint elements = parameters[UPSWEEP_P_MAXIMUM];
    uint before = parameters[UPSWEEP_P_BEFORE];
    uint heads = parameters[UPSWEEP_P_HEADS_FIRST];
    uint word = 0u, bits = 0u;
    for (int j = 0; j < UPSWEEP_OFFSETS_AHEAD; ++j) {
        uint offset = ahead[j];
        if (offset == 0u || offset >= elements) continue;  // position 0 is marked; a segment at the end is empty
        // In a reversed scan the position of the element in front of it.
        uint position = has_flag(UPSWEEP_F_REVERSE) ? elements - offset : offset;
        if (position < before || position - before >= parameters[UPSWEEP_P_WINDOW]) continue;
        position -= before;
        if (bits != 0u && position / 32u != word) {
            atomicOr(head_words[heads + word], bits);
            bits = 0u;
        }
        word = position / 32u;
        bits |= 1u << (position % 32u);
    }
    if (bits != 0u) atomicOr(head_words[heads + word], bits);
}
