// The ways a kernel of sums that round can take through a tile, which the engine chooses by the machine and
// the size: stored in caches, whose lines are asked for or not, or streamed; in bursts or steadily; to any
// address, forwards and backwards.
#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <limits>
#include <string>

#include "support/backend.hpp"
#include "support/bits.hpp"
#include "support/build.hpp"
#include "support/guarded.hpp"
#include "support/random.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/kernels.hpp"

namespace upsweep::test {
namespace {

// A tile and what a kernel makes of it.
template <class T, class Op>
struct tile_scan {
    guarded<T> y;
    T rows = T(1.5);
    T last = T(0);

    tile_scan(cpu::simd_level level, const guarded<T>& x, std::size_t offset, const cpu::scan_pass& pass)
        : y(x.size(), offset) {
        const auto front = [&](T* p) { return pass.backwards ? p + (x.size() - 1) : p; };
        cpu::kernels_for<T, Op>(level).scan_rows(front(x.data()), front(y.data()), x.size(), T(-3), T(0.125),
                                                 &rows, pass, &last);
        cpu::memory_kernels_for(level).fence();
    }
};

template <class T, class Op>
void expect_one_result(cpu::simd_level level) {
    random_bits random(11);
    for (const std::size_t n : {1u, 511u, 512u, 1900u, 2048u, 2500u, 2560u, 3072u, 4095u, 4096u}) {
        if (sanitized && (n == 1900 || n == 2048 || n == 2560 || n == 4095)) continue;
        guarded<T> x(n, 4);
        for (T& value : x.span()) value = static_cast<T>(random.between(0.75, 1.25));
        if (n == 2500) x.data()[1000] = std::numeric_limits<T>::quiet_NaN();
        for (const bool exclusive : {false, true}) {
            for (const bool backwards : {false, true}) {
                const cpu::scan_pass plain{cpu::placement::cached, exclusive, backwards};
                const tile_scan<T, Op> expected(cpu::simd_level::portable, x, 0, plain);
                for (std::size_t offset = 0; offset < 64 / sizeof(T); offset += 16 / sizeof(T)) {
                    for (const int way : {0, 1, 2, 3, 4, 5, 6, 7}) {
                        if (sanitized && std::popcount(static_cast<unsigned>(way)) % 2 != 0) continue;
                        cpu::scan_pass pass = plain;
                        if (way & 1) pass.where = cpu::placement::streamed;
                        pass.steady = (way & 2) != 0;
                        pass.claims = (way & 2) == 0;
                        if (way & 4) pass.ahead = {x.data(), (way & 2) != 0};
                        // Backwards, it is the address past the highest that has to be aligned.
                        const std::size_t from = backwards ? offset + (4096 - n) % (16 / sizeof(T)) : offset;
                        const tile_scan<T, Op> made(level, x, from, pass);
                        const std::string what = std::to_string(n) + " elements, offset " +
                                                 std::to_string(from) + ", way " + std::to_string(way) +
                                                 (exclusive ? ", exclusive" : "") +
                                                 (backwards ? ", backwards" : "");
                        for (std::size_t i = 0; i < n; ++i)
                            ASSERT_TRUE(same_bits(expected.y.data()[i], made.y.data()[i]))
                                << what << ", element " << i;
                        ASSERT_TRUE(same_bits(expected.rows, made.rows)) << what;
                        ASSERT_TRUE(same_bits(expected.last, made.last)) << what;
                        ASSERT_TRUE(made.y.sentinels_intact()) << what;
                    }
                }
            }
        }
    }
}

TEST(tree_kernels, every_way_gives_one_result) {
    for_each_backend(coverage::levels, [](const auto& backend) {
        expect_one_result<float, plus>(backend.level);
        expect_one_result<float, multiplies>(backend.level);
        expect_one_result<double, plus>(backend.level);
        expect_one_result<double, multiplies>(backend.level);
    });
}

}  // namespace
}  // namespace upsweep::test
