// The bin of an item, for the stages that extract bins: of an element of the input, or of the user's item.
#include "element.glsl"
#include "bin_classes.glsl"

#ifdef UPSWEEP_USER_BINS
uint bin_of(uint item) {
    uint found = bin(item);
    return found < parameters[UPSWEEP_P_BINS] ? found : UPSWEEP_NO_BIN;
}
#else
layout(std430, binding = UPSWEEP_INPUT) readonly buffer input_block {
    stored input_elements[];
};
uint bin_of(uint item) { return find_bin(input_elements[parameters[UPSWEEP_P_INPUT_FIRST] + item]); }
#endif
