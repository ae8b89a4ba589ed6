// Scans by shaders at chosen sizes, each in several modes and with several misalignments; and what scans in
// one pass must do, with executors that are told to make them so.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "support/run_checks.hpp"
#include "support/segment_scans.hpp"
#include "support/sweep.hpp"
#include "upsweep/operators.hpp"

namespace upsweep::test {

template <class T, class Op, class In = T, class Scanner>
void check_sizes(Scanner& scanner, T initial, const std::vector<std::size_t>& sizes) {
    scan_check<In, T, T, Scanner> checked(operation<In, T, T, Scanner>::of(Op()),
                                          span_of(sequence<In, Op>(sizes.back(), 17)), initial);
    unsigned salt = 0;
    for (const std::size_t n : sizes) {
        for (unsigned mode = 0; mode < 4; ++mode) {
            scan_mode how = checked.make_mode((mode * 5 + salt) % 16);
            how.in_place = how.in_place && std::is_same_v<In, T>;
            if (!checked.run(scanner, n, how, (salt + mode) % 8, salt % 5)) return;
            ++salt;
        }
    }
}

inline bool ran(const std::vector<std::string>& stages, const char* stage) {
    return std::find(stages.begin(), stages.end(), stage) != stages.end();
}

// Around the ends of tiles and supers, and so many supers that what is before one of them is not folded from
// totals of tiles alone: a work group asks for those of six supers.
template <class Scanner>
void check_look_back(Scanner& scanner, bool brief) {
    const std::size_t super = core::super_size, tile = core::tile_size;
    check_sizes<float, plus>(scanner, 0.5f,
                             {1, tile, tile + 1, 2 * tile, 5 * tile + 7, super, super + tile + 3});
    EXPECT_TRUE(ran(scanner.stages(), "look_back_scan") && !ran(scanner.stages(), "tile_totals"));
    check_sizes<std::uint32_t, plus>(scanner, 5, {2 * tile + 1, 7 * super + 2 * tile - 1});
    if (brief) return;
    check_sizes<float, plus, float16>(scanner, 0.5f, {5, tile + 3, super + tile + 5});
    check_sizes<float, plus>(scanner, 0.5f, {6 * super, 7 * super + 1, 9 * super + 33 * tile + 5});
    check_sizes<std::int64_t, minimum>(scanner, 5, {3 * tile + 9, 8 * super + tile});
    check_sizes<affine_map<float>, affine>(scanner, {0.5f, 1.0f},
                                           {tile + 3, super + 7, 7 * super + tile + 1});
    check_segments<float, plus>(scanner, 7 * super + tile + 5, 300, 3, 0.3f);
    check_segments<float, plus>(scanner, 8 * super + 5, 400000, 4 + 8, 0.3f);
    EXPECT_TRUE(ran(scanner.stages(), "look_back_scan"));
}

// Totals of segments, of a few tiles and of so many supers; run(asked, turn, got, stages) makes a call.
template <class Run>
void check_look_back_totals(const Run& run, bool brief) {
    unsigned turn = 0;
    bool looked_back = false;
    std::vector<std::string> stages;
    const auto run_next = [&](const host_runs& asked, run_results& got) {
        const std::size_t found = run(asked, turn++, got, stages);
        looked_back = looked_back || ran(stages, "look_back_totals");
        return found;
    };
    const auto known = shader::operation_of<plus, float>();
    check_every_call<float, plus>(run_next, 8193, 9, known, 0.3f);
    EXPECT_TRUE(looked_back);
    if (!brief) check_every_call<float, plus>(run_next, 7 * core::super_size + 4099, 900, known, {});
}

}  // namespace upsweep::test
