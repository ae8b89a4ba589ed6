// Allocation of work that is counted: polygons of any number of corners are cut into triangles, which are
// made in parallel, each by itself, though every polygon has another number of them.
#include <array>
#include <cstdint>
#include <cstdio>
#include <upsweep/upsweep.hpp>
#include <vector>

int main() {
    std::vector<std::uint32_t> corners(200'000);  // of each polygon; their corners lie one behind the other
    std::uint32_t random = 1;
    for (std::uint32_t& count : corners) {
        random = random * 1664525u + 1013904223u;
        count = 3 + (random >> 24) % 10;
    }

    upsweep::cpu::executor executor;
    std::vector<std::uint32_t> counts(corners.size());  // of the triangles of each
    for (std::size_t i = 0; i < corners.size(); ++i) counts[i] = corners[i] - 2;
    std::vector<std::uint32_t> first_corner(corners.size()), first_triangle(corners.size());
    upsweep::exclusive_scan(executor, corners, first_corner);
    upsweep::exclusive_scan(executor, counts, first_triangle);
    const std::size_t all = first_triangle.back() + counts.back();
    std::vector<std::uint32_t> polygon(all);  // whose each triangle is
    upsweep::repeat_indices(executor, counts, polygon);

    // Every turn of this loop could be a thread's.
    std::vector<std::array<std::uint32_t, 3>> triangles(all);
    for (std::uint32_t t = 0; t < all; ++t) {
        const std::uint32_t corner = first_corner[polygon[t]], number = t - first_triangle[polygon[t]];
        triangles[t] = {corner, corner + number + 1, corner + number + 2};
    }
    std::printf("%zu polygons make %zu triangles\n", corners.size(), all);

    // The same by a loop over polygons.
    std::size_t found = 0;
    std::uint32_t corner = 0;
    for (const std::uint32_t count : corners) {
        for (std::uint32_t k = 1; k + 1 < count; ++k, ++found)
            if (found == all || triangles[found] != std::array{corner, corner + k, corner + k + 1}) return 1;
        corner += count;
    }
    return found == all ? 0 : 1;
}
