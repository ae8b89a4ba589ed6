// Blelloch's scan: the tree's results for exact operators at any work group size and any depth; its own
// grouping for floats, which a scalar model of it has too.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "support/sweep.hpp"
#include "support/vulkan_scanner.hpp"
#include "upsweep/error.hpp"

namespace upsweep::test {
namespace {

template <class T, class Op>
void check_exact(std::uint32_t work_group_size, T initial, const std::vector<std::size_t>& sizes,
                 const vulkan::executor_options& options = vulkan_device::get().options()) {
    SCOPED_TRACE(work_group_size);
    vulkan_scanner scanner(options);
    scanner.settings.algorithm = vulkan::scan_algorithm::blelloch;
    scanner.settings.work_group_size = work_group_size;
    scan_check<T, T, T, vulkan_scanner> checked(operation<T, T, T, vulkan_scanner>::of(Op()),
                                                span_of(sequence<T, Op>(sizes.back(), 7)), initial);
    unsigned salt = 0;
    for (const std::size_t n : sizes) {
        for (unsigned mode = 0; mode < 8; mode += 2) {
            scan_mode made = checked.make_mode((mode + salt) % 16);
            made.exclusive = true;
            if (!checked.run(scanner, n, made, salt % 8, (salt + mode) % 5)) return;
            ++salt;
        }
        scanner.settings.length_in_buffer = !scanner.settings.length_in_buffer;
    }
}

TEST(vulkan_blelloch, any_work_group_size) {
    check_exact<std::uint32_t, plus>(256, 5, {0, 1, 2, 511, 512, 513, 1024, 70001});
    check_exact<std::uint32_t, plus>(1, 5, {1, 2, 3, 63});  // blocks of two, six levels
    check_exact<std::uint32_t, plus>(3, 5, {5, 6, 7, 1000});
    check_exact<std::uint32_t, plus>(100, 5, {199, 200, 201, 50001});
    check_exact<std::uint32_t, plus>(64, 5, {128, 129, 40001});
}
TEST(vulkan_blelloch, other_operators) {
    check_exact<std::int32_t, minimum>(64, 5, {100, 20001});
    check_exact<std::uint64_t, bit_xor>(64, 5, {100, 20001});
    check_exact<float, maximum>(64, 5, {100, 20001});
}
TEST(vulkan_blelloch, few_groups_a_dispatch) {
    vulkan::executor_options options = vulkan_device::get().options();
    options.max_groups_x = 3;
    options.max_groups_y = 2;
    check_exact<std::uint32_t, plus>(16, 5, {6 * 32, 6 * 32 + 1, 5001}, options);
}

// A block's balanced tree, level by level as in the article.
std::vector<float> block_scan(std::vector<float> x, float& total) {
    const std::size_t n = x.size();
    for (std::size_t d = 1; d < n; d *= 2) {
        for (std::size_t i = 2 * d - 1; i < n; i += 2 * d) x[i] = x[i - d] + x[i];
    }
    total = x[n - 1];
    x[n - 1] = -0.0f;
    for (std::size_t d = n / 2; d > 0; d /= 2) {
        for (std::size_t i = 2 * d - 1; i < n; i += 2 * d) {
            const float before = x[i];
            x[i] = before + x[i - d];
            x[i - d] = before;
        }
    }
    return x;
}
std::vector<float> model(const std::vector<float>& in, std::size_t block, float initial, float& total) {
    const std::size_t blocks = (in.size() + block - 1) / block;
    std::vector<float> out(in.size());
    std::vector<float> sums(blocks);
    for (std::size_t b = 0; b < blocks; ++b) {
        std::vector<float> part(std::bit_ceil(block), -0.0f);
        const std::size_t n = std::min(block, in.size() - b * block);
        std::copy_n(in.begin() + static_cast<std::ptrdiff_t>(b * block), n, part.begin());
        part = block_scan(part, sums[b]);
        std::copy_n(part.begin(), n, out.begin() + static_cast<std::ptrdiff_t>(b * block));
    }
    if (blocks == 1) {
        for (float& x : out) x = initial + x;
        total = initial + sums[0];
        return out;
    }
    sums = model(sums, block, initial, total);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = sums[i / block] + out[i];
    return out;
}

TEST(vulkan_blelloch, floats_have_the_blocks_grouping) {
    vulkan_scanner scanner;
    scanner.settings.algorithm = vulkan::scan_algorithm::blelloch;
    for (const std::uint32_t work_group_size : {256u, 24u}) {
        scanner.settings.work_group_size = work_group_size;
        for (const std::size_t n : {1u, 700u, 30001u}) {
            random_bits random(n);
            std::vector<float> in(n), out(n);
            for (float& x : in) x = static_cast<float>(random.between(-1, 1));
            float total = 0, expected_total = 0;
            scanner.scan<float>(in, out, true, plus{}, {.initial = 0.3f, .total = &total});
            const std::vector<float> expected = model(in, 2 * work_group_size, 0.3f, expected_total);
            EXPECT_EQ(first_difference(out.data(), expected.data(), n), n) << n;
            EXPECT_TRUE(same_bits(total, expected_total)) << n;
        }
    }
}

TEST(vulkan_blelloch, errors) {
    vulkan::executor ex(vulkan_device::get().handles(), vulkan_device::get().options());
    const vulkan_buffer memory(4096);
    const vulkan::buffer_span<float> span{memory.handle(), 10, 0};
    vulkan::scan_options<float> options;
    options.algorithm = vulkan::scan_algorithm::blelloch;
    EXPECT_THROW((void)prepare_inclusive_scan(ex, span, span, {}, plus{}, options), error);
    for (const std::uint32_t size : {0u, 1025u}) {
        options.work_group_size = size;
        EXPECT_THROW((void)prepare_exclusive_scan(ex, span, span, {}, plus{}, options), error) << size;
    }
}

}  // namespace
}  // namespace upsweep::test
