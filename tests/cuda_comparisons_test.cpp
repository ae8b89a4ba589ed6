// Comparisons as a device makes them answer as the predicates that they stand for. They need no GPU to do so.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "support/choices.hpp"
#include "upsweep/cuda/comparisons.hpp"

namespace upsweep::test {
namespace {

template <class T>
std::vector<T> values() {
    using limits = std::numeric_limits<T>;
    std::vector<T> made = random_elements<T>(60, sizeof(T));
    for (const T x : {T(0), T(1), T(5), T(-1), limits::max(), limits::lowest(), limits::min()})
        made.push_back(x);
    if constexpr (std::floating_point<T>)
        for (const T x : {limits::quiet_NaN(), limits::infinity(), limits::denorm_min(), T(0)})
            made.insert(made.end(), {x, -x});
    return made;
}

template <class T>
class cuda_comparisons : public testing::Test {};
using element_types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                                     std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(cuda_comparisons, element_types);

TYPED_TEST(cuda_comparisons, answer_as_the_predicates) {
    using T = TypeParam;
    const std::vector<T> all = values<T>();
    std::size_t kept = 0, dropped = 0;
    for (const T bound : all) {
        for (const compared_with<T>& keep : {less_than(bound), at_most(bound), equal_to(bound),
                                             not_equal_to(bound), at_least(bound), greater_than(bound)}) {
            cuda::detail::with_device_predicate<T>(keep, [&](const auto& predicate) {
                EXPECT_FALSE((std::is_same_v<std::decay_t<decltype(predicate)>, compared_with<T>>));
                for (const T x : all) {
                    ASSERT_EQ(predicate(x), keep(x))
                        << +x << " compared with " << +bound << " by " << static_cast<int>(keep.how);
                    ++(keep(x) ? kept : dropped);
                }
            });
        }
    }
    EXPECT_GT(kept, 0u);
    EXPECT_GT(dropped, 0u);
}

TEST(cuda_comparisons_of_others, are_left_alone) {
    struct number {
        int value;
        auto operator<=>(const number&) const = default;
    };
    bool called = false;
    cuda::detail::with_device_predicate<number>(less_than(number{3}), [&](const auto& predicate) {
        called = std::is_same_v<std::decay_t<decltype(predicate)>, compared_with<number>>;
    });
    EXPECT_TRUE(called);
}

}  // namespace
}  // namespace upsweep::test
