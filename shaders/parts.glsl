// Parts of a prefix, any of which may have nothing to fold and is skipped then.

struct part {
    bool present;
    operand value;
};
// What is in front of everything.
part initial_part() {
    bool present = has_flag(UPSWEEP_F_INITIAL);
    part initial = part(present, no_operand());
    if (present) initial.value = first_operand();
    return initial;
}
// before (+) nested. A neutral identity stands for what is absent.
void prepend(part before, inout part nested) {
    if (neutral)
        nested.value = join(before.value, nested.value);
    else if (before.present)
        nested.value = nested.present ? join(before.value, nested.value) : before.value;
    nested.present = nested.present || before.present;
}
