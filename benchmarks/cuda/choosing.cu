// Compaction and partition beside CUB's DeviceSelect and DevicePartition. A copy moves as many bytes as are
// read and written; CUB's partition reverses the elements that are not chosen.
#include <thrust/iterator/counting_iterator.h>

#include <cstring>

#include "bench.cuh"
#include "upsweep/cuda/compact.cuh"
#include "upsweep/cuda/partition.cuh"

namespace bench {
namespace {

// About `limit` of 256 elements, whatever their type.
template <class T>
struct some {
    unsigned limit;
    __host__ __device__ bool operator()(const T& x) const {
        unsigned char byte = 0;
        memcpy(&byte, &x, 1);
        return ((byte * 167u + 13u) & 255u) < limit;
    }
};
template <class T>
__global__ void set_flags(const T* in, std::uint8_t* flags, std::size_t n, some<T> keep) {
    for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < n;
         i += std::size_t(gridDim.x) * blockDim.x)
        flags[i] = keep(in[i]);
}

template <int Bytes>
struct record {
    std::uint32_t word[Bytes / 4];
};

struct counts {
    counts() { upsweep::cuda::check(cudaMalloc(&ours, 2 * sizeof *ours), "counts"); }
    ~counts() { cudaFree(ours); }
    [[nodiscard]] std::uint64_t read(int which) const {
        std::uint64_t count = 0;
        upsweep::cuda::check(cudaMemcpy(&count, ours + which, sizeof count, cudaMemcpyDeviceToHost),
                             "counts");
        return count;
    }
    std::uint64_t* ours = nullptr;
    [[nodiscard]] std::uint64_t* cubs() const { return ours + 1; }
};

// One cell. `ours(ex, count)` and `cub(scratch, scratch_bytes, count)` put elements of `element` bytes into
// the arena's out and expected; `read` bytes are read for an element.
template <class Ours, class Cub>
void measure(const std::string& work, const char* type, std::size_t n, std::size_t read, std::size_t element,
             bool partitions, std::size_t offset, const Ours& ours, const Cub& cub) {
    if (!wanted(work + "/" + type)) return;
    namespace uc = upsweep::cuda;
    const counts number;
    uc::executor ex;
    ours(ex, number.ours);
    ex.wait();
    std::size_t scratch_bytes = 0;
    void* scratch = nullptr;
    cub(nullptr, scratch_bytes, number.cubs());
    uc::check(cudaMalloc(&scratch, scratch_bytes), "scratch for CUB");
    cub(scratch, scratch_bytes, number.cubs());
    uc::check(cudaDeviceSynchronize(), "CUB");
    const std::uint64_t kept = number.read(0);
    if (kept != number.read(1) ||
        !equal_bytes(memory().out + offset, memory().expected + offset, kept * element))
        fail(work + "/" + type);
    const std::size_t bytes = n * read + (partitions ? n : kept) * element;
    const double copy = median_seconds([&] {
        cudaMemcpyAsync(memory().expected, memory().in, bytes / 2, cudaMemcpyDeviceToDevice, nullptr);
    });
    const double cub_seconds = median_seconds([&] { cub(scratch, scratch_bytes, number.cubs()); });
    cudaFree(scratch);
    const double seconds = median_seconds([&] { ours(ex, number.ours); });
    report(work, type, uc::name(uc::algorithm::automatic), n, bytes, seconds, copy, cub_seconds);
}

template <class T>
struct arrays {
    upsweep::cuda::device_span<const T> in;
    upsweep::cuda::device_span<T> out;
    T* expected;
};
template <class T>
arrays<T> arrays_of(std::size_t n, std::size_t offset = 0) {
    return {{reinterpret_cast<const T*>(memory().in) + offset, n},
            {reinterpret_cast<T*>(memory().out) + offset, n},
            reinterpret_cast<T*>(memory().expected) + offset};
}

template <class T>
void by_predicate(const char* type, std::size_t n, unsigned percent, std::size_t offset = 0) {
    const arrays<T> a = arrays_of<T>(n, offset);
    const some<T> keep{(percent * 256 + 50) / 100};
    const std::string work =
        "compact_if/" + std::to_string(percent) + " %" + (offset != 0 ? ", misaligned" : "");
    measure(
        work, type, n, sizeof(T), sizeof(T), false, offset * sizeof(T),
        [&](upsweep::cuda::executor& ex, std::uint64_t* count) {
            upsweep::compact_if(ex, a.in, a.out, keep, count);
        },
        [&](void* scratch, std::size_t& bytes, std::uint64_t* count) {
            cub::DeviceSelect::If(scratch, bytes, a.in.data(), a.expected, count, n, keep);
        });
}
template <class T>
void by_flags(const char* type, std::size_t n, unsigned percent) {
    const arrays<T> a = arrays_of<T>(n);
    std::uint8_t* flags = nullptr;
    upsweep::cuda::check(cudaMalloc(&flags, n), "flags");
    set_flags<<<2048, 256>>>(a.in.data(), flags, n, some<T>{(percent * 256 + 50) / 100});
    const upsweep::cuda::device_span<const std::uint8_t> chosen(flags, n);
    const std::string share = "/" + std::to_string(percent) + " %";
    measure(
        "compact" + share, type, n, sizeof(T) + 1, sizeof(T), false, 0,
        [&](upsweep::cuda::executor& ex, std::uint64_t* count) {
            upsweep::compact(ex, chosen, a.in, a.out, count);
        },
        [&](void* scratch, std::size_t& bytes, std::uint64_t* count) {
            cub::DeviceSelect::Flagged(scratch, bytes, a.in.data(), flags, a.expected, count, n);
        });
    if constexpr (std::is_same_v<T, float>) {
        const arrays<std::uint32_t> indices = arrays_of<std::uint32_t>(n);
        measure(
            "compact_indices" + share, "uint8>uint32", n, 1, sizeof(std::uint32_t), false, 0,
            [&](upsweep::cuda::executor& ex, std::uint64_t* count) {
                upsweep::compact_indices(ex, chosen, indices.out, count);
            },
            [&](void* scratch, std::size_t& bytes, std::uint64_t* count) {
                cub::DeviceSelect::Flagged(scratch, bytes, thrust::counting_iterator<std::uint32_t>(0), flags,
                                           indices.expected, count, n);
            });
    }
    cudaFree(flags);
}
template <class T>
void partitions(const char* type, std::size_t n, unsigned percent) {
    const arrays<T> a = arrays_of<T>(n);
    const some<T> keep{(percent * 256 + 50) / 100};
    measure(
        "partition_if/" + std::to_string(percent) + " %", type, n, sizeof(T), sizeof(T), true, 0,
        [&](upsweep::cuda::executor& ex, std::uint64_t* count) {
            upsweep::partition_if(ex, a.in, a.out, keep, count);
        },
        [&](void* scratch, std::size_t& bytes, std::uint64_t* count) {
            cub::DevicePartition::If(scratch, bytes, a.in.data(), a.expected, count, n, keep);
        });
}

}  // namespace

void bench_choosing() {
    constexpr std::size_t n = std::size_t(1) << 28;
    for (const unsigned percent : {1u, 50u, 99u}) by_predicate<float>("float", n, percent);
    for (const int power : {10, 16, 20, 22, 24}) by_predicate<float>("float", std::size_t(1) << power, 50);
    by_predicate<float>("float", n, 50, 1);
    by_predicate<std::uint8_t>("uint8", n * 4, 50);
    by_predicate<std::uint16_t>("uint16", n * 2, 50);
    by_predicate<double>("double", n / 2, 50);
    by_predicate<record<16>>("16 bytes", n / 4, 50);
    by_predicate<record<64>>("64 bytes", n / 16, 50);
    by_flags<float>("float", n, 50);
    by_flags<double>("double", n / 2, 50);
    partitions<float>("float", n, 50);
    for (const int power : {10, 16, 20, 22, 24}) partitions<float>("float", std::size_t(1) << power, 50);
    partitions<std::uint8_t>("uint8", n * 4, 50);
    partitions<double>("double", n / 2, 50);
    partitions<record<64>>("64 bytes", n / 16, 50);
}

}  // namespace bench
