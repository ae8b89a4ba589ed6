// The slope of the water at a place (metres) and time (seconds): rings from the middle and from two other places.
vec2 ripple_slope(vec2 place, float time) {
    vec2 slope = vec2(0.0);
    const vec3 sources[3] = vec3[](vec3(0.0, 0.0, 5.1), vec3(3.7, -2.9, 7.9), vec3(-4.6, 3.1, 6.7));
    for (int i = 0; i < 3; ++i) {
        vec2 d = place - sources[i].xy;
        float r = length(d) + 0.001;
        slope += d / r * cos(r * sources[i].z - time * (4.0 + float(i))) / (1.0 + 0.25 * r);
    }
    slope += 0.5 * vec2(cos(dot(place, vec2(9.1, 4.3)) + time * 3.1), cos(dot(place, vec2(-3.7, 8.7)) - time * 2.7));
    return 0.02 * slope;
}
