// The heads of segments that are given by offsets: an invocation has one offset and adds its bit, if it is the
// beginning of an element, within the window of heads that is bound. Empty segments add a bit that is there.
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
    uint i = group_index() * uint(UPSWEEP_GROUP_SIZE) + gl_LocalInvocationIndex;
    if (i >= parameters[UPSWEEP_P_LENGTH]) return;
    uint offset = offsets[parameters[UPSWEEP_P_INPUT_FIRST] + i];
    uint elements = parameters[UPSWEEP_P_MAXIMUM];
    if (offset == 0u || offset >= elements) return;  // position 0 is marked; a segment at the end is empty
    // In a reversed scan the position of the element in front of it.
    uint position = has_flag(UPSWEEP_F_REVERSE) ? elements - offset : offset;
    uint before = parameters[UPSWEEP_P_BEFORE];
    if (position < before || position - before >= parameters[UPSWEEP_P_WINDOW]) return;
    position -= before;
    atomicOr(head_words[parameters[UPSWEEP_P_HEADS_FIRST] + position / 32u], 1u << (position % 32u));
}
