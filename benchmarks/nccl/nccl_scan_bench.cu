// Inclusive sums over the GPUs of one machine, a rank each, beside a copy of the same bytes, the scan of each
// GPU's own elements alone, and the usual way: CUB's scan of each part, ncclAllGather of the totals, and a
// pass that adds what came. The bits of the usual way's floats differ from run to run. Sums by key, in runs
// of about 1000, beside a copy of the elements and the keys of the same size.
//
//     nccl_scan_bench [ROUNDS]
//
// Bytes: 2 n sizeof(T) a rank. In a round every contender runs once, or often enough to take a millisecond,
// and the slowest rank counts, by the events of its stream. Printed is the median over rounds, in
// microseconds a call, and beside it how many times as long as the copy that is.
#include <cuda_runtime.h>
#include <nccl.h>

#include <algorithm>
#include <barrier>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cub/device/device_scan.cuh>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "upsweep/cuda/scan.cuh"
#include "upsweep/cuda/segmented_scan.cuh"
#include "upsweep/nccl/scan.cuh"
#include "upsweep/nccl/segmented_scan.cuh"

namespace {

void require(cudaError_t status) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
    std::abort();
}
void require(ncclResult_t status) {
    if (status == ncclSuccess) return;
    std::fprintf(stderr, "%s\n", ncclGetErrorString(status));
    std::abort();
}

template <class T>
constexpr ncclDataType_t nccl_type = std::is_same_v<T, float>    ? ncclFloat32
                                     : std::is_same_v<T, double> ? ncclFloat64
                                                                 : ncclInt32;

template <class T>
__global__ void fill(T* x, std::uint64_t n) {
    for (std::uint64_t i = blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        x[i] = static_cast<T>(i * 2654435761u >> 7 & 1023) / T(8);
}
__global__ void fill_keys(std::int32_t* keys, std::uint64_t n, std::uint64_t first) {
    for (std::uint64_t i = blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        keys[i] = static_cast<std::int32_t>((first + i) / 1000);
}
template <class T>
__global__ void add_totals(T* y, std::uint64_t n, const T* totals, int before) {
    T sum{};
    for (int k = 0; k < before; ++k) sum += totals[k];
    for (std::uint64_t i = blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        y[i] += sum;
}

// What all ranks share.
struct meeting {
    int size;
    std::barrier<> gate;
    std::vector<double> seconds;

    explicit meeting(int ranks) : size(ranks), gate(ranks), seconds(std::size_t(ranks)) {}

    // The largest of all ranks' values, on every rank.
    double largest(int rank, double own) {
        seconds[std::size_t(rank)] = own;
        gate.arrive_and_wait();
        const double worst = *std::max_element(seconds.begin(), seconds.end());
        gate.arrive_and_wait();
        return worst;
    }
};

struct contender {
    std::string name;
    std::function<void()> run;
    std::vector<double> seconds{};
};

class rank_bench {
  public:
    rank_bench(meeting& all, int rank, ncclComm_t comm, cudaStream_t stream)
        : all_(all), rank_(rank), comm_(comm), stream_(stream), local_(stream), ranks_(comm, local_) {
        require(cudaEventCreate(&begin_));
        require(cudaEventCreate(&end_));
    }

    template <class T>
    void measure(const char* type, std::size_t n, int rounds) {
        using upsweep::cuda::device_span;
        T *x = nullptr, *y = nullptr, *totals = nullptr;
        require(cudaMalloc(&x, n * sizeof(T)));
        require(cudaMalloc(&y, n * sizeof(T)));
        require(cudaMalloc(&totals, std::size_t(all_.size) * sizeof(T)));
        fill<<<1024, 256, 0, stream_>>>(x, n);
        const device_span<const T> in(x, n);
        const device_span<T> out(y, n);
        const std::vector<std::uint64_t> counts(std::size_t(all_.size), n);
        const upsweep::nccl::distribution elements{counts};
        std::size_t scratch_bytes = 0;
        void* scratch = nullptr;
        require(cub::DeviceScan::InclusiveSum(nullptr, scratch_bytes, x, y, n, stream_));
        require(cudaMalloc(&scratch, scratch_bytes));
        const auto others = [&] {
            require(ncclAllGather(y + n - 1, totals, 1, nccl_type<T>, comm_, stream_));
            if (rank_ != 0) add_totals<<<132 * 16, 256, 0, stream_>>>(y, n, totals, rank_);
        };
        std::vector<contender> contenders;
        contenders.push_back(
            {"copy",
             [&] { require(cudaMemcpyAsync(y, x, n * sizeof(T), cudaMemcpyDeviceToDevice, stream_)); }});
        contenders.push_back({"each GPU alone", [&] { upsweep::inclusive_scan(local_, in, out); }});
        contenders.push_back(
            {"upsweep",
             [&] { upsweep::inclusive_scan(ranks_, in, out, upsweep::plus{}, {.elements = &elements}); }});
        contenders.push_back(
            {"upsweep, counts asked for", [&] { upsweep::inclusive_scan(ranks_, in, out); }});
        contenders.push_back(
            {"usual way, CUB", [&] {
                 require(cub::DeviceScan::InclusiveSum(scratch, scratch_bytes, x, y, n, stream_));
                 others();
             }});
        contenders.push_back({"usual way, Upsweep's scan", [&] {
                                  upsweep::inclusive_scan(local_, in, out);
                                  others();
                              }});
        compare(type, n, rounds, contenders);
        for (void* const memory :
             {static_cast<void*>(x), static_cast<void*>(y), static_cast<void*>(totals), scratch})
            require(cudaFree(memory));
    }

    void measure_by_key(std::size_t n, int rounds) {
        using upsweep::cuda::device_span;
        float* x = nullptr;  // keys behind them
        float* y = nullptr;
        require(cudaMalloc(&x, 2 * n * sizeof(float)));
        require(cudaMalloc(&y, 2 * n * sizeof(float)));
        auto* const keys = reinterpret_cast<std::int32_t*>(x + n);
        fill<<<1024, 256, 0, stream_>>>(x, n);
        fill_keys<<<1024, 256, 0, stream_>>>(keys, n, std::uint64_t(rank_) * n);
        const device_span<const float> in(x, n);
        const device_span<const std::int32_t> by(keys, n);
        const device_span<float> out(y, n);
        const std::vector<std::uint64_t> counts(std::size_t(all_.size), n);
        const upsweep::nccl::distribution elements{counts};
        std::vector<contender> contenders;
        contenders.push_back(
            {"copy", [&] {
                 require(cudaMemcpyAsync(y, x, 2 * n * sizeof(float), cudaMemcpyDeviceToDevice, stream_));
             }});
        contenders.push_back(
            {"each GPU alone", [&] { upsweep::inclusive_scan_by_key(local_, by, in, out); }});
        contenders.push_back({"upsweep", [&] {
                                  upsweep::inclusive_scan_by_key(ranks_, by, in, out, upsweep::plus{},
                                                                 {.elements = &elements});
                              }});
        compare("by key", n, rounds, contenders);
        require(cudaFree(x));
        require(cudaFree(y));
    }

  private:
    // The first one is what the others are compared with.
    void compare(const char* type, std::size_t n, int rounds, std::vector<contender>& contenders) {
        for (int round = -1; round < rounds; ++round) {
            for (contender& one : contenders) {
                const double once = time(one.run, 1);
                const int repetitions = int(std::clamp(1e-3 / once, 1.0, 200.0));
                const double taken = time(one.run, repetitions);
                if (round >= 0) one.seconds.push_back(taken);
            }
        }
        const auto median = [](std::vector<double> values) {
            std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(values.size() / 2),
                             values.end());
            return values[values.size() / 2];
        };
        if (rank_ == 0) {
            for (const contender& one : contenders)
                std::printf("%-8s %10zu  %-28s %10.1f us %7.2f\n", type, n, one.name.c_str(),
                            1e6 * median(one.seconds), median(one.seconds) / median(contenders[0].seconds));
            std::fflush(stdout);
        }
    }
    double time(const std::function<void()>& run, int repetitions) {
        require(cudaStreamSynchronize(stream_));
        all_.gate.arrive_and_wait();
        require(cudaEventRecord(begin_, stream_));
        for (int i = 0; i < repetitions; ++i) run();
        require(cudaEventRecord(end_, stream_));
        require(cudaEventSynchronize(end_));
        float milliseconds = 0;
        require(cudaEventElapsedTime(&milliseconds, begin_, end_));
        return all_.largest(rank_, 1e-3 * milliseconds / repetitions);
    }

    meeting& all_;
    int rank_;
    ncclComm_t comm_;
    cudaStream_t stream_;
    upsweep::cuda::executor local_;
    upsweep::nccl::executor ranks_;
    cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 11;
    int devices = 0;
    require(cudaGetDeviceCount(&devices));
    cudaDeviceProp properties{};
    require(cudaGetDeviceProperties(&properties, 0));
    int version = 0;
    require(ncclGetVersion(&version));
    std::printf("%d x %s, NCCL %d; medians of %d rounds\n", devices, properties.name, version, rounds);

    std::vector<ncclComm_t> comms(static_cast<std::size_t>(devices));
    require(ncclCommInitAll(comms.data(), devices, nullptr));
    meeting all(devices);
    std::vector<std::thread> ranks;
    for (int rank = 0; rank < devices; ++rank) {
        ranks.emplace_back([&, rank] {
            require(cudaSetDevice(rank));
            cudaStream_t stream = nullptr;
            require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
            rank_bench bench(all, rank, comms[std::size_t(rank)], stream);
            for (const int bits : {12, 16, 20, 24, 28}) {
                bench.measure<float>("float", std::size_t{1} << bits, rounds);
                bench.measure<std::int32_t>("int32", std::size_t{1} << bits, rounds);
            }
            bench.measure<double>("double", std::size_t{1} << 27, rounds);
            for (const int bits : {12, 20, 24, 28}) bench.measure_by_key(std::size_t{1} << bits, rounds);
        });
    }
    for (std::thread& rank : ranks) rank.join();
    for (ncclComm_t comm : comms) require(ncclCommDestroy(comm));
}
