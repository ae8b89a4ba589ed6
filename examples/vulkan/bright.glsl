// Stars are four floats: position and brightness. Those brighter than a limit stay.
layout(std430, set = 1, binding = 0) readonly buffer star_block {
    vec4 stars[];
};
layout(std430, set = 1, binding = 1) writeonly buffer packed_block {
    float brightness[];
};
bool keep(uint item) { return stars[item].w > uintBitsToFloat(parameters[UPSWEEP_P_USER]); }
void move(uint item, uint place) { brightness[place] = stars[item].w; }
