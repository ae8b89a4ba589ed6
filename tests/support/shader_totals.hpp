// Totals by shaders at sizes of every kind of plan: which stages run, lengths that only the device knows.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "support/sweep.hpp"
#include "support/total_check.hpp"
#include "upsweep/operators.hpp"

namespace upsweep::test {

template <class T, class Op>
total_check<T, Op> totals_up_to(std::size_t longest, T initial) {
    return {span_of(sequence<T, Op>(longest, 9 + sizeof(T))), initial};
}
template <class T, class Op, class Scanner>
void check_total_sizes(Scanner& scanner, T initial, const std::vector<std::size_t>& sizes) {
    total_check<T, Op> totals = totals_up_to<T, Op>(sizes.back(), initial);
    for (const std::size_t n : sizes)
        if (!totals.run(scanner, n, n % 5)) return;
}

// A tile is the last stage's alone; 32 tiles need no totals of supers, 32 supers no stage for what is before
// each.
template <class Scanner>
void check_total_stages(Scanner& scanner, bool brief) {
    const std::size_t tile = core::tile_size, super = core::super_size;
    const std::vector<std::string> all{"tile_totals", "super_totals", "super_prefixes", "tile_scan"};
    const std::size_t longest = brief ? super : 33 * super + tile + 3;
    total_check<float, plus> totals = totals_up_to<float, plus>(longest, 0.7f);
    const auto expect = [&](std::size_t n, const std::vector<std::string>& stages) {
        if (n > longest) return;
        totals.run(scanner, n, n % 3);
        EXPECT_EQ(scanner.stages(), stages) << n;
    };
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, tile}) expect(n, {all[3]});
    for (const std::size_t n : {tile + 1, 3 * tile, super}) expect(n, {all[0], all[3]});
    for (const std::size_t n : {super + 1, 32 * super}) expect(n, {all[0], all[1], all[3]});
    if (!brief) expect(32 * super + 1, all);
    if (!brief) expect(longest, all);
}

// Nothing, a part or all of each window, where `surplus` elements may follow.
template <class Scanner>
void check_total_lengths(Scanner& scanner, std::size_t window, std::size_t surplus) {
    scanner.settings.length_in_buffer = true;
    scanner.settings.surplus = surplus;
    check_total_sizes<float, plus>(
        scanner, 0.5f, {0, 1, 4095, 4096, 4097, window - 1, window, window + 1, 2 * window, 3 * window + 7});
    EXPECT_EQ(scanner.stages().back(), "tile_scan");
    scanner.settings.length_in_buffer = false;
}

}  // namespace upsweep::test
