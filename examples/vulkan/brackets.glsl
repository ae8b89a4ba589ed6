// Brackets left over when all pairs () are taken out: x closing ones, then y opening ones. "())" and "((" make "()(((":
// x + x' - pairs closing ones, and so on.
uvec2 combine(uvec2 a, uvec2 b) {
    uint pairs = min(a.y, b.x);
    return uvec2(a.x + b.x - pairs, a.y + b.y - pairs);
}
uvec2 identity() { return uvec2(0u); }
