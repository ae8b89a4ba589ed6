// The colour of a particle by its emitter and its age: born white hot, cooling through its emitter's colours.
vec3 ramp(vec3 a, vec3 b, vec3 c, vec3 d, float t) {
    t = clamp(t, 0.0, 1.0) * 3.0;
    return t < 1.0 ? mix(a, b, t) : t < 2.0 ? mix(b, c, t - 1.0) : mix(c, d, t - 2.0);
}

// age and lifetime in steps
vec3 particle_color(uint emitter, float age, float lifetime) {
    if (emitter == 0u)  // column: ice
        return ramp(vec3(0.90, 1.00, 1.10), vec3(0.25, 0.70, 1.20), vec3(0.10, 0.25, 1.10), vec3(0.22, 0.06, 0.70), age / 150.0);
    if (emitter == 1u)  // wheel: embers
        return ramp(vec3(1.30, 1.05, 0.70), vec3(1.25, 0.62, 0.16), vec3(1.05, 0.20, 0.06), vec3(0.50, 0.03, 0.12), age / 130.0);
    if (emitter == 2u)  // crown: sea
        return ramp(vec3(0.80, 1.10, 1.00), vec3(0.12, 0.90, 0.75), vec3(0.04, 0.45, 0.75), vec3(0.05, 0.10, 0.50), age / 110.0);
    // comets: orchid, which fades with their lives
    float t = age / lifetime;
    return ramp(vec3(1.20, 0.95, 1.10), vec3(1.00, 0.30, 0.80), vec3(0.55, 0.12, 0.90), vec3(0.16, 0.05, 0.45), t) *
           (1.0 - t * t);
}
