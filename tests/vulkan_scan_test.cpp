// Scans on the Vulkan device against the scalar reference, bit for bit: every operator on every type, in
// every mode, at every misalignment, with and without subgroups.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/sweep.hpp"
#include "support/vulkan_scanner.hpp"

namespace upsweep::test {
namespace {

// Fewer than on the CPU: a submission costs a software driver as much as ten thousand elements.
const std::vector<std::size_t> small{0, 1, 2, 3, 4, 5, 7, 8, 31, 127, 128, 129, 300, 1021};
const std::vector<std::size_t> tiles{4093, 4095, 4096, 4097, 8191, 8192, 8195, 12291};
const std::vector<std::size_t> supers{core::super_size - 1, core::super_size, core::super_size + 3,
                                      2 * core::super_size + core::tile_size + 3};

vulkan_scanner& scanner(bool subgroups) {
    const auto make = [](vulkan::subgroup_use use) {
        vulkan::executor_options options = vulkan_device::get().options();
        options.subgroups = use;
        return vulkan_scanner(options);
    };
    static vulkan_scanner with = make(vulkan::subgroup_use::required);
    static vulkan_scanner without = make(vulkan::subgroup_use::off);
    return subgroups ? with : without;
}

// The scanners that differ for an operation.
template <class T, class Op>
std::vector<vulkan_scanner*> scanners() {
    std::vector<vulkan_scanner*> made;
    if (!scanner(false).executor().supports(shader::operation_of<Op, T>())) return made;
    made.push_back(&scanner(false));
    if (is_exact<Op, T> && is_commutative<Op>) made.push_back(&scanner(true));
    return made;
}

// Every size, at every scanner that differs.
template <class T, class Op>
void sweep_device(T initial) {
    const std::size_t longest = vulkan_quick() ? tiles.back() : supers.back();
    scan_check<T, T, T, vulkan_scanner> checked(operation<T, T, T, vulkan_scanner>::of(Op()),
                                                span_of(sequence<T, Op>(longest, 1 + sizeof(T))), initial);
    unsigned salt = 0;
    for (vulkan_scanner* each : scanners<T, Op>()) {
        SCOPED_TRACE(each->executor().uses_subgroups() ? "with subgroups" : "without subgroups");
        ASSERT_EQ(each->executor().uses_subgroups(), salt != 0);
        checked.every_mode(*each, {5, 4099});
        checked.some_mode(*each, small, salt++);
        checked.some_mode(*each, tiles, salt++);
        if (!vulkan_quick()) checked.some_mode(*each, supers, salt++);
        if (::testing::Test::HasFailure()) return;
    }
}

TEST(vulkan_scan, sums_of_uint) { sweep_device<std::uint32_t, plus>(7); }
TEST(vulkan_scan, sums_of_uint64) { sweep_device<std::uint64_t, plus>(7); }
TEST(vulkan_scan, sums_of_float) { sweep_device<float, plus>(0.7f); }
TEST(vulkan_scan, sums_of_double) { sweep_device<double, plus>(0.7); }
TEST(vulkan_scan, minima_of_float) { sweep_device<float, minimum>(0.2f); }
TEST(vulkan_scan, maxima_of_int64) { sweep_device<std::int64_t, maximum>(-5); }

// Slopes come in pairs whose product is near 1, so that long products neither vanish nor overflow: some
// drivers flush subnormal numbers.
TEST(vulkan_scan, affine_maps) {
    using map = affine_map<float>;
    random_bits random(12);
    array_of<map> values(vulkan_quick() ? tiles.back() : supers.back());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double slope = random.between(0.7, 1.4) * (random.below(2) == 0 ? 1 : -1);
        values[i].a = static_cast<float>(i % 2 == 0 ? slope : 1 / values[i - 1].a);
        values[i].b = static_cast<float>(random.between(-1, 1));
    }
    scan_check<map, map, map, vulkan_scanner> checked(operation<map, map, map, vulkan_scanner>::of(affine()),
                                                      span_of(values), {0.5f, 0.25f});
    checked.every_mode(scanner(false), {5, 4099});
    unsigned salt = 0;
    for (const auto* sizes : {&small, &tiles, &supers}) {
        if (sizes == &supers && vulkan_quick()) continue;
        checked.some_mode(scanner(false), *sizes, salt++);
    }
}

// Every operator on every type, within a tile, which is one stage; with subgroups and without in turn.
template <class T, class Op>
void check_tile(T initial) {
    static unsigned turn = 0;
    scan_check<T, T, T, vulkan_scanner> checked(operation<T, T, T, vulkan_scanner>::of(Op()),
                                                span_of(sequence<T, Op>(4096, 3)), initial);
    const std::vector<vulkan_scanner*> all = scanners<T, Op>();
    if (all.empty()) return;
    checked.some_mode(*all[turn % all.size()], {0, 1, 2, 3, 130, 4095, 4096}, turn);
    ++turn;
}
template <class T>
void check_ordered(T low, T high) {
    check_tile<T, plus>(low);
    check_tile<T, multiplies>(T(3));
    check_tile<T, minimum>(high);
    check_tile<T, maximum>(low);
}
template <class T>
void check_integer() {
    check_ordered<T>(T(5), T(77));
    check_tile<T, bit_and>(static_cast<T>(~T(4)));
    check_tile<T, bit_or>(T(4));
    check_tile<T, bit_xor>(T(5));
}
TEST(vulkan_scan, every_operator_on_uint) { check_integer<std::uint32_t>(); }
TEST(vulkan_scan, every_operator_on_int) { check_integer<std::int32_t>(); }
TEST(vulkan_scan, every_operator_on_uint64) { check_integer<std::uint64_t>(); }
TEST(vulkan_scan, every_operator_on_int64) { check_integer<std::int64_t>(); }
TEST(vulkan_scan, every_operator_on_float) { check_ordered<float>(-0.2f, 0.2f); }
TEST(vulkan_scan, every_operator_on_double) { check_ordered<double>(-0.2, 0.2); }

// More than 1024 tiles: the prefixes of supers are a stage of their own.
TEST(vulkan_scan, four_million_elements) {
    if (vulkan_quick()) GTEST_SKIP() << "long, and run without sanitizers";
    const std::size_t n = (std::size_t{1} << 22) + 4099;
    scan_check<float, float, float, vulkan_scanner> checked(
        operation<float, float, float, vulkan_scanner>::of(plus()), span_of(sequence<float, plus>(n, 3)),
        0.7f);
    checked.run(scanner(true), n, {.initial = true});
    EXPECT_EQ(scanner(true).stages(),
              (std::vector<std::string>{"tile_totals", "super_totals", "super_prefixes", "tile_scan"}));
    checked.run(scanner(true), n, {.exclusive = true, .reverse = true, .in_place = true});
    checked.run(scanner(true), std::size_t{1} << 22, {});
    EXPECT_EQ(scanner(true).stages(), (std::vector<std::string>{"tile_totals", "super_totals", "tile_scan"}));
}

// Values that arithmetic treats specially, where it is exact whatever the driver: minimum and maximum; and
// sums of numbers that are not subnormal.
template <class T, class Op>
void check_special(bool subnormals) {
    using limits = std::numeric_limits<T>;
    const T nan = limits::quiet_NaN();
    std::vector<T> values{T(0),          -T(0), T(1), -limits::infinity(), limits::infinity(), limits::max(),
                          limits::min(), nan,   -nan, limits::lowest()};
    if (subnormals)
        values.insert(values.end(), {limits::denorm_min(), -limits::denorm_min(), limits::min() / 2});
    random_bits random(sizeof(T));
    for (const std::size_t n : {60u, 5000u}) {
        for (int round = 0; round < 3; ++round) {
            std::vector<T> sequence(n);
            for (std::size_t i = 0; i < n; ++i) {
                // NaN and infinities seldom and late, so that what comes before is compared too.
                const T value = values[random.below(values.size())];
                const bool wild = !(value - value == 0);
                sequence[i] = wild && (i < n / 4 || random.below(n) > 4) ? T(0.5) : value;
            }
            scan_check<T, T, T, vulkan_scanner> checked(operation<T, T, T, vulkan_scanner>::of(Op()),
                                                        std::span<const T>(sequence), -T(0));
            for (vulkan_scanner* each : scanners<T, Op>()) {
                for (unsigned bits = 0; bits < 8; ++bits) {
                    if (!checked.run(*each, n, checked.make_mode(bits), bits, 0)) return;
                }
            }
        }
    }
}
TEST(vulkan_scan, nan_infinity_and_signed_zeros) {
    check_special<float, minimum>(true);
    check_special<float, maximum>(true);
    check_special<double, minimum>(true);
    check_special<double, maximum>(true);
    check_special<float, plus>(false);
    check_special<double, plus>(false);
}

// An absent part is skipped even where the operator's identity would show: -0 under affine maps.
TEST(vulkan_scan, an_absent_part_is_not_an_identity) {
    std::vector<affine_map<float>> values(300, {-0.0f, -0.0f});
    values[0] = {std::numeric_limits<float>::infinity(), 1};
    using map = affine_map<float>;
    scan_check<map, map, map, vulkan_scanner> checked(operation<map, map, map, vulkan_scanner>::of(affine()),
                                                      std::span<const map>(values), {-0.0f, -0.0f});
    for (unsigned bits = 0; bits < 16; ++bits)
        ASSERT_TRUE(checked.run(scanner(false), 300, checked.make_mode(bits)));
}

// The second promise of the contract.
TEST(vulkan_scan, sums_of_non_negative_numbers_never_decrease) {
    const std::size_t n = vulkan_quick() ? 20000 : 300000;
    random_bits random(9);
    std::vector<float> in(n), out(n);
    for (float& x : in) x = static_cast<float>(random.unit());
    scanner(true).scan<float>(in, out, false, plus{}, {});
    for (std::size_t i = 1; i < n; ++i) ASSERT_LE(out[i - 1], out[i]) << i;
}

}  // namespace
}  // namespace upsweep::test
