// Totals by bin of elements that come block by block: wherever they are cut, those of the scalar reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <valarray>
#include <vector>

#include "support/backend.hpp"
#include "support/bin_totals_check.hpp"
#include "support/binned.hpp"
#include "support/build.hpp"
#include "support/cuts.hpp"
#include "support/guarded.hpp"
#include "support/sequences.hpp"
#include "upsweep/bin_totals.hpp"

namespace upsweep::test {
namespace {

// Rows of few bins, rows of many, and odometers.
template <class T, class Op>
void check(std::size_t n, std::uint32_t count, const std::optional<T>& initial) {
    SCOPED_TRACE(std::to_string(n) + " elements, " + std::to_string(count) + " bins");
    const bin_range<float> range{-1.5f, 2.25f, count};
    const std::vector<float> x = numbers_about(range, n, n + count);
    const std::valarray<T> values = sequence<T, Op>(n, count);
    const std::vector<std::uint32_t> found = bins_of(range, x);
    unsigned turn = 0;
    for_each_backend(coverage::levels, [&](const cpu_backend& backend) {
        cpu::executor& ex = *backend.executor;
        cpu::carried_bin_totals<T> all(ex, cpu::operation_of<T, Op>,
                                       cpu::bin_odometer_kernels_for<T, Op>(ex.simd()), count, initial);
        const std::vector<std::size_t> cuts = cut_among(static_cast<int>(2 + turn % 5), n, turn);
        ++turn;
        for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
            const std::size_t first = cuts[k], part = cuts[k + 1] - first;
            const auto classes = detail::in_range<float, float>(ex, x.data() + first, range);
            const std::vector<std::uint32_t> here(found.begin() + static_cast<std::ptrdiff_t>(first),
                                                  found.begin() + static_cast<std::ptrdiff_t>(first + part));
            EXPECT_EQ(all.take(classes.classifier(), cpu::make_source<T>(std::begin(values) + first), part),
                      count_all(here, count).sum);
            // What is asked for in between changes nothing of what follows.
            guarded<T> out(count, k % 7);
            all.store(cpu::make_sink<T>(out.data()));
            EXPECT_TRUE(out.sentinels_intact());
            if (k % 2 == 0 && k + 2 != cuts.size()) continue;
            const std::vector<std::uint32_t> before(
                found.begin(), found.begin() + static_cast<std::ptrdiff_t>(first + part));
            const std::vector<T> expected = totals_of<T>(before, values, count, Op(), initial);
            EXPECT_EQ(first_difference(out.data(), expected.data(), count), count)
                << "up to " << first + part;
        }
    });
}
template <class T, class Op>
void check_ways(const std::optional<T>& initial) {
    for (const std::uint32_t count : {1u, 8u, 9u, 150u, 3'000u}) {
        check<T, Op>(10'007, count, {});
        check<T, Op>(repetitions(30'011, 9'011), count, initial);
    }
}

TEST(bin_totals_blocks, sums) {
    check_ways<float, plus>(0.3f);
    check_ways<double, plus>(-1.7);
}
TEST(bin_totals_blocks, products) {
    check_ways<float, multiplies>(-1.7f);
    check_ways<double, multiplies>(0.3);
}
// More than a super in a bin.
TEST(bin_totals_blocks, long_bins) {
    const std::size_t n = core::super_size + 2 * core::tile_size + 77;
    for (const std::uint32_t count : {1u, 2'000u}) {
        const bin_range<float> range{0, 1, count};
        const std::vector<float> x(n, 0.37f);
        const std::vector<std::uint32_t> found = bins_of(range, x);
        const std::valarray<float> values = sequence<float, plus>(n, 3);
        const std::vector<float> expected = totals_of<float>(found, values, count, plus(), std::nullopt);
        for_each_backend(coverage::levels, [&](const cpu_backend& backend) {
            cpu::executor& ex = *backend.executor;
            cpu::carried_bin_totals<float> all(ex, cpu::operation_of<float, plus>,
                                               cpu::bin_odometer_kernels_for<float, plus>(ex.simd()), count);
            for (std::size_t first = 0; first < n; first += 4'099) {
                const std::size_t part = std::min<std::size_t>(4'099, n - first);
                const auto classes = detail::in_range<float, float>(ex, x.data() + first, range);
                all.take(classes.classifier(), cpu::make_source<float>(std::begin(values) + first), part);
            }
            std::vector<float> out(count, 9);
            all.store(cpu::make_sink<float>(out.data()));
            EXPECT_EQ(first_difference(out.data(), expected.data(), count), count);
        });
    }
}

}  // namespace
}  // namespace upsweep::test
