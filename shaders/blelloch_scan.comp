// Blelloch's exclusive scan of a block within a work group (Prefix sums and their applications, 1990, figure 3): an
// up-sweep leaves partial totals in a balanced tree, a down-sweep turns them into prefixes. Two elements an invocation,
// any work group size: the tree is padded with the identity to a power of two. The block's total goes to the sums,
// which are scanned the same way, to any depth, and added back by blelloch_add.
//
// The grouping is that of the blocks, so a sum of floats has other bits than the combination tree, and others again for
// another work group size. Exact operators give the tree's results.
#include "interface.glsl"
#ifdef VULKAN
layout(local_size_x_id = UPSWEEP_C_BLELLOCH_SIZE) in;
layout(constant_id = UPSWEEP_C_BLELLOCH_PADDED) const int padded_size = 512;
#else
layout(local_size_x = UPSWEEP_BLELLOCH_SIZE) in;
const int padded_size = UPSWEEP_BLELLOCH_PADDED;
#endif
#include "operators.glsl"
#include "operands.glsl"
#include "sequence.glsl"

layout(std430, binding = UPSWEEP_INPUT) readonly buffer input_block {
    stored input_elements[];
};
layout(std430, binding = UPSWEEP_OUTPUT) writeonly buffer output_block {
    stored output_elements[];
};
layout(std430, binding = UPSWEEP_WORKSPACE) writeonly buffer sums_block {
    stored sums[];
};
layout(std430, binding = UPSWEEP_TOTAL) writeonly buffer total_block {
    stored total_elements[];
};

// Every 32nd slot stays empty, so that invocations a power of two apart do not meet in a bank.
shared element tree[padded_size + padded_size / 32];
uint slot(uint i) { return i + i / 32u; }

void main() {
    if (group_index() >= parameters[UPSWEEP_P_GROUPS]) return;
    uint lane = gl_LocalInvocationIndex;
    uint size = gl_WorkGroupSize.x;
    uint base = group_index() * 2u * size;
    uint length = sequence_length();
    uint first = input_first(0u);
    for (uint i = lane; i < uint(padded_size); i += size) {
        bool inside = i < 2u * size && base + i < length;
        tree[slot(i)] = inside ? from_words(input_elements[place_of(first, base + i, input_stride())]) : identity();
    }
    synchronize();

    // Up: the right child becomes the total of both. After the last step the root is the block's total.
    for (uint distance = 1u; distance < uint(padded_size); distance *= 2u) {
        for (uint i = lane; i < uint(padded_size) / (2u * distance); i += size) {
            uint left = slot((2u * i + 1u) * distance - 1u);
            uint right = slot((2u * i + 2u) * distance - 1u);
            tree[right] = join(tree[left], tree[right]);
        }
        synchronize();
    }
    if (lane == 0u) {
        uint root = slot(uint(padded_size) - 1u);
        element total = tree[root];
        if (!has_flag(UPSWEEP_F_LAST)) {
            sums[parameters[UPSWEEP_P_FIRST_GROUP] + group_index()] = to_words(total);
        } else if (has_flag(UPSWEEP_F_TOTAL)) {
            if (has_flag(UPSWEEP_F_INITIAL)) total = join(initial_value(), total);
            total_elements[parameters[UPSWEEP_P_TOTAL_INDEX]] = to_words(total);
        }
        tree[root] = identity();
    }
    synchronize();

    // Down: the left child gets what is before both, the right one that and the left one's total.
    for (uint distance = uint(padded_size) / 2u; distance > 0u; distance /= 2u) {
        for (uint i = lane; i < uint(padded_size) / (2u * distance); i += size) {
            uint left = slot((2u * i + 1u) * distance - 1u);
            uint right = slot((2u * i + 2u) * distance - 1u);
            element before = tree[right];
            tree[right] = join(before, tree[left]);
            tree[left] = before;
        }
        synchronize();
    }

    uint out_first = output_first(0u);
    for (uint i = lane; i < 2u * size; i += size) {
        if (base + i >= length) continue;
        element value = tree[slot(i)];
        if (has_flag(UPSWEEP_F_INITIAL)) value = join(initial_value(), value);
        output_elements[place_of(out_first, base + i, output_stride())] = to_words(value);
    }
}
