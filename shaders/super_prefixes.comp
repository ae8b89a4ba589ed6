// The totals of supers replaced by S, the left fold of the initial value and the supers before each. One work group a
// sequence, one invocation folds: under an operator that rounds, this chain has no shortcut. At most a few ten thousand supers a
// dispatch, because some drivers stop an invocation after 65535 loop iterations; the next dispatch continues from
// workspace[UPSWEEP_P_CARRY].
#include "interface.glsl"
layout(local_size_x = UPSWEEP_GROUP_SIZE) in;
#include "operators.glsl"
#include "totals.glsl"

layout(std430, binding = UPSWEEP_WORKSPACE) buffer workspace_block {
    stored workspace[];
};

#define UPSWEEP_CHUNK 1024
#define UPSWEEP_AHEAD 8  // values read before they are folded
shared element values[UPSWEEP_CHUNK];

void main() {
    if (group_index() >= parameters[UPSWEEP_P_GROUPS]) return;
    uint sequence = group_index();
    uint supers = supers_of(sequence) + parameters[UPSWEEP_P_FIRST_GROUP];
    uint count = parameters[UPSWEEP_P_LENGTH];
    uint carry = parameters[UPSWEEP_P_CARRY] + sequence;
    bool present = has_flag(UPSWEEP_F_CONTINUED) || has_flag(UPSWEEP_F_INITIAL);
    element fold = absent();
    if (has_flag(UPSWEEP_F_CONTINUED))
        fold = from_words(workspace[carry]);
    else if (present)
        fold = initial_value();

    for (uint chunk = 0u; chunk < count; chunk += uint(UPSWEEP_CHUNK)) {
        uint size = min(count - chunk, uint(UPSWEEP_CHUNK));
        for (uint i = gl_LocalInvocationIndex; i < size; i += uint(UPSWEEP_GROUP_SIZE))
            values[i] = from_words(workspace[supers + chunk + i]);
        synchronize();
        if (gl_LocalInvocationIndex == 0u) {
            uint i = 0u;
            if (!present) {
                element first = values[0];
                values[0] = fold;
                fold = first;
                present = true;
                i = 1u;
            }
            for (; i + uint(UPSWEEP_AHEAD) <= size; i += uint(UPSWEEP_AHEAD)) {
                element next[UPSWEEP_AHEAD];
                for (int j = 0; j < UPSWEEP_AHEAD; ++j) next[j] = values[i + uint(j)];
                for (int j = 0; j < UPSWEEP_AHEAD; ++j) {
                    values[i + uint(j)] = fold;
                    fold = join(fold, next[j]);
                }
            }
            for (; i < size; ++i) {
                element last = values[i];
                values[i] = fold;
                fold = join(fold, last);
            }
        }
        synchronize();
        for (uint i = gl_LocalInvocationIndex; i < size; i += uint(UPSWEEP_GROUP_SIZE))
            workspace[supers + chunk + i] = to_words(values[i]);
        synchronize();
    }
    if (gl_LocalInvocationIndex == 0u) workspace[carry] = to_words(fold);
}
