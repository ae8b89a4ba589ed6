// The fountain: how particles are born, move and die. This text is compiled as GLSL by the shaders and as C++
// by physics.hpp, and uses what both languages mean alike: 32-bit integers, whose shifts and products are
// exact everywhere. So a run has the same bits on every driver and on the CPU. No signed operation overflows
// for particles within the scene; the bounds are noted where they are close.
//
// Units: lengths in 2^-20 m, velocities in 2^-20 m a step, a step is 1/60 s, phases in 2^-16 of a turn. y is up.

const int metre = 1 << 20;
const int metre_per_second = 17476;  // 2^20 / 60
const int gravity = 2857;            // 9.81 m/s^2
const int scene_radius = 11 * metre; // of the cylinder that is the scene
const int scene_height = 13 * metre;
const int pool_radius = 9 * metre;   // water: drops splash; around it is stone, where they end
const uint emitter_count = 4u;       // column, wheel, crown, comets
const uint sphere_count = 3u;
const int sphere_radius = 917504;    // 0.875 m
// The age of a particle that ended in this step says why.
const int outlived = -1;
const int on_ground = -2;
const int on_sphere = -3;
const int out_of_scene = -4;

// 32 bytes, in std430 as in C++.
struct particle {
    ivec3 position;
    int age;        // steps, or why it ended
    ivec3 velocity;
    uint look;      // bits 0..3 emitter, 4 has splashed, 8..19 lifetime in steps, 20..31 random
};

FUNCTION uint emitter_of(particle p) { return p.look & 15u; }
FUNCTION int lifetime_of(particle p) { return int((p.look >> 8u) & 4095u); }
FUNCTION bool is_alive(particle p) { return p.age >= 0; }

// An integer hash by Wellons ("lowbias32"): every bit of x changes every bit with probability near 1/2.
FUNCTION uint hash(uint x) {
    x = (x ^ (x >> 16u)) * 0x7feb352du;
    x = (x ^ (x >> 15u)) * 0x846ca68bu;
    return x ^ (x >> 16u);
}

// sin(2 pi phase / 2^16) in 2^-15, within 0.2 %: a parabola, bent once more.
FUNCTION int sine(uint phase) {
    int t = int(phase << 16u) >> 16;
    int y = (t * (32768 - abs(t))) >> 13;
    return y + ((((y * abs(y)) >> 15) - y) * 115 >> 9);
}
FUNCTION int cosine(uint phase) { return sine(phase + 16384u); }

// amount * sine(phase), for |amount| < 2^23.
FUNCTION int turned(int amount, int sine_value) { return ((amount >> 7) * sine_value) >> 8; }

// Bell-shaped, within -amount .. amount: the sum of the bytes of h.
FUNCTION int spread(uint h, int amount) {
    int sum = int((h & 255u) + ((h >> 8u) & 255u) + ((h >> 16u) & 255u) + (h >> 24u));
    return ((sum - 510) * (amount >> 4)) >> 5;
}

FUNCTION ivec3 sphere_center(uint sphere, uint step) {
    uint phase = sphere * 21845u + step * 31u;
    int around = sphere == 0u ? 0 : 3 * metre;
    int height = (sphere == 0u ? 11 : 8) * (metre >> 1);
    return ivec3(turned(around, cosine(phase)), height + turned(metre >> 1, sine(step * 97u + sphere * 17000u)),
                 turned(around, sine(phase)));
}

// Particle `index` of those born in a step. It left its nozzle up to one step before, so that a jet has no gaps.
FUNCTION particle emit(uint seed, uint step, uint index, uint emitter) {
    uint h = hash(index + hash(step + hash(seed)));
    uint fraction = h & 255u;
    uint time = (step << 8u) - fraction;  // in 2^-8 steps
    uint a = hash(h + 1u);
    uint choice = hash(h + 2u);
    int life = 300;
    ivec3 at = ivec3(0, metre >> 3, 0);
    ivec3 v = ivec3(0, 0, 0);
    int jitter = metre_per_second >> 1;
    if (emitter == 0u) {
        // A column that pulses, and hits the sphere above it.
        v.y = 11 * metre_per_second + turned(metre_per_second, sine((time * 700u) >> 8u));
        jitter = 9 * (metre_per_second >> 4);
    } else if (emitter == 1u) {
        // Eight nozzles on a turning wheel draw spirals.
        uint phase = (choice & 7u) * 8192u + ((time * 218u) >> 8u);
        int c = cosine(phase);
        int s = sine(phase);
        at += ivec3(turned(2 * metre, c), 0, turned(2 * metre, s));
        int outward = 2 * metre_per_second + turned(metre_per_second, sine((time * 131u) >> 8u));
        int along = 3 * metre_per_second;
        v = ivec3(turned(outward, c) - turned(along, s), 8 * metre_per_second, turned(outward, s) + turned(along, c));
        jitter = metre_per_second >> 2;
    } else if (emitter == 2u) {
        // Thirty-two jets at the rim lean inwards; their heights are a wave that runs around.
        uint phase = (choice & 31u) * 2048u;
        int c = cosine(phase);
        int s = sine(phase);
        at += ivec3(turned(7 * metre, c), 0, turned(7 * metre, s));
        int inward = -3 * metre_per_second;
        int wave = sine(4u * phase + ((time * 400u) >> 8u));
        v = ivec3(turned(inward, c), 6 * metre_per_second + turned(2 * metre_per_second, wave), turned(inward, s));
        jitter = metre_per_second >> 2;
    } else {
        // Two comets on long loops shed dust that hangs in the wind.
        uint phase = (choice & 1u) * 32768u + ((time * 150u) >> 8u);
        at = ivec3(turned(6 * metre, cosine(phase)), 6 * metre + turned(2 * metre, sine(3u * phase)),
                   turned(6 * metre, sine(phase)));
        v = ivec3(-turned(metre_per_second, sine(phase)), 0, turned(metre_per_second, cosine(phase)));
        jitter = 2 * metre_per_second;
        life = 420;
    }
    v += ivec3(spread(hash(h + 3u), jitter), spread(hash(h + 4u), jitter), spread(hash(h + 5u), jitter));

    particle p;
    p.position = at + ((v * int(fraction)) >> 8);  // |v| < 2^19
    p.velocity = v;
    p.age = 0;
    life += int(a & 255u) - (life >> 2);
    p.look = emitter | (uint(life) << 8u) | (a & 0xfff00000u);
    return p;
}

// The wind, in 2^-15 of its strength: an Arnold-Beltrami-Childress flow, free of sources and sinks, in two octaves.
FUNCTION ivec3 wind(ivec3 position, uint step) {
    ivec3 p = position >> 6;                   // a turn in 4 m; below 2^18
    ivec3 q = (p * 9) >> 2;                    // in 1.8 m
    uint t = step * 90u;
    ivec3 coarse = ivec3(sine(uint(p.z) + t) + cosine(uint(p.y)), sine(uint(p.x)) + cosine(uint(p.z) + t),
                         sine(uint(p.y)) + cosine(uint(p.x)));
    ivec3 fine = ivec3(sine(uint(q.z)) + cosine(uint(q.y) - t), sine(uint(q.x) + t) + cosine(uint(q.z)),
                       sine(uint(q.y) - t) + cosine(uint(q.x) + t));
    return coarse + (fine >> 1);
}

// One step of a particle: wind, gravity, motion; then whatever ends it.
FUNCTION particle advance(particle p, uint step) {
    uint emitter = emitter_of(p);
    uint chance = hash(p.look + hash(uint(p.age) + step));
    ivec3 flow = wind(p.position, step);
    if (emitter == 3u) {
        p.velocity += ((flow >> 1) - p.velocity) >> 5;
        p.velocity.y -= gravity >> 5;
    } else {
        p.velocity += (flow >> 9) - (p.velocity >> 9);
        p.velocity.y -= gravity;
    }
    p.position += p.velocity;
    p.age += 1;

    for (uint k = 0u; k < sphere_count; ++k) {
        ivec3 d = p.position - sphere_center(k, step);
        if (max(max(abs(d.x), abs(d.y)), abs(d.z)) > sphere_radius) continue;
        ivec3 e = d >> 8;  // 2^-12 m: below 2^12
        int r = sphere_radius >> 8;
        if (e.x * e.x + e.y * e.y + e.z * e.z > r * r) continue;
        ivec3 n = (e * ((1 << 22) / r)) >> 12;  // 2^-10
        ivec3 v = p.velocity >> 4;
        int inward = (v.x * n.x + v.y * n.y + v.z * n.z) >> 10;
        if (inward >= 0) continue;
        if ((chance & 3u) == 0u) p.age = on_sphere;         // a quarter ends there,
        p.velocity -= (n * ((inward * 10) >> 3)) >> 6;      // the others glance off
        int scatter = 7 * metre_per_second;
        p.velocity += ivec3(spread(hash(chance + 1u), scatter), spread(hash(chance + 2u), scatter),
                            spread(hash(chance + 3u), scatter));
    }

    ivec3 m = p.position >> 8;  // 2^-12 m: below 2^16
    uint from_axis = uint(m.x) * uint(m.x) + uint(m.z) * uint(m.z);
    uint pool = uint((pool_radius >> 8) * (pool_radius >> 8));
    uint scene = uint(scene_radius >> 8) * uint(scene_radius >> 8);
    if (p.position.y < 0) {
        bool splashes = from_axis < pool && (p.look & 16u) == 0u && (chance & 0x300u) != 0u;
        if (!splashes) p.age = on_ground;
        p.position.y = 0;
        p.look |= 16u;
        p.velocity = ivec3(p.velocity.x >> 1, -p.velocity.y >> 2, p.velocity.z >> 1) +
                     ivec3(spread(hash(chance + 4u), metre_per_second), spread(hash(chance + 5u), metre_per_second),
                           spread(hash(chance + 6u), metre_per_second));
    }
    if (from_axis > scene || p.position.y > scene_height) p.age = out_of_scene;
    if (p.age >= lifetime_of(p)) p.age = outlived;
    return p;
}
