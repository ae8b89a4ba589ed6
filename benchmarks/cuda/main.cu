// cuda_scan_bench [FILTER]: the cells whose WORK/OPERATOR/TYPE contains FILTER.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench.cuh"

namespace bench {
namespace {

arena shared_arena;
std::string filter;
bool failed = false;

__global__ void fill(unsigned* words, std::size_t count) {
    for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
         i += std::size_t(gridDim.x) * blockDim.x) {
        unsigned x = static_cast<unsigned>(i) * 2654435761u;
        x = (x ^ x >> 15) * 0x2c1b3c6du;
        words[i] = ((x ^ x >> 12) & 0x007fffffu) | 0x3f000000u;
    }
}
__global__ void compare(const unsigned char* a, const unsigned char* b, std::size_t count,
                        unsigned long long* different) {
    for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
         i += std::size_t(gridDim.x) * blockDim.x)
        if (a[i] != b[i]) atomicAdd(different, 1ull);
}
__global__ void nothing() {}

}  // namespace

const arena& memory() { return shared_arena; }

double median_seconds(const std::function<void()>& work) {
    cudaEvent_t start, stop;
    upsweep::cuda::check(cudaEventCreate(&start), "making an event");
    upsweep::cuda::check(cudaEventCreate(&stop), "making an event");
    work();
    work();
    cudaDeviceSynchronize();
    std::vector<float> times;
    const auto wanted_times = [&] { return times.empty() || times[0] > 0.1f ? 15u : 101u; };
    while (times.size() < wanted_times()) {
        cudaEventRecord(start);
        work();
        cudaEventRecord(stop);
        cudaEventSynchronize(stop);
        float milliseconds = 0;
        cudaEventElapsedTime(&milliseconds, start, stop);
        times.push_back(milliseconds);
    }
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    upsweep::cuda::check(cudaGetLastError(), "measuring");
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle * 1e-3;
}

bool equal_bytes(const void* a, const void* b, std::size_t bytes) {
    unsigned long long* different = nullptr;
    upsweep::cuda::check(cudaMallocManaged(&different, sizeof(*different)), "counting differences");
    *different = 0;
    compare<<<2048, 256>>>(static_cast<const unsigned char*>(a), static_cast<const unsigned char*>(b), bytes,
                           different);
    upsweep::cuda::check(cudaDeviceSynchronize(), "comparing results");
    const bool equal = *different == 0;
    cudaFree(different);
    return equal;
}

bool wanted(const std::string& name) { return name.find(filter) != std::string::npos; }

void report(const std::string& work, const char* type, const char* algorithm, std::size_t n,
            std::size_t bytes, double seconds, double copy_seconds, double cub_seconds) {
    std::printf(
        "{\"work\": \"%s\", \"type\": \"%s\", \"algorithm\": \"%s\", \"n\": %zu, \"bytes\": %zu, "
        "\"seconds\": %.3e, "
        "\"copy_seconds\": %.3e, \"cub_seconds\": %.3e, \"percent_of_copy\": %.1f, \"cub_percent_of_copy\": "
        "%.1f}\n",
        work.c_str(), type, algorithm, n, bytes, seconds, copy_seconds, cub_seconds,
        100 * copy_seconds / seconds, cub_seconds > 0 ? 100 * copy_seconds / cub_seconds : 0.0);
    std::fflush(stdout);
}

void fail(const std::string& what) {
    std::fprintf(stderr, "%s: the results of two algorithms differ\n", what.c_str());
    failed = true;
}

}  // namespace bench

int main(int count, char** words) {
    using namespace bench;
    if (count > 1) filter = words[1];
    try {
        upsweep::cuda::executor device;  // throws where there is none
        shared_arena.bytes = (std::size_t(1) << 32) + 4096;
        for (char** buffer : {&shared_arena.in, &shared_arena.out, &shared_arena.expected})
            upsweep::cuda::check(cudaMalloc(buffer, shared_arena.bytes), "buffers of 4 GiB");
        fill<<<2048, 256>>>(reinterpret_cast<unsigned*>(shared_arena.in), shared_arena.bytes / 4);
        fill<<<2048, 256>>>(reinterpret_cast<unsigned*>(shared_arena.out), shared_arena.bytes / 4);
        report("empty kernel", "", "", 0, 0, median_seconds([] { nothing<<<1, 32>>>(); }), 0, 0);
        bench_sizes();
        bench_words();
        bench_ways_of_words();
        bench_ways_of_doubles();
        bench_narrow();
        bench_mixed();
        bench_structs();
        bench_choosing();
        bench_axes();
        bench_binning();
        bench_bin_totals();
        bench_segments();
        bench_runs();
        bench_totals();
        bench_repeating();
        bench_blocks();
        bench_sorting();
        bench_top_k();
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "cuda_scan_bench: %s\n", problem.what());
        return 1;
    }
    return failed ? 1 : 0;
}
