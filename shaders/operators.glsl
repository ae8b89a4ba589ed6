// The element type, combine(earlier, later) and identity(): the built-in operators read from operators.def by their
// line, or what the user's text defines (docs/shaders.md). The host or the build defines UPSWEEP_ELEMENT_WORDS and, with
// a user's text, UPSWEEP_TRAITS and UPSWEEP_IDENTITY.

// In front of a type: each product and sum assigned to it is one rounding by itself.
#if defined(GL_ES) && !defined(GL_EXT_gpu_shader5) && !defined(GL_OES_gpu_shader5)
#define rounded
#else
#define rounded precise
#endif

#include "element.glsl"

#ifndef UPSWEEP_USER_OPERATOR

#ifdef VULKAN
layout(constant_id = UPSWEEP_C_TYPE) const int element_type = UPSWEEP_T_UINT;
layout(constant_id = UPSWEEP_C_LINE) const int operator_line = 0;
layout(constant_id = UPSWEEP_C_TRAITS) const uint operator_traits = 0u;
#else
const int element_type = UPSWEEP_TYPE;
const int operator_line = UPSWEEP_LINE;
const uint operator_traits = UPSWEEP_TRAITS;
#endif

#include "arithmetic.glsl"

#define element stored

element combine(element a, element b) {
#if UPSWEEP_ELEMENT_WORDS == 2
    if (element_type == UPSWEEP_T_AFFINE) return compose(a, b);
#endif
    int line = 0;
#define UPSWEEP_OPERATOR(name, primitive, identity, domain, meaning) \
    if (operator_line == line++) return primitive(a, b);
#include "operators.def"
    return a;
}
element identity() {
#if UPSWEEP_ELEMENT_WORDS == 2
    if (element_type == UPSWEEP_T_AFFINE) return identity_map();
#endif
    int line = 0;
#define UPSWEEP_OPERATOR(name, primitive, identity, domain, meaning) \
    if (operator_line == line++) return identity();
#include "operators.def"
    return zero();
}
#define UPSWEEP_IDENTITY

element from_words(stored words) { return words; }
stored to_words(element value) { return value; }

#else

//! user text
#ifndef element
#define element stored
element from_words(stored words) { return words; }
stored to_words(element value) { return value; }
#endif
const uint operator_traits = UPSWEEP_TRAITS;

#endif

const bool exact = (operator_traits & UPSWEEP_EXACT) != 0u;
const bool neutral = (operator_traits & UPSWEEP_NEUTRAL) != 0u;
const bool commutative = (operator_traits & UPSWEEP_COMMUTATIVE) != 0u;

// earlier (+) later in the order of the scan: a reversed one swaps the operands.
element join(element earlier, element later) {
    if (!commutative && has_flag(UPSWEEP_F_SWAP)) return combine(later, earlier);
    return combine(earlier, later);
}

// What stands for an absent part where the identity changes no bit; elsewhere its value is never used.
element absent() {
#ifdef UPSWEEP_IDENTITY
    return identity();
#else
    return from_words(stored(0u));
#endif
}

element initial_value() {
#if UPSWEEP_ELEMENT_WORDS == 1
    return from_words(parameters[UPSWEEP_P_INITIAL]);
#elif UPSWEEP_ELEMENT_WORDS == 2
    return from_words(uvec2(parameters[UPSWEEP_P_INITIAL], parameters[UPSWEEP_P_INITIAL + 1]));
#else
    return from_words(uvec4(parameters[UPSWEEP_P_INITIAL], parameters[UPSWEEP_P_INITIAL + 1],
                            parameters[UPSWEEP_P_INITIAL + 2], parameters[UPSWEEP_P_INITIAL + 3]));
#endif
}
