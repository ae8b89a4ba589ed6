// One result, however often and beside whatever else a scan runs.
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cuda/device_array.cuh"
#include "cuda/holder.cuh"
#include "support/build.hpp"
#include "upsweep/cuda/block_by_block.cuh"
#include "upsweep/cuda/scan.cuh"
#include "upsweep/scan.hpp"

namespace upsweep::test {
namespace {

struct choice {
    const char* name;
    cuda::algorithm algorithm;
    unsigned tiles_ahead = 0;  // look-back's

    [[nodiscard]] cuda::executor executor(const test_stream& stream) const {
        cuda::executor ex(stream, algorithm);
        ex.set_tiles_ahead(tiles_ahead);
        return ex;
    }
};
const std::vector<choice>& choices() {
    static const std::vector<choice> made = [] {
        std::vector<choice> list = {{"look-back", cuda::algorithm::look_back},
                                    {"look-back, sums ahead", cuda::algorithm::look_back, 640},
                                    {"reduce-then-scan", cuda::algorithm::reduce_then_scan}};
        if (cuda::executor().compute_capability() >= 90)
            list.insert(list.begin(), {"look-ahead", cuda::algorithm::look_ahead});
        return list;
    }();
    return made;
}

// Sums of random floats, whose bits show every change of grouping; and the CPU's result.
struct repeated_problem {
    explicit repeated_problem(std::size_t n, std::uint64_t seed)
        : in(random_array<float>(n, seed)), expected(n) {
        cpu::executor ex;
        const std::vector<float> x = in.read();
        std::vector<float> y(n);
        inclusive_scan(ex, x, y);
        expected.assign(y);
    }
    device_array<float> in, expected;
};

TEST(cuda_repetition, a_thousand_scans_give_one_result) {
    for (const std::size_t n : {std::size_t{5000}, std::size_t{1'500'003}, std::size_t{16'000'001}}) {
        const repeated_problem given(n, n);
        device_array<float> out(n);
        for (const choice& each : choices()) {
            SCOPED_TRACE(each.name);
            const test_stream stream;
            cuda::executor ex = each.executor(stream);
            unsigned long long wrong = 0;
            for (std::size_t k = 0; k < repetitions(1000, 20) && wrong == 0; ++k) {
                expect_success(cudaMemsetAsync(out.data(), 0xcb, n * sizeof(float), stream), "poisoning");
                inclusive_scan(ex, given.in.view(), out.span());
                wrong = differences(out, given.expected, stream);
            }
            EXPECT_EQ(wrong, 0u);
        }
    }
}

// Two executors on two streams, each scan large enough to fill the GPU.
TEST(cuda_repetition, two_streams_at_once) {
    const repeated_problem one(30'000'007, 1), other(25'000'009, 2);
    device_array<float> one_out(one.in.size()), other_out(other.in.size());
    for (const choice& first : choices()) {
        for (const choice& second : choices()) {
            SCOPED_TRACE(std::string(first.name) + " beside " + second.name);
            const test_stream stream, beside;
            cuda::executor ex = first.executor(stream), other_ex = second.executor(beside);
            one_out.poison();
            other_out.poison();
            for (std::size_t k = 0; k < repetitions(100, 5); ++k) {
                inclusive_scan(ex, one.in.view(), one_out.span());
                inclusive_scan(other_ex, other.in.view(), other_out.span());
            }
            ex.wait();
            other_ex.wait();
            EXPECT_EQ(differences(one_out, one.expected), 0u);
            EXPECT_EQ(differences(other_out, other.expected), 0u);
        }
    }
}

// ---- a GPU that is not free ----

// The default stream, null, is another one for each device.
TEST(cuda_executors, keep_to_the_device_they_were_made_on) {
    int devices = 0;
    expect_success(cudaGetDeviceCount(&devices), "counting devices");
    if (devices < 2) GTEST_SKIP() << "needs two devices";
    constexpr std::size_t n = std::size_t{1} << 28;
    expect_success(cudaSetDevice(1), "choosing device 1");
    device_array<float> x(std::vector<float>(n, 1.0f)), y(n);
    auto ex = std::make_unique<cuda::executor>();
    auto carry = std::make_unique<cuda::scan_carry<float>>(*ex);
    expect_success(cudaSetDevice(0), "choosing device 0");
    for (int k = 0; k < 20; ++k) inclusive_scan(*ex, x.view(), y.span(), maximum{});
    ex->wait();
    EXPECT_EQ(cudaStreamQuery(nullptr), cudaSuccess);
    cuda::executor other;
    EXPECT_THROW(inclusive_scan(other, *carry, x.view(), y.span(), plus{}), error);
    expect_success(cudaSetDevice(1), "choosing device 1");
    EXPECT_EQ(cudaStreamQuery(nullptr), cudaSuccess) << "wait() returned before the work was done";
    expect_success(cudaSetDevice(0), "choosing device 0");
    carry.reset();
    ex.reset();
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    int current = -1;
    expect_success(cudaGetDevice(&current), "reading the current device");
    EXPECT_EQ(current, 0);
}

TEST(cuda_progress, on_the_one_multiprocessor_that_is_free) {
    if (under_compute_sanitizer()) GTEST_SKIP() << "compute-sanitizer runs one kernel after another";
    const repeated_problem given(5'000'011, 3);
    device_array<float> out(given.in.size());
    for (const choice& each : choices()) {
        SCOPED_TRACE(each.name);
        const test_stream stream;
        cuda::executor ex = each.executor(stream);
        inclusive_scan(ex, given.in.view(),
                       out.span());  // loads the kernels, which a busy device might delay
        ex.wait();
        out.poison();
        {
            const holder others(ex.multiprocessors() - 1);
            inclusive_scan(ex, given.in.view(), out.span());
            ex.wait();
            EXPECT_FALSE(others.gave_up()) << "the scan waited for multiprocessors that it does not have";
        }
        EXPECT_EQ(differences(out, given.expected), 0u);
    }
}

TEST(cuda_progress, after_a_time_without_any_multiprocessor) {
    const repeated_problem given(5'000'011, 4);
    device_array<float> out(given.in.size());
    for (const choice& each : choices()) {
        SCOPED_TRACE(each.name);
        const test_stream stream;
        cuda::executor ex = each.executor(stream);
        inclusive_scan(ex, given.in.view(), out.span());
        ex.wait();
        out.poison();
        {
            holder all(ex.multiprocessors());
            inclusive_scan(ex, given.in.view(), out.span());
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady) << "nothing was held";
            all.release();
            ex.wait();
        }
        EXPECT_EQ(differences(out, given.expected), 0u);
    }
}

// Multiprocessors come free one after the other while scans wait for them, on two streams.
TEST(cuda_progress, while_multiprocessors_come_and_go) {
    const repeated_problem given(5'000'011, 5);
    device_array<float> out(given.in.size()), beside_out(given.in.size());
    for (const choice& each : choices()) {
        SCOPED_TRACE(each.name);
        const test_stream stream, beside;
        cuda::executor ex = each.executor(stream), beside_ex = each.executor(beside);
        for (std::size_t k = 0; k < repetitions(20, 4); ++k) {
            std::vector<std::unique_ptr<holder>> holders;
            const int held = ex.multiprocessors();
            for (const int share : {held / 2, held / 4, held - held / 2 - held / 4})
                holders.push_back(std::make_unique<holder>(share));
            inclusive_scan(ex, given.in.view(), out.span());
            inclusive_scan(beside_ex, given.in.view(), beside_out.span());
            for (const auto& some : holders) {
                some->release();
                std::this_thread::sleep_for(std::chrono::microseconds(200));
            }
        }
        ex.wait();
        beside_ex.wait();
        EXPECT_EQ(differences(out, given.expected), 0u);
        EXPECT_EQ(differences(beside_out, given.expected), 0u);
    }
}

}  // namespace
}  // namespace upsweep::test
