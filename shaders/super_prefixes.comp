// The totals of supers replaced by S, the left fold of the initial value and the supers before each. One work group a
// sequence, one invocation folds: under an operator that rounds, this chain has no shortcut. At most a few ten thousand supers a
// dispatch, because some drivers stop an invocation after 65535 loop iterations; the next dispatch continues from
// workspace[UPSWEEP_P_CARRY].
#include "interface.glsl"
layout(local_size_x = UPSWEEP_GROUP_SIZE) in;
#include "operators.glsl"
#include "operands.glsl"
#include "totals.glsl"

layout(std430, binding = UPSWEEP_WORKSPACE) buffer workspace_block {
    kept workspace[];
};

#define UPSWEEP_CHUNK (2048 / UPSWEEP_ELEMENT_WORDS / 2)  // pairs fit too
#define UPSWEEP_AHEAD 8  // values read before they are folded
shared operand values[UPSWEEP_CHUNK];

void main() {
    if (group_index() >= parameters[UPSWEEP_P_GROUPS]) return;
    uint sequence = group_index();
    uint supers = supers_of(sequence) + parameters[UPSWEEP_P_FIRST_GROUP];
    uint count = parameters[UPSWEEP_P_LENGTH];
    uint carry = parameters[UPSWEEP_P_CARRY] + sequence;
    bool present = has_flag(UPSWEEP_F_CONTINUED) || has_flag(UPSWEEP_F_INITIAL);
    operand fold = no_operand();
    if (has_flag(UPSWEEP_F_CONTINUED))
        fold = from_kept(workspace[carry]);
    else if (present)
        fold = first_operand();

    for (uint chunk = 0u; chunk < count; chunk += uint(UPSWEEP_CHUNK)) {
        uint size = min(count - chunk, uint(UPSWEEP_CHUNK));
        for (uint i = gl_LocalInvocationIndex; i < size; i += uint(UPSWEEP_GROUP_SIZE))
            values[i] = from_kept(workspace[supers + chunk + i]);
        synchronize();
        if (gl_LocalInvocationIndex == 0u) {
            uint i = 0u;
            if (!present) {
                operand first = values[0];
                values[0] = fold;
                fold = first;
                present = true;
                i = 1u;
            }
            for (; i + uint(UPSWEEP_AHEAD) <= size; i += uint(UPSWEEP_AHEAD)) {
                operand next[UPSWEEP_AHEAD];
                for (int j = 0; j < UPSWEEP_AHEAD; ++j) next[j] = values[i + uint(j)];
                for (int j = 0; j < UPSWEEP_AHEAD; ++j) {
                    values[i + uint(j)] = fold;
                    fold = join(fold, next[j]);
                }
            }
            for (; i < size; ++i) {
                operand last = values[i];
                values[i] = fold;
                fold = join(fold, last);
            }
        }
        synchronize();
        for (uint i = gl_LocalInvocationIndex; i < size; i += uint(UPSWEEP_GROUP_SIZE))
            workspace[supers + chunk + i] = to_kept(values[i]);
        synchronize();
    }
    if (gl_LocalInvocationIndex == 0u) workspace[carry] = to_kept(fold);
}
