// Totals of segments by keys and by offsets, first elements and lengths of runs beside CUB's. Keys are runs
// of so many on average, of random lengths; offsets, of 64 bits, are where these begin. A copy moves as many
// bytes as are read and written.
#include "bench.cuh"
#include "upsweep/cuda/segmented_reduce.cuh"
#include "upsweep/cuda/unique.cuh"

namespace bench {
namespace {

namespace uc = upsweep::cuda;

// Whether a run begins at i: one of `length`, by bits of i.
__device__ bool begins(std::size_t i, std::uint32_t length) {
    std::uint64_t x = i * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
    return std::uint32_t(x >> 32) % length == 0;
}
__global__ void make_changes(std::uint32_t* keys, std::size_t n, std::uint32_t length) {
    for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < n;
         i += std::size_t(gridDim.x) * blockDim.x)
        keys[i] = begins(i, length);
}

// The arena's first buffer: elements, then keys; the other two: totals, then keys.
template <class T>
struct arrays {
    std::size_t n, m = 0;
    T* in = reinterpret_cast<T*>(memory().in);
    std::uint32_t* keys;
    std::uint64_t* count = nullptr;

    arrays(std::size_t elements, std::uint32_t length)
        : n(elements), keys(reinterpret_cast<std::uint32_t*>(memory().in + keys_at())) {
        make_changes<<<2048, 256>>>(keys, n, length);
        uc::executor ex;
        const uc::device_span<std::uint32_t> all(keys, n);
        upsweep::inclusive_scan(ex, uc::device_span<const std::uint32_t>(keys, n), all);
        ex.wait();
        uc::check(cudaMalloc(&count, 2 * sizeof *count), "counts");
    }
    ~arrays() { cudaFree(count); }
    arrays(const arrays&) = delete;
    arrays& operator=(const arrays&) = delete;

    [[nodiscard]] std::size_t keys_at() const { return (n * 8 + 255) / 256 * 256; }
    template <class U>
    static U* totals(char* buffer) {
        return reinterpret_cast<U*>(buffer);
    }
    [[nodiscard]] std::uint32_t* keys_of(char* buffer) const {
        return reinterpret_cast<std::uint32_t*>(buffer + keys_at());
    }
    [[nodiscard]] uc::device_span<const T> from() const { return {in, n}; }
    [[nodiscard]] uc::device_span<const std::uint32_t> from_keys() const { return {keys, n}; }
    [[nodiscard]] uc::device_span<std::uint32_t> to_keys(char* buffer) const { return {keys_of(buffer), n}; }
};

// ours() beside cub(scratch, scratch_bytes) and a copy.
template <class Ours, class Cub>
void report_times(const std::string& work, const char* type, std::size_t n, std::size_t bytes,
                  const Ours& ours, const Cub& cub) {
    const double seconds = median_seconds(ours);
    std::size_t scratch_bytes = 0;
    void* scratch = nullptr;
    uc::check(cub(nullptr, scratch_bytes), "CUB");
    uc::check(cudaMalloc(&scratch, scratch_bytes), "scratch for CUB");
    const double peer = median_seconds([&] { cub(scratch, scratch_bytes); });
    cudaFree(scratch);
    const double copy = median_seconds(
        [&] { cudaMemcpyAsync(memory().out, memory().in, bytes / 2, cudaMemcpyDeviceToDevice, nullptr); });
    report(work, type, "automatic", n, bytes, seconds, copy, peer);
}

// ours(ex, buffer, count) and cub(scratch, scratch_bytes, count), which writes to memory().expected. `read`
// bytes an element, `written` bytes a run, of which `compared` lie at the buffer's begin.
template <class T, class Ours, class Cub>
void measure(const std::string& work, const char* type, arrays<T>& a, std::size_t read, std::size_t written,
             std::size_t compared, const Ours& ours, const Cub& cub) {
    uc::executor reference(nullptr, uc::algorithm::reduce_then_scan);
    ours(reference, memory().expected, a.count);
    reference.wait();
    uc::executor ex;
    ours(ex, memory().out, a.count);
    ex.wait();
    std::uint64_t m = 0;
    uc::check(cudaMemcpy(&m, a.count, sizeof m, cudaMemcpyDeviceToHost), "count");
    if (!equal_bytes(memory().out, memory().expected, m * compared)) fail(work + "/" + type);
    report_times(
        work, type, a.n, a.n * read + m * written, [&] { ours(ex, memory().out, a.count); },
        [&](void* scratch, std::size_t& bytes) { return cub(scratch, bytes, a.count + 1); });
}

template <class T>
void reduce(const char* type, std::size_t n, std::uint32_t length) {
    const std::string work = "reduce_by_key, " + std::to_string(length);
    if (!wanted(work + "/" + type)) return;
    arrays<T> a(n, length);
    measure(
        work, type, a, sizeof(T) + 4, sizeof(T) + 4, sizeof(T),
        [&](uc::executor& ex, char* to, std::uint64_t* count) {
            upsweep::reduce_by_key(ex, a.from_keys(), a.from(), a.to_keys(to),
                                   uc::device_span<T>(a.template totals<T>(to), n), count);
        },
        [&](void* scratch, std::size_t& bytes, std::uint64_t* count) {
            return cub::DeviceReduce::ReduceByKey(scratch, bytes, a.keys, a.keys_of(memory().expected), a.in,
                                                  a.template totals<T>(memory().expected), count,
                                                  ::cuda::std::plus<>{}, n);
        });
}
// The totals of the same runs, which offsets describe.
template <class T>
void reduce_by_offsets(const char* type, std::size_t n, std::uint32_t length) {
    const std::string work = "segmented_reduce, " + std::to_string(length);
    if (!wanted(work + "/" + type)) return;
    arrays<T> a(n, length);
    uc::executor ex(nullptr, uc::algorithm::reduce_then_scan);
    const uc::device_span<std::uint64_t> lengths(a.template totals<std::uint64_t>(memory().out), n);
    upsweep::run_length_encode(ex, a.from_keys(), a.to_keys(memory().expected), lengths, a.count);
    std::uint64_t m = 0;
    uc::check(cudaMemcpy(&m, a.count, sizeof m, cudaMemcpyDeviceToHost), "count");
    std::uint64_t* offsets = nullptr;
    uc::check(cudaMalloc(&offsets, (m + 1) * sizeof *offsets), "offsets");
    uc::check(cudaMemset(offsets, 0, sizeof *offsets), "offsets");
    upsweep::inclusive_scan(ex, uc::device_span<const std::uint64_t>(lengths.data(), m),
                            uc::device_span<std::uint64_t>(offsets + 1, m));
    T* const expected = a.template totals<T>(memory().expected);
    upsweep::reduce_by_key(ex, a.from_keys(), a.from(), a.to_keys(memory().out),
                           uc::device_span<T>(expected, m), a.count);
    ex.wait();
    T* const out = a.template totals<T>(memory().out);
    const uc::by_offsets<std::uint64_t> segments(uc::device_span<const std::uint64_t>(offsets, m + 1));
    const auto ours = [&] { upsweep::segmented_reduce(ex, segments, a.from(), uc::device_span<T>(out, m)); };
    ours();
    ex.wait();
    if (!equal_bytes(out, expected, m * sizeof(T))) fail(work + "/" + type);
    report_times(work, type, n, n * sizeof(T) + m * (sizeof(T) + sizeof *offsets), ours,
                 [&](void* scratch, std::size_t& bytes) {
                     return cub::DeviceSegmentedReduce::Sum(
                         scratch, bytes, a.in, expected, static_cast<std::int64_t>(m), offsets, offsets + 1);
                 });
    cudaFree(offsets);
}
void first(std::size_t n, std::uint32_t length) {
    const std::string work = "unique, " + std::to_string(length);
    if (!wanted(work + "/uint32")) return;
    arrays<float> a(n, length);
    measure(
        work, "uint32", a, 4, 4, 4,
        [&](uc::executor& ex, char* to, std::uint64_t* count) {
            upsweep::unique(ex, a.from_keys(), uc::device_span<std::uint32_t>(a.totals<std::uint32_t>(to), n),
                            count);
        },
        [&](void* scratch, std::size_t& bytes, std::uint64_t* count) {
            return cub::DeviceSelect::Unique(scratch, bytes, a.keys,
                                             a.totals<std::uint32_t>(memory().expected), count, n);
        });
}
template <class Key>
__global__ void convert_keys(const std::uint32_t* keys, Key* to, std::size_t n) {
    for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < n;
         i += std::size_t(gridDim.x) * blockDim.x)
        to[i] = static_cast<Key>(keys[i]);
}
// Keys as this type, which neighbouring runs have others of.
template <class Key, class Length>
void encode(const char* type, std::size_t n, std::uint32_t length) {
    const std::string work = "run_length_encode, " + std::to_string(length);
    if (!wanted(work + "/" + type)) return;
    arrays<float> a(n, length);
    auto* const keys = reinterpret_cast<Key*>(memory().in);
    convert_keys<<<2048, 256>>>(a.keys, keys, n);
    const auto keys_of = [&](char* buffer) { return reinterpret_cast<Key*>(a.keys_of(buffer)); };
    measure(
        work, type, a, sizeof(Key), sizeof(Length) + sizeof(Key), sizeof(Length),
        [&](uc::executor& ex, char* to, std::uint64_t* count) {
            upsweep::run_length_encode(ex, uc::device_span<const Key>(keys, n),
                                       uc::device_span<Key>(keys_of(to), n),
                                       uc::device_span<Length>(a.totals<Length>(to), n), count);
        },
        [&](void* scratch, std::size_t& bytes, std::uint64_t* count) {
            return cub::DeviceRunLengthEncode::Encode(scratch, bytes, keys, keys_of(memory().expected),
                                                      a.totals<Length>(memory().expected), count, n);
        });
}

}  // namespace

void bench_runs() {
    constexpr std::size_t n = std::size_t(1) << 28;
    for (const std::uint32_t length : {1000u, 100u, 10u, 2u}) {
        reduce<float>("float", n, length);
        reduce<double>("double", n / 2, length);
        first(n, length);
        encode<std::uint32_t, std::int32_t>("int32", n, length);
    }
    for (const std::uint32_t length : {1000000u, 1000u, 100u, 10u, 2u}) {
        reduce_by_offsets<float>("float", n, length);
        reduce_by_offsets<double>("double", n / 2, length);
    }
    reduce_by_offsets<std::uint8_t>("uint8", n, 1000);
    for (const int power : {12, 16, 20, 24}) reduce_by_offsets<float>("float", std::size_t(1) << power, 1000);
    reduce<std::int32_t>("int32", n, 100);
    encode<std::uint8_t, std::int32_t>("uint8>int32", n, 10);
    encode<std::uint64_t, std::int64_t>("uint64>int64", n / 2, 10);
    for (const int power : {12, 16, 20, 24}) {
        reduce<float>("float", std::size_t(1) << power, 100);
        encode<std::uint32_t, std::int32_t>("int32", std::size_t(1) << power, 100);
    }
}

}  // namespace bench
