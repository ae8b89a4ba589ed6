// What CUDA's scans have beside the CPU's: lengths, initial values and totals in device memory, lambdas of
// the device, scratch of the caller's, and the choice among algorithms.
#include "cuda/backend.cuh"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "cuda/device_array.cuh"
#include "support/sweep.hpp"
#include "upsweep/cuda/recurrence.cuh"
#include "upsweep/cuda/sort.cuh"
#include "upsweep/cuda/tuning.hpp"

namespace upsweep::test {
namespace {

constexpr std::array every_choice = {cuda::algorithm::automatic, cuda::algorithm::look_ahead,
                                     cuda::algorithm::look_back, cuda::algorithm::reduce_then_scan};
// Calls body(executor) with each algorithm that this device has.
template <class Body>
void for_each_choice(const Body& body) {
    const bool hopper = cuda::executor().compute_capability() >= 90;
    for (const cuda::algorithm choice : every_choice) {
        if (choice == cuda::algorithm::look_ahead && !hopper) continue;
        SCOPED_TRACE(cuda::name(choice));
        cuda::executor ex(nullptr, choice);
        body(ex);
    }
}

std::vector<float> cpu_sums(const std::vector<float>& in, const scan_options<float>& options = {}) {
    cpu::executor ex(1);
    std::vector<float> out(in.size());
    inclusive_scan(ex, in, out, plus{}, options);
    return out;
}
std::vector<float> random_floats(std::size_t n) {
    const auto values = sequence<float, plus>(n, 17);
    return {std::begin(values), std::end(values)};
}

// A kernel decides how much of an array a later scan in the stream takes, and where it starts.
__global__ void decide(std::uint64_t* length, float* initial, std::uint64_t n, float value) {
    *length = n;
    *initial = value;
}

TEST(cuda_options, length_and_initial_value_that_a_kernel_computes) {
    constexpr std::size_t room = 300000;
    const std::vector<float> in = random_floats(room);
    const device_array<float> x(in);
    device_array<float> y(room), total(1), initial(1);
    device_array<std::uint64_t> length(1);
    for_each_choice([&](cuda::executor& ex) {
        // The longest exceeds what there is room for.
        for (const std::uint64_t n :
             {0ull, 1ull, 4095ull, 4096ull, 131073ull, 299999ull, 300000ull, 1ull << 40}) {
            SCOPED_TRACE(n);
            const auto scanned = static_cast<std::size_t>(std::min<std::uint64_t>(n, room));
            y.poison();
            total.poison();
            decide<<<1, 1>>>(length.data(), initial.data(), n, 0.7f);
            inclusive_scan(
                ex, x.view(), y.span(), plus{},
                {.device_initial = initial.data(), .total = total.data(), .length = length.data()});
            const std::vector<float> expected =
                cpu_sums({in.begin(), in.begin() + static_cast<std::ptrdiff_t>(scanned)}, {.initial = 0.7f});
            const std::vector<float> out = y.read();
            EXPECT_EQ(first_difference(out.data(), expected.data(), scanned), scanned);
            EXPECT_TRUE(same_bits(total.read()[0], scanned == 0 ? 0.7f : expected.back()));
            std::uint32_t poison = 0;
            std::memset(&poison, device_staging::poison, sizeof poison);
            for (std::size_t i = scanned; i < room; ++i)
                ASSERT_EQ(std::bit_cast<std::uint32_t>(out[i]), poison) << "written past the length: " << i;
        }
    });
}

TEST(cuda_options, one_total_is_the_next_ones_initial_value) {
    constexpr std::size_t block = 2 * core::super_size, blocks = 3;
    const std::vector<float> in = random_floats(block * blocks);
    const std::vector<float> expected = cpu_sums(in);
    const device_array<float> x(in);
    device_array<float> y(in.size()), totals(blocks);
    for_each_choice([&](cuda::executor& ex) {
        y.poison();
        for (std::size_t k = 0; k < blocks; ++k) {
            cuda::scan_options<float> options{.total = totals.data() + k};
            if (k != 0) options.device_initial = totals.data() + k - 1;
            inclusive_scan(ex, x.view().subspan(k * block, block), y.span().subspan(k * block, block), plus{},
                           options);
        }
        EXPECT_EQ(first_difference(y.read().data(), expected.data(), in.size()), in.size());
        EXPECT_TRUE(same_bits(totals.read()[blocks - 1], expected.back()));
    });
}

TEST(cuda_options, totals_of_nothing) {
    device_array<float> total(1);
    const cuda::device_span<const float> none;
    const cuda::device_span<float> nowhere;
    for_each_choice([&](cuda::executor& ex) {
        total.poison();
        inclusive_scan(ex, none, nowhere, plus{}, {.total = total.data()});
        EXPECT_TRUE(same_bits(total.read()[0], -0.0f));
        exclusive_scan(ex, none, nowhere, plus{}, {.initial = 5.0f, .total = total.data()});
        EXPECT_EQ(total.read()[0], 5.0f);
        exclusive_scan(ex, none, nowhere);
        ex.wait();
    });
}

// Lambdas with captures, as operators and as functions of elements. They are for both sides: their result
// types are asked for on the host.
void scan_with_lambdas(const std::vector<float>& in, float rate, float limit, std::vector<float>& out) {
    const auto saturating = [limit] UPSWEEP_HOST_DEVICE(float a, float b) {
        return a + b > limit ? limit : a + b;
    };
    const auto scaled = [rate] UPSWEEP_HOST_DEVICE(float x) { return rate * x; };
    const device_array<float> x(in);
    device_array<float> y(in.size());
    cuda::executor ex;
    transform_inclusive_scan(ex, x.view(), y.span(), saturating, scaled);
    out = y.read();
}
TEST(cuda_options, lambdas_with_captures) {
    const std::vector<float> in(70001, 0.25f);
    std::vector<float> out;
    scan_with_lambdas(in, 2.0f, 20000.0f, out);
    for (std::size_t i = 0; i < in.size(); ++i)
        ASSERT_EQ(out[i], std::min(0.5f * static_cast<float>(i + 1), 20000.0f)) << i;
}

TEST(cuda_options, the_automatic_choice_follows_the_bytes) {
    cuda::executor ex;
    EXPECT_EQ(ex.latest(), cuda::algorithm::automatic);
    constexpr std::size_t least = cuda::look_ahead_from_bytes / (2 * sizeof(float)) + 1;
    const device_array<float> x = random_array<float>(least, 1);
    device_array<float> y(least);
    inclusive_scan(ex, x.view().subspan(0, 1000), y.span().subspan(0, 1000));
    EXPECT_EQ(ex.latest(), cuda::algorithm::look_back);
    const cuda::algorithm ahead =
        ex.compute_capability() >= 90 ? cuda::algorithm::look_ahead : cuda::algorithm::look_back;
    inclusive_scan(ex, x.view(), y.span());
    EXPECT_EQ(ex.latest(), ahead);
    // Of an element's bytes too, where maps are composed.
    linear_recurrence(ex, 0.5f, x.view(), 1.0f, y.span());
    EXPECT_EQ(ex.latest(), cuda::algorithm::look_back);
    linear_recurrence(ex, 0.5f, x.view(), 1.0f, y.span(), {.reverse = true});
    EXPECT_EQ(ex.latest(), ahead);
    linear_recurrence(ex, x.view(), x.view(), 1.0f, y.span());
    EXPECT_EQ(ex.latest(), ahead);
    ex.wait();
}

// Whether f(executor, spans...) compiles.
template <class In, class Out>
concept can_scan = requires(cuda::executor& ex, In in, Out out) {
    inclusive_scan(ex, in, out);
};
static_assert(can_scan<cuda::device_span<const float>, cuda::device_span<float>>);
static_assert(can_scan<cuda::device_span<float>, cuda::device_span<double>>);
static_assert(!can_scan<std::span<const float>, std::span<float>>, "host memory");
static_assert(!can_scan<cuda::device_span<const float>, std::span<float>>, "host memory");
static_assert(!can_scan<cuda::device_span<const float>, cuda::device_span<const float>>, "a constant output");

// ---- scratch ----

TEST(cuda_scratch, comes_from_the_callers_pool) {
    constexpr std::size_t n = 300'007;
    const device_array<float> x = random_array<float>(n, 3);
    device_array<float> y(n), z(n);
    cuda::executor ex, plain;
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = ex.device();
    cudaMemPool_t pool = nullptr;
    expect_success(cudaMemPoolCreate(&pool, &properties), "making a memory pool");
    const auto used = [&] {
        std::uint64_t bytes = 0;
        expect_success(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &bytes),
                       "asking the memory pool");
        return bytes;
    };
    ex.set_memory_pool(pool);
    {
        cuda::executor moved = std::move(ex);
        inclusive_scan(moved, x.view(), y.span());
        sort(moved, x.view(), z.span());
        moved.wait();
        EXPECT_GE(used(), moved.workspace_bytes() + n * sizeof(float));
        EXPECT_GT(moved.workspace_bytes(), 0u);
    }
    plain.wait();
    EXPECT_EQ(used(), 0u);
    device_array<float> expected(n);
    inclusive_scan(plain, x.view(), expected.span());
    EXPECT_EQ(y.read(), expected.read());
    sort(plain, x.view(), expected.span());
    EXPECT_EQ(z.read(), expected.read());
    expect_success(cudaMemPoolDestroy(pool), "giving back a memory pool");
}

TEST(cuda_scratch, grows_and_is_kept) {
    constexpr std::size_t n = 5'000'000;
    const device_array<float> x = random_array<float>(n, 2);
    device_array<float> y(n);
    for_each_choice([&](cuda::executor& ex) {
        EXPECT_EQ(ex.workspace_bytes(), 0u);
        inclusive_scan(ex, x.view(), y.span());
        const std::size_t grown = ex.workspace_bytes();
        EXPECT_GT(grown, 0u);
        EXPECT_LE(grown, (cuda::scan_workspace_bytes<float>(n)));
        ex.wait();

        cudaMemPool_t pool = nullptr;
        expect_success(cudaDeviceGetDefaultMemPool(&pool, ex.device()), "finding the memory pool");
        const auto reserved = [&](cudaMemPoolAttr which) {
            std::uint64_t bytes = 0;
            expect_success(cudaMemPoolGetAttribute(pool, which, &bytes), "asking the memory pool");
            return bytes;
        };
        const std::uint64_t before = reserved(cudaMemPoolAttrUsedMemCurrent);
        std::uint64_t most = 0;
        expect_success(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &most),
                       "asking the memory pool");
        for (const std::size_t m : {n, n / 2, std::size_t{1}, n - 1})
            inclusive_scan(ex, x.view().subspan(0, m), y.span().subspan(0, m));
        ex.wait();
        EXPECT_EQ(ex.workspace_bytes(), grown);
        EXPECT_EQ(reserved(cudaMemPoolAttrUsedMemCurrent), before);
        EXPECT_EQ(reserved(cudaMemPoolAttrUsedMemHigh), before) << "a smaller call allocated";
    });
}

TEST(cuda_scratch, of_the_callers) {
    constexpr std::size_t n = 1'000'003;
    const device_array<float> x = random_array<float>(n, 3);
    const std::vector<float> expected = cpu_sums(x.read());
    const std::size_t bytes = cuda::scan_workspace_bytes<float>(n);
    std::size_t before = 0;
    for (std::uint64_t m = 1; m < 4 * n; m = m * 3 / 2 + 1) {
        const std::size_t needed = cuda::scan_workspace_bytes<float>(m);
        EXPECT_GE(needed, before) << "scratch decreases at " << m;
        before = needed;
    }
    for_each_choice([&](cuda::executor& automatic) {
        // In the middle of a larger array, whose ends must stay as they are.
        device_array<std::byte> memory(bytes + 512);
        memory.poison();
        cuda::executor ex(nullptr, memory.span().subspan(256, bytes), automatic.choice());
        device_array<float> y(n);
        for (int k = 0; k < 3; ++k) {
            y.poison();
            inclusive_scan(ex, x.view(), y.span());
            EXPECT_EQ(first_difference(y.read().data(), expected.data(), n), n);
        }
        const std::vector<std::byte> after = memory.read();
        const auto is_poison = [](std::byte each) { return each == std::byte{device_staging::poison}; };
        EXPECT_TRUE(std::all_of(after.begin(), after.begin() + 256, is_poison))
            << "written before the scratch";
        EXPECT_TRUE(std::all_of(after.end() - 256, after.end(), is_poison)) << "written behind the scratch";
    });
}

TEST(cuda_scratch, moves_with_its_executor) {
    const device_array<float> x = random_array<float>(300000, 4);
    const std::vector<float> expected = cpu_sums(x.read());
    device_array<float> y(x.size());
    cuda::executor first;
    inclusive_scan(first, x.view(), y.span());
    const std::size_t bytes = first.workspace_bytes();
    cuda::executor second(std::move(first));
    EXPECT_EQ(second.workspace_bytes(), bytes);
    y.poison();
    inclusive_scan(second, x.view(), y.span());
    cuda::executor third;
    third = std::move(second);
    inclusive_scan(third, x.view(), y.span());
    EXPECT_EQ(first_difference(y.read().data(), expected.data(), x.size()), x.size());
}

}  // namespace
}  // namespace upsweep::test
