// The primitives behind operators.def in GLSL, function for function those of core/arithmetic.hpp, on elements as they
// lie in a buffer: one word (uint, int, float) or two (64-bit integers, double, affine maps), the low one first.
//
// Which type and which operator is a constant when the pipeline is made. 64-bit integers need no device feature here.
// Floating-point minimum and maximum compare integers of the same order, so no driver can flush or drop anything.

#if UPSWEEP_ELEMENT_WORDS == 1

uint add(uint a, uint b) {
    if (element_type != UPSWEEP_T_FLOAT) return a + b;
    rounded float sum = uintBitsToFloat(a) + uintBitsToFloat(b);
    return floatBitsToUint(sum);
}
uint multiply(uint a, uint b) {
    if (element_type != UPSWEEP_T_FLOAT) return a * b;
    rounded float product = uintBitsToFloat(a) * uintBitsToFloat(b);
    return floatBitsToUint(product);
}

// An integer of the same order as the element; a NaN is below (above) everything.
uint order_of(uint a, uint nan) {
    if (element_type == UPSWEEP_T_UINT) return a;
    if (element_type == UPSWEEP_T_INT) return a ^ 0x80000000u;
    if ((a & 0x7fffffffu) > 0x7f800000u) return nan;
    return (a & 0x80000000u) != 0u ? ~a : a | 0x80000000u;
}
uint smaller(uint a, uint b) { return order_of(b, 0u) < order_of(a, 0u) ? b : a; }
uint larger(uint a, uint b) { return order_of(a, 0xffffffffu) < order_of(b, 0xffffffffu) ? b : a; }

uint both(uint a, uint b) { return a != 0u && b != 0u ? 1u : 0u; }
uint either(uint a, uint b) { return a != 0u || b != 0u ? 1u : 0u; }

uint zero() { return 0u; }
uint one() { return element_type == UPSWEEP_T_FLOAT ? 0x3f800000u : 1u; }
uint all_ones() { return 0xffffffffu; }
uint additive_identity() { return element_type == UPSWEEP_T_FLOAT ? 0x80000000u : 0u; }
uint largest() {
    if (element_type == UPSWEEP_T_FLOAT) return 0x7f800000u;
    return element_type == UPSWEEP_T_INT ? 0x7fffffffu : 0xffffffffu;
}
uint smallest() {
    if (element_type == UPSWEEP_T_FLOAT) return 0xff800000u;
    return element_type == UPSWEEP_T_INT ? 0x80000000u : 0u;
}

#else

uvec2 add_integers(uvec2 a, uvec2 b) {
    uint carry;
    uint low = uaddCarry(a.x, b.x, carry);
    return uvec2(low, a.y + b.y + carry);
}
uvec2 multiply_integers(uvec2 a, uvec2 b) {
    uint high, low;
    umulExtended(a.x, b.x, high, low);
    return uvec2(low, high + a.x * b.y + a.y * b.x);
}

#ifdef UPSWEEP_DOUBLE
uvec2 add(uvec2 a, uvec2 b) {
    precise double sum = packDouble2x32(a) + packDouble2x32(b);
    return unpackDouble2x32(sum);
}
uvec2 multiply(uvec2 a, uvec2 b) {
    precise double product = packDouble2x32(a) * packDouble2x32(b);
    return unpackDouble2x32(product);
}
#else
uvec2 add(uvec2 a, uvec2 b) { return add_integers(a, b); }
uvec2 multiply(uvec2 a, uvec2 b) { return multiply_integers(a, b); }
#endif

// (a1, b1) (+) (a2, b2) = (a1 a2, a2 b1 + b2)
uvec2 compose(uvec2 first, uvec2 second) {
    rounded float slope = uintBitsToFloat(first.x) * uintBitsToFloat(second.x);
    rounded float moved = uintBitsToFloat(second.x) * uintBitsToFloat(first.y);
    rounded float offset = moved + uintBitsToFloat(second.y);
    return uvec2(floatBitsToUint(slope), floatBitsToUint(offset));
}
uvec2 identity_map() { return uvec2(0x3f800000u, 0x80000000u); }

uvec2 order_of(uvec2 a, uint nan) {
    if (element_type == UPSWEEP_T_UINT64) return a;
    if (element_type == UPSWEEP_T_INT64) return uvec2(a.x, a.y ^ 0x80000000u);
    uint magnitude = a.y & 0x7fffffffu;
    if (magnitude > 0x7ff00000u || (magnitude == 0x7ff00000u && a.x != 0u)) return uvec2(nan);
    return (a.y & 0x80000000u) != 0u ? ~a : uvec2(a.x, a.y | 0x80000000u);
}
bool precedes(uvec2 a, uvec2 b) { return a.y < b.y || (a.y == b.y && a.x < b.x); }
uvec2 smaller(uvec2 a, uvec2 b) { return precedes(order_of(b, 0u), order_of(a, 0u)) ? b : a; }
uvec2 larger(uvec2 a, uvec2 b) {
    return precedes(order_of(a, 0xffffffffu), order_of(b, 0xffffffffu)) ? b : a;
}

uvec2 both(uvec2 a, uvec2 b) { return uvec2(a != uvec2(0u) && b != uvec2(0u) ? 1u : 0u, 0u); }
uvec2 either(uvec2 a, uvec2 b) { return uvec2(a != uvec2(0u) || b != uvec2(0u) ? 1u : 0u, 0u); }

uvec2 zero() { return uvec2(0u); }
uvec2 one() { return element_type == UPSWEEP_T_DOUBLE ? uvec2(0u, 0x3ff00000u) : uvec2(1u, 0u); }
uvec2 all_ones() { return uvec2(0xffffffffu); }
uvec2 additive_identity() { return uvec2(0u, element_type == UPSWEEP_T_DOUBLE ? 0x80000000u : 0u); }
uvec2 largest() {
    if (element_type == UPSWEEP_T_DOUBLE) return uvec2(0u, 0x7ff00000u);
    return uvec2(0xffffffffu, element_type == UPSWEEP_T_INT64 ? 0x7fffffffu : 0xffffffffu);
}
uvec2 smallest() {
    if (element_type == UPSWEEP_T_DOUBLE) return uvec2(0u, 0xfff00000u);
    return uvec2(0u, element_type == UPSWEEP_T_INT64 ? 0x80000000u : 0u);
}

#endif

#define and_bits(a, b) ((a) & (b))
#define or_bits(a, b) ((a) | (b))
#define xor_bits(a, b) ((a) ^ (b))
