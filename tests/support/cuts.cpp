#include "support/cuts.hpp"

#include <algorithm>

#include "support/random.hpp"
#include "upsweep/core/tree.hpp"

namespace upsweep::test {

std::vector<std::size_t> cut_among(int parts_wanted, std::size_t n, unsigned turn) {
    const auto parts = static_cast<std::size_t>(parts_wanted);
    std::vector<std::size_t> cuts(parts + 1, 0);
    cuts.back() = n;
    random_bits random(turn * 1000003u + n);
    switch (turn % 5) {
        case 0:  // even parts
            for (std::size_t k = 1; k < parts; ++k) cuts[k] = n * k / parts;
            break;
        case 1:  // one rank has everything
            for (std::size_t k = 1; k < parts; ++k) cuts[k] = k > turn / 5 % parts ? n : 0;
            break;
        case 2:  // anywhere
            for (std::size_t k = 1; k < parts; ++k) cuts[k] = random.below(n + 1);
            break;
        case 3:  // next to a boundary of the tree
            for (std::size_t k = 1; k < parts; ++k) {
                const std::size_t levels[] = {core::run_size, core::row_size, core::tile_size,
                                              core::super_size};
                const std::size_t level = levels[random.below(4)];
                const std::size_t boundary = random.below(n / level + 1) * level;
                cuts[k] = std::min(n, boundary + random.below(3) - (boundary == 0 ? 0 : 1));
            }
            break;
        default:  // some empty ones, many of a few elements
            for (std::size_t k = 1; k < parts; ++k)
                cuts[k] = random.below(2) == 0 ? cuts[k - 1] : std::min(n, cuts[k - 1] + random.below(10));
    }
    std::sort(cuts.begin(), cuts.end());
    return cuts;
}

}  // namespace upsweep::test
