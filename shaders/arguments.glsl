// What is known on the device alone when a stage is done, as the arguments of indirect draws and dispatches.
layout(std430, binding = UPSWEEP_TOTAL) writeonly buffer argument_block {
    uint arguments[];
};

// `found` results, of which as many are kept as there is room for; `rejected` is what the caller is told beside it.
void write_arguments(uint found, uint rejected) {
    uint at = parameters[UPSWEEP_P_TOTAL_INDEX];
    uint kept = min(found, parameters[UPSWEEP_P_CAPACITY]);
    uint vertices = parameters[UPSWEEP_P_VERTICES];
    arguments[at + uint(UPSWEEP_A_DRAW)] = vertices == 0u ? kept : vertices;
    arguments[at + uint(UPSWEEP_A_DRAW + 1)] = vertices == 0u ? 1u : kept;
    arguments[at + uint(UPSWEEP_A_DRAW + 2)] = 0u;
    arguments[at + uint(UPSWEEP_A_DRAW + 3)] = 0u;
    // Rows of groups where one dimension is not enough; the last row may be longer than needed.
    uint items = parameters[UPSWEEP_P_GROUP_ITEMS];
    uint groups = kept / items + (kept % items != 0u ? 1u : 0u);
    uint widest = parameters[UPSWEEP_P_GROUPS_X];
    uint height = groups / widest + (groups % widest != 0u ? 1u : 0u);
    arguments[at + uint(UPSWEEP_A_DISPATCH)] = min(groups, widest);
    arguments[at + uint(UPSWEEP_A_DISPATCH + 1)] = max(height, 1u);
    arguments[at + uint(UPSWEEP_A_DISPATCH + 2)] = 1u;
    arguments[at + uint(UPSWEEP_A_COUNT)] = kept;
    arguments[at + uint(UPSWEEP_A_FOUND)] = found;
    arguments[at + uint(UPSWEEP_A_REJECTED)] = rejected;
    arguments[at + uint(UPSWEEP_A_REJECTED + 1)] = 0u;
    arguments[at + uint(UPSWEEP_A_REJECTED + 2)] = 0u;
}
