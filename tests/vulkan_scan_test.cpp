// What scans on the Vulkan device have beyond those of the CPU, whose tests run here too (shader/): stages,
// and maps that no driver's arithmetic spoils.
#include "shader/backend.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "support/random.hpp"
#include "support/sweep.hpp"
#include "support/vulkan_scanner.hpp"

namespace upsweep::test {
namespace {

// Slopes come in pairs whose product is near 1, so that long products neither vanish nor overflow: some
// drivers flush subnormal numbers.
TEST(vulkan_scan, affine_maps) {
    using map = affine_map<float>;
    random_bits random(12);
    array_of<map> values(vulkan_quick() ? tile_sizes().back() : largest_super_size);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double slope = random.between(0.7, 1.4) * (random.below(2) == 0 ? 1 : -1);
        values[i].a = static_cast<float>(i % 2 == 0 ? slope : 1 / values[i - 1].a);
        values[i].b = static_cast<float>(random.between(-1, 1));
    }
    scan_check<map, map, map, vulkan_scanner> checked(operation<map, map, map, vulkan_scanner>::of(affine()),
                                                      span_of(values), {0.5f, 0.25f});
    vulkan_scanner scanner;
    checked.every_mode(scanner, {5, 4099});
    checked.some_mode(scanner, tile_sizes(), 0);
    if (!vulkan_quick()) checked.some_mode(scanner, super_sizes(), 1);
}

// More than 1024 tiles: the prefixes of supers are a stage of their own.
TEST(vulkan_scan, four_million_elements) {
    if (vulkan_quick()) GTEST_SKIP() << "long, and run without sanitizers";
    const std::size_t n = (std::size_t{1} << 22) + 4099;
    scan_check<float, float, float, vulkan_scanner> checked(
        operation<float, float, float, vulkan_scanner>::of(plus()), span_of(sequence<float, plus>(n, 3)),
        0.7f);
    vulkan::executor_options options = vulkan_device::get().options();
    options.way = vulkan::sequence_way::reduce_then_scan;
    vulkan_scanner scanner(options);
    checked.run(scanner, n, {.initial = true});
    EXPECT_EQ(scanner.stages(),
              (std::vector<std::string>{"tile_totals", "super_totals", "super_prefixes", "tile_scan"}));
    checked.run(scanner, n, {.exclusive = true, .reverse = true, .in_place = true});
    checked.run(scanner, std::size_t{1} << 22, {});
    EXPECT_EQ(scanner.stages(), (std::vector<std::string>{"tile_totals", "super_totals", "tile_scan"}));
}

// An absent part is skipped even where the operator's identity would show: -0 under affine maps.
TEST(vulkan_scan, an_absent_part_is_not_an_identity) {
    std::vector<affine_map<float>> values(300, {-0.0f, -0.0f});
    values[0] = {std::numeric_limits<float>::infinity(), 1};
    using map = affine_map<float>;
    scan_check<map, map, map, vulkan_scanner> checked(operation<map, map, map, vulkan_scanner>::of(affine()),
                                                      std::span<const map>(values), {-0.0f, -0.0f});
    vulkan_scanner scanner;
    for (unsigned bits = 0; bits < 16; ++bits)
        ASSERT_TRUE(checked.run(scanner, 300, checked.make_mode(bits)));
}

}  // namespace
}  // namespace upsweep::test
