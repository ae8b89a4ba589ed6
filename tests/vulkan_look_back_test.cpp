// Scans in one pass on the Vulkan device, also where no work group gets an answer in time.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "matrix_product_text.hpp"
#include "support/monoids.hpp"
#include "support/run_checks.hpp"
#include "support/shader_sweep.hpp"
#include "support/vulkan_runs.hpp"
#include "support/vulkan_scanner.hpp"

namespace upsweep::test {
namespace {

vulkan::executor_options look_back() {
    vulkan::executor_options options = vulkan_device::get().options();
    options.way = vulkan::sequence_way::look_back;
    return options;
}
// The last tile first, and asked for once: who comes first has to compute everything.
vulkan::executor_options in_vain() {
    vulkan::executor_options options = look_back();
    options.max_polls = 1;
    options.last_tile_first = true;
    return options;
}

TEST(vulkan_look_back, sequences_and_segments) {
    vulkan_scanner scanner(look_back());
    check_look_back(scanner, vulkan_quick());
}

TEST(vulkan_look_back, totals_that_nobody_tells_are_computed) {
    vulkan_scanner scanner(in_vain());
    check_look_back(scanner, vulkan_quick());
}

// Dispatches of two tiles, of one; and of a length that only the device knows.
TEST(vulkan_look_back, windows) {
    vulkan::executor_options few_groups = look_back(), small_bindings = in_vain(), one = in_vain();
    few_groups.max_groups_x = 4;
    few_groups.max_groups_y = 5;
    small_bindings.max_binding_bytes = 2 * 4096 * 4 + 256;
    one.max_groups_x = one.max_groups_y = 1;
    for (const vulkan::executor_options& options : {few_groups, small_bindings, one}) {
        vulkan_scanner scanner(options);
        check_sizes<float, plus>(scanner, 0.5f, {4096, 5 * 4096, 45 * 4096 + 7});
        EXPECT_GT(scanner.stages().size(), 3u);
        if (vulkan_quick()) continue;
        check_sizes<std::uint64_t, plus>(scanner, 5, {3 * 4096, 41 * 4096 + 3});
        if (options.max_binding_bytes != 0) continue;  // a reversed sequence of unknown length is bound whole
        scanner.settings.length_in_buffer = true;
        scanner.settings.surplus = 5 * 4096;
        check_sizes<float, plus>(scanner, 0.5f, {0, 1, 8191, 8192, 8193, 3 * 8192 + 7});
    }
}

// Of four words; it does not commute, and nothing is known about it.
TEST(vulkan_look_back, an_operator_of_the_callers) {
    vulkan_scanner scanner(in_vain());
    scanner.settings.user = &matrix_product_text;
    const matrix initial{{3, 1, 4, 1}};
    check_sizes<matrix, matrix_product>(scanner, initial, {4099, vulkan_quick() ? 9001u : 140001u});
    EXPECT_TRUE(ran(scanner.stages(), "look_back_scan"));
    check_segments<matrix, matrix_product>(scanner, 9001, 2000, 5, initial);
    EXPECT_TRUE(ran(scanner.stages(), "look_back_scan"));
    vulkan::executor ex(vulkan_device::get().handles(), in_vain());
    unsigned turn = 0;
    std::vector<std::string> stages;
    const auto run = [&](const host_runs& asked, run_results& got) {
        return run_in_vulkan(ex, asked, turn++, got, stages, &matrix_product_text);
    };
    check_every_call<matrix>(run, 9001, 7, vulkan::detail::operation_of(matrix_product_text, sizeof(matrix)),
                             std::optional<matrix>(initial), matrix_product());
}

TEST(vulkan_look_back, totals_of_segments) {
    for (const vulkan::executor_options& options : {look_back(), in_vain()}) {
        vulkan::executor ex(vulkan_device::get().handles(), options);
        const auto run = [&](const host_runs& asked, unsigned turn, run_results& got,
                             std::vector<std::string>& stages) {
            return run_in_vulkan(ex, asked, turn, got, stages);
        };
        check_look_back_totals(run, vulkan_quick());
    }
}

}  // namespace
}  // namespace upsweep::test
