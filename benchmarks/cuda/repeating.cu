// Repeated elements beside scans of CUB around a scatter: of the counts, and of the numbers of elements where
// their results begin, which the second one's results are taken by. Counts are random, of so many on average.
// A copy moves as many bytes as counts, elements and results have.
#include <thrust/iterator/transform_output_iterator.h>

#include <cuda/functional>

#include <algorithm>

#include "bench.cuh"
#include "upsweep/cuda/repeat.cuh"

namespace bench {
namespace {

namespace uc = upsweep::cuda;

enum class spread { equal, random, one_large };

// Counts of n elements with `mean` results on average; of one_large all are 1 but the one in the middle,
// which has as many as all others together.
__global__ void make_counts(std::int32_t* counts, std::size_t n, std::uint32_t mean, spread how) {
    for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < n;
         i += std::size_t(gridDim.x) * blockDim.x) {
        std::uint64_t x = i * 0x9e3779b97f4a7c15u;
        x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
        const auto drawn = std::uint32_t(x >> 32) % (2 * mean + 1);
        counts[i] = how == spread::equal    ? std::int32_t(mean)
                    : how == spread::random ? std::int32_t(drawn)
                    : i == n / 2            ? std::int32_t(n)
                                            : 1;
    }
}

struct mark_owner {
    const std::int32_t* counts;
    const std::uint32_t* offsets;
    std::uint32_t* owners;
    __device__ void operator()(std::uint32_t i) const {
        if (counts[i] > 0) owners[offsets[i]] = i;
    }
};
struct element_at {
    const float* in;
    __device__ float operator()(std::uint32_t i) const { return in[i]; }
};

// The arena's first buffer: elements, then counts and offsets; behind results in the third one: owners, for
// CUB.
struct arrays {
    std::size_t n, m = 0;
    float* in = reinterpret_cast<float*>(memory().in);
    std::int32_t* counts;
    std::uint32_t* offsets;  // one more than elements
    std::uint64_t* count = nullptr;
    char* scratch = nullptr;
    std::size_t scratch_bytes = 0;

    arrays(std::size_t elements, std::uint32_t mean, spread how)
        : n(elements),
          counts(reinterpret_cast<std::int32_t*>(memory().in + aligned(n * sizeof(float)))),
          offsets(reinterpret_cast<std::uint32_t*>(memory().in + 2 * aligned(n * sizeof(float)))) {
        make_counts<<<2048, 256>>>(counts, n, mean, how);
        uc::check(cudaMalloc(&count, sizeof *count), "a count");
        uc::check(sum(nullptr, scratch_bytes), "CUB");
        std::size_t bytes = 0;
        uc::check(spread_owners(nullptr, bytes, nullptr, nullptr, limit()), "CUB");
        scratch_bytes = std::max(scratch_bytes, bytes);
        uc::check(cudaMalloc(&scratch, scratch_bytes), "scratch for CUB");
        uc::check(sum(scratch, scratch_bytes), "CUB");
        std::uint32_t before = 0;
        std::int32_t last = 0;
        uc::check(cudaMemcpy(&before, offsets + n - 1, sizeof before, cudaMemcpyDeviceToHost), "sums");
        uc::check(cudaMemcpy(&last, counts + n - 1, sizeof last, cudaMemcpyDeviceToHost), "counts");
        const auto all = before + static_cast<std::uint32_t>(last);
        uc::check(cudaMemcpy(offsets + n, &all, sizeof all, cudaMemcpyHostToDevice), "the last offset");
        m = all;
    }
    ~arrays() {
        cudaFree(count);
        cudaFree(scratch);
    }
    arrays(const arrays&) = delete;
    arrays& operator=(const arrays&) = delete;

    static std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }
    static constexpr std::size_t limit() { return std::size_t(1) << 30; }  // results

    [[nodiscard]] uc::device_span<const float> from() const { return {in, n}; }
    [[nodiscard]] uc::device_span<const std::int32_t> given() const { return {counts, n}; }
    [[nodiscard]] uc::by_offsets<std::uint32_t> ends() const {
        return uc::by_offsets(uc::device_span<const std::uint32_t>(offsets, n + 1));
    }
    template <class T>
    [[nodiscard]] uc::device_span<T> to(char* buffer) const {
        return {reinterpret_cast<T*>(buffer), m};
    }

    cudaError_t sum(void* memory, std::size_t& bytes) const {
        return cub::DeviceScan::ExclusiveSum(memory, bytes, counts, offsets, n);
    }
    cudaError_t spread_owners(void* memory, std::size_t& bytes, std::uint32_t* owners, float* out,
                              std::size_t results) const {
        return cub::DeviceScan::InclusiveScan(memory, bytes, owners,
                                              thrust::make_transform_output_iterator(out, element_at{in}),
                                              ::cuda::maximum<>{}, results);
    }
    // The host knows how many results there are.
    void repeat_by_cub(float* out) {
        auto* const owners = reinterpret_cast<std::uint32_t*>(out) + aligned(m);
        std::size_t bytes = scratch_bytes;
        sum(scratch, bytes);
        cudaMemsetAsync(owners, 0, m * sizeof *owners, nullptr);
        cub::DeviceFor::Bulk(std::uint32_t(n), mark_owner{counts, offsets, owners});
        bytes = scratch_bytes;
        spread_owners(scratch, bytes, owners, out, m);
    }
};

void repeat_cells(const char* counted, std::size_t n, std::uint32_t mean, spread how) {
    const std::string work = std::string("repeat, ") + counted;
    if (!wanted(work + "/float") && !wanted(work + "/indices") && !wanted(work + "/by offsets")) return;
    arrays a(n, mean, how);
    auto* const expected = reinterpret_cast<float*>(memory().expected);
    a.repeat_by_cub(expected);
    uc::executor ex;
    const auto copied = [](std::size_t bytes) {
        return median_seconds([=] {
            cudaMemcpyAsync(memory().out, memory().in, bytes / 2, cudaMemcpyDeviceToDevice, nullptr);
        });
    };
    const auto floats = [&](const char* type, const auto& given) {
        if (!wanted(work + "/" + type)) return;
        const auto call = [&] { upsweep::repeat(ex, a.from(), given, a.to<float>(memory().out), a.count); };
        call();
        ex.wait();
        if (!equal_bytes(memory().out, expected, a.m * sizeof(float))) fail(work + "/" + type);
        const double seconds = median_seconds(call);
        const double by_cub = median_seconds([&] { a.repeat_by_cub(expected); });
        const std::size_t bytes = a.n * 8 + a.m * 4;
        report(work, type, "automatic", a.m, bytes, seconds, copied(bytes), by_cub);
    };
    floats("float", a.given());
    floats("by offsets", a.ends());
    if (!wanted(work + "/indices")) return;
    const double seconds = median_seconds(
        [&] { upsweep::repeat_indices(ex, a.given(), a.to<std::int32_t>(memory().out), a.count); });
    const std::size_t bytes = a.n * 4 + a.m * 4;
    report(work, "indices", "automatic", a.m, bytes, seconds, copied(bytes), 0);
}
// One count for all.
void repeat_equally(std::size_t n, std::uint32_t each) {
    const std::string work = "repeat, each " + std::to_string(each);
    if (!wanted(work + "/float")) return;
    const arrays a(n, each, spread::equal);
    uc::executor ex;
    const double seconds =
        median_seconds([&] { upsweep::repeat(ex, a.from(), each, a.to<float>(memory().out), a.count); });
    const std::size_t bytes = a.n * 4 + a.m * 4;
    const double copy = median_seconds(
        [&] { cudaMemcpyAsync(memory().out, memory().in, bytes / 2, cudaMemcpyDeviceToDevice, nullptr); });
    report(work, "float", "automatic", a.m, bytes, seconds, copy, 0);
}

}  // namespace

void bench_repeating() {
    for (const int power : {12, 20, 27}) {
        const std::size_t results = std::size_t(1) << power;
        repeat_cells("all 1", results, 1, spread::equal);
        for (const std::uint32_t mean : {2u, 10u, 1000u})
            repeat_cells(std::to_string(mean).c_str(), results / mean, mean, spread::random);
        repeat_cells("one large", results / 2, 1, spread::one_large);
        for (const std::uint32_t each : {1u, 10u, 1000u}) repeat_equally(results / each, each);
    }
}

}  // namespace bench
