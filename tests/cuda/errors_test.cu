// Misuse and failures of the device are upsweep::error, which names the argument or CUDA's own error; later
// calls work where CUDA allows it.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cuda/device_array.cuh"
#include "cuda/staging.hpp"
#include "support/bits.hpp"
#include "support/build.hpp"
#include "upsweep/cuda/scan.cuh"
#include "upsweep/error.hpp"

namespace upsweep::test {
namespace {

// `call` must throw, with a message that contains every one of `words`.
void expect_error(errc code, const std::vector<std::string>& words, const std::function<void()>& call) {
    try {
        call();
        ADD_FAILURE() << "no error; expected one about " << words.front();
    } catch (const error& e) {
        const std::string message = e.what();
        EXPECT_EQ(e.code(), code) << message;
        EXPECT_EQ(message.find('\n'), std::string::npos) << "more than one line";
        for (const std::string& word : words) EXPECT_NE(message.find(word), std::string::npos) << message;
    }
}

class cuda_errors : public ::testing::Test {
  protected:
    // A scan that must work after whatever happened.
    void TearDown() override {
        const device_array<std::int32_t> ones(std::vector<std::int32_t>(100000, 1));
        device_array<std::int32_t> sums(ones.size());
        inclusive_scan(ex, ones.view(), sums.span());
        const std::vector<std::int32_t> got = sums.read();
        for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], static_cast<std::int32_t>(i + 1));
    }

    cuda::executor ex;
    device_array<float> x{std::vector<float>(1000, 1.0f)};
    device_array<float> y{std::vector<float>(1000, 7.0f)};

    void expect_untouched() const { EXPECT_EQ(y.read(), std::vector<float>(1000, 7.0f)); }
};

TEST_F(cuda_errors, sizes_differ) {
    expect_error(errc::invalid_argument, {"out:", "1000", "999"},
                 [&] { inclusive_scan(ex, x.view(), y.span().subspan(0, 999)); });
    expect_error(errc::invalid_argument, {"out:", "999", "1000"},
                 [&] { exclusive_scan(ex, x.view().subspan(1, 999), y.span()); });
    expect_untouched();
}

TEST_F(cuda_errors, overlap) {
    const cuda::device_span<float> all = y.span();
    for (const std::size_t shift : {1u, 4u, 499u}) {
        expect_error(errc::invalid_argument, {"out:", "overlaps in"},
                     [&] { inclusive_scan(ex, all.subspan(0, 500), all.subspan(shift, 500)); });
        expect_error(errc::invalid_argument, {"out:", "overlaps in"},
                     [&] { inclusive_scan(ex, all.subspan(shift, 500), all.subspan(0, 500)); });
    }
    // The same beginning, but elements of different size.
    const cuda::device_span<std::int8_t> bytes(reinterpret_cast<std::int8_t*>(y.data()), 500);
    expect_error(errc::invalid_argument, {"out:", "overlaps in"},
                 [&] { inclusive_scan<float>(ex, all.subspan(0, 500), bytes); });
    expect_untouched();
    inclusive_scan(ex, all.subspan(0, 500), all.subspan(500, 500));  // neighbours
}

TEST_F(cuda_errors, overlaps_of_what_the_options_name) {
    device_array<float> totals(std::vector<float>{7, 7});
    const auto refuse = [&](const char* name, const char* other, const cuda::scan_options<float>& options) {
        expect_error(errc::invalid_argument, {name, other},
                     [&] { inclusive_scan(ex, x.view(), y.span(), plus{}, options); });
    };
    refuse("options.total:", "overlaps options.device_initial",
           {.device_initial = totals.data(), .total = totals.data()});
    refuse("options.total:", "overlaps in", {.total = x.data() + 999});
    refuse("out:", "overlaps options.total", {.total = y.data() + 3});
    refuse("out:", "overlaps options.device_initial", {.device_initial = y.data() + 999});
    const auto* in_out = reinterpret_cast<const std::uint64_t*>(y.data() + 2);
    refuse("out:", "overlaps options.length", {.length = in_out});
    const auto* in_total = reinterpret_cast<const std::uint64_t*>(totals.data());
    refuse("options.total:", "overlaps options.length", {.total = totals.data() + 1, .length = in_total});
    expect_untouched();
    EXPECT_EQ(totals.read(), (std::vector<float>{7, 7}));
    // Neighbours.
    inclusive_scan(ex, x.view(), y.span(), plus{},
                   {.device_initial = totals.data(), .total = totals.data() + 1});
}

TEST_F(cuda_errors, memory_of_the_host) {
    std::vector<float> pageable(1000, 1.0f);
    float* const host = pageable.data();
    const cuda::device_span<float> wrong(host, 1000);
    expect_error(errc::invalid_argument, {"in:", "device memory", "host"},
                 [&] { inclusive_scan(ex, wrong, y.span()); });
    expect_error(errc::invalid_argument, {"out:", "device memory", "host"},
                 [&] { inclusive_scan(ex, x.view(), wrong); });
    expect_error(errc::invalid_argument, {"options.total:", "host"},
                 [&] { inclusive_scan(ex, x.view(), y.span(), plus{}, {.total = host}); });
    expect_error(errc::invalid_argument, {"options.device_initial:", "host"},
                 [&] { inclusive_scan(ex, x.view(), y.span(), plus{}, {.device_initial = host}); });
    const auto* length = reinterpret_cast<const std::uint64_t*>(host);
    expect_error(errc::invalid_argument, {"options.length:", "host"},
                 [&] { inclusive_scan(ex, x.view(), y.span(), plus{}, {.length = length}); });
    expect_untouched();
}
// Of arrays and numbers it may be (pinned_test.cu), but not of what blocks wait for.
TEST_F(cuda_errors, workspace_in_the_hosts_memory) {
    std::byte* pinned = nullptr;
    expect_success(cudaMallocHost(&pinned, 1000), "allocating pinned memory");
    const cuda::device_span<std::byte> scratch(pinned, 1000);
    expect_error(errc::invalid_argument, {"workspace:", "device memory", "host"},
                 [&] { cuda::executor refused(nullptr, scratch); });
    expect_success(cudaFreeHost(pinned), "freeing pinned memory");
    expect_untouched();
}

TEST_F(cuda_errors, null_pointers) {
    const cuda::device_span<float> nowhere(nullptr, 1000);
    expect_error(errc::invalid_argument, {"in:"}, [&] { inclusive_scan(ex, nowhere, y.span()); });
    expect_error(errc::invalid_argument, {"out:"}, [&] { inclusive_scan(ex, x.view(), nowhere); });
    inclusive_scan(ex, nowhere.subspan(0, 0), nowhere.subspan(0, 0));
    expect_untouched();
}

TEST_F(cuda_errors, pointers_that_are_not_aligned_for_their_elements) {
    const cuda::device_span<float> wrong(reinterpret_cast<float*>(reinterpret_cast<char*>(y.data()) + 1),
                                         100);
    expect_error(errc::invalid_argument, {"in:", "aligned"},
                 [&] { inclusive_scan(ex, wrong, x.span().subspan(0, 100)); });
    expect_error(errc::invalid_argument, {"out:", "aligned"},
                 [&] { inclusive_scan(ex, x.view().subspan(0, 100), wrong); });
    expect_untouched();
}

TEST_F(cuda_errors, managed_memory_is_device_memory) {
    float* managed = nullptr;
    expect_success(cudaMallocManaged(&managed, 1000 * sizeof(float)), "allocating managed memory");
    inclusive_scan(ex, x.view(), cuda::device_span<float>(managed, 1000));
    ex.wait();
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(managed[i], static_cast<float>(i + 1));
    expect_success(cudaFree(managed), "freeing managed memory");
}

struct first_of_two {
    UPSWEEP_HOST_DEVICE float operator()(float a, float) const { return a; }
};
TEST_F(cuda_errors, an_operator_without_identity) {
    device_array<std::uint64_t> length(std::vector<std::uint64_t>{0});
    expect_error(errc::invalid_argument, {"options.initial:", "identity"},
                 [&] { exclusive_scan(ex, x.view(), y.span(), first_of_two{}); });
    expect_error(errc::invalid_argument, {"options.total:", "identity"}, [&] {
        inclusive_scan(ex, x.view().subspan(0, 0), y.span().subspan(0, 0), first_of_two{},
                       {.total = x.data()});
    });
    expect_error(errc::invalid_argument, {"options.total:", "identity"}, [&] {
        inclusive_scan(ex, x.view(), y.span(), first_of_two{}, {.total = x.data(), .length = length.data()});
    });
    expect_error(errc::invalid_argument, {"options.initial:", "options.device_initial"}, [&] {
        inclusive_scan(ex, x.view(), y.span(), first_of_two{}, {.initial = 1.0f, .device_initial = x.data()});
    });
    expect_untouched();
}

TEST_F(cuda_errors, the_callers_scratch_is_too_small_or_not_aligned) {
    const std::size_t needed = cuda::scan_workspace_bytes<float>(100000);
    device_array<std::byte> scratch(needed);
    device_array<float> in(100000), out(100000);
    for (const cuda::algorithm choice : {cuda::algorithm::look_back, cuda::algorithm::reduce_then_scan}) {
        cuda::executor small(nullptr, scratch.span().subspan(0, 256), choice);
        expect_error(errc::out_of_memory, {"workspace:", "256"},
                     [&] { inclusive_scan(small, in.view(), out.span()); });
    }
    expect_error(errc::invalid_argument, {"workspace:", "256"},
                 [&] { cuda::executor refused(nullptr, scratch.span().subspan(8, needed - 8)); });
}

// 2^47 elements need more scratch than any device has. Nothing is launched, so that the arrays need not be
// there.
TEST_F(cuda_errors, scratch_that_cannot_be_allocated) {
    const std::size_t n = std::size_t{1} << 47;
    for (int k = 0; k < 3; ++k) {
        expect_error(errc::out_of_memory, {"allocating", "scratch", "cudaErrorMemoryAllocation"}, [&] {
            inclusive_scan(ex, cuda::device_span<const float>(x.data(), n),
                           cuda::device_span<float>(x.data(), n));
        });
        EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess) << "an error was left behind";
    }
    // A smaller call between them works.
    inclusive_scan(ex, x.view(), y.span());
    EXPECT_EQ(y.read()[999], 1000.0f);
}

__global__ void nothing() {}

// A launch that failed without harm is reported by the next scan, once.
TEST_F(cuda_errors, a_launch_that_failed_before) {
    nothing<<<1, 4096>>>();
    const char* const failed = cudaGetErrorName(cudaPeekAtLastError());  // differs between drivers
    ASSERT_STRNE(failed, "cudaSuccess");
    expect_error(errc::device, {"earlier", failed}, [&] { inclusive_scan(ex, x.view(), y.span()); });
    expect_untouched();
    inclusive_scan(ex, x.view(), y.span());
    EXPECT_EQ(y.read()[999], 1000.0f);
}

TEST_F(cuda_errors, look_ahead_where_the_device_lacks_it) {
    if (ex.compute_capability() >= 90) GTEST_SKIP() << "this device has look-ahead";
    expect_error(errc::unsupported, {"algorithm:", "look-ahead", "9.0"},
                 [&] { cuda::executor refused(nullptr, cuda::algorithm::look_ahead); });
}

// ---- errors that end a context, each in a process of its own ----

__global__ void write_to(int* p) { *p = 1; }

// 0 if a scan after an illegal access reports it by name and wait() does as well.
int scan_after_an_illegal_access(bool waits_first) {
    cuda::executor ex;
    const device_array<float> in(std::vector<float>(1000, 1.0f));
    device_array<float> out(1000);
    write_to<<<1, 1>>>(reinterpret_cast<int*>(std::uintptr_t{1} << 50));
    if (waits_first) cudaDeviceSynchronize();
    int reported = 0;
    for (int k = 0; k < 2; ++k) {
        try {
            inclusive_scan(ex, in.view(), out.span());
            ex.wait();
        } catch (const error& e) {
            const std::string message = e.what();
            if (e.code() == errc::device && message.find("cudaErrorIllegalAddress") != std::string::npos)
                ++reported;
        }
    }
    return reported == 2 ? 0 : 1;
}
TEST(cuda_errors_of_earlier_kernels, are_reported_by_name) {
    if (under_compute_sanitizer())
        GTEST_SKIP() << "compute-sanitizer ends at an illegal access, made on purpose here";
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // the child is a fresh process
    EXPECT_EXIT(std::_Exit(scan_after_an_illegal_access(true)), ::testing::ExitedWithCode(0), "");
    EXPECT_EXIT(std::_Exit(scan_after_an_illegal_access(false)), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace upsweep::test
