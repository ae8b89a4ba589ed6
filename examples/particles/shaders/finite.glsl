// Light as numbers that bloom can spread: one pixel that is none, or more than a half float holds, would reach all others.
vec3 finite(vec3 light) { return mix(clamp(light, vec3(0.0), vec3(60000.0)), vec3(0.0), isnan(light)); }
