// The bin of an item, for the stages that extract bins: of an element of the input, or of the user's item.
#include "element.glsl"
#include "bin_classes.glsl"

#ifdef UPSWEEP_USER_BINS
#define split_source uint
uint source_of(uint item) { return item; }
uint bin_of(uint item) {
    uint found = bin(item);
    return found < parameters[UPSWEEP_P_BINS] ? found : UPSWEEP_NO_BIN;
}
#else
layout(std430, binding = UPSWEEP_INPUT) readonly buffer input_block {
    stored input_elements[];
};
#define split_source stored
stored source_of(uint item) { return input_elements[parameters[UPSWEEP_P_INPUT_FIRST] + item]; }
uint bin_of(stored source) { return find_bin(source); }
#endif
