// Digits that a work group counts in shared memory. Neighbours count in different copies, so that many items of one digit do
// not all wait for one word. The stage says how many copies there are: UPSWEEP_COUNT_COPIES.

shared uint counts[UPSWEEP_MOST_BINS * UPSWEEP_COUNT_COPIES];

// With a barrier behind it.
void clear_counts(uint lane) {
    for (uint i = lane; i < uint(UPSWEEP_MOST_BINS * UPSWEEP_COUNT_COPIES); i += uint(UPSWEEP_GROUP_SIZE))
        counts[i] = 0u;
    synchronize();
}

// So many records of this invocation, one behind the other, had this digit: they are added together.
uint run_digit = 0u;
uint run_length = 0u;
void add_run(uint lane) {
    uint copy = lane % uint(UPSWEEP_COUNT_COPIES);
    if (run_length != 0u) atomicAdd(counts[run_digit * uint(UPSWEEP_COUNT_COPIES) + copy], run_length);
    run_length = 0u;
}
void count_digit(uint digit, uint lane) {
    if (digit != run_digit) {
        add_run(lane);
        run_digit = digit;
    }
    ++run_length;
}
// With a barrier in front of it.
uint counted(uint digit) {
    uint sum = 0u;
    for (int copy = 0; copy < UPSWEEP_COUNT_COPIES; ++copy)
        sum += counts[digit * uint(UPSWEEP_COUNT_COPIES) + uint(copy)];
    return sum;
}
