// Histograms and extraction of bins. Histograms stand beside CUB's DeviceHistogram, extraction beside its
// radix sort by as many bits as the bins have, which moves the same elements as often; a copy moves as many
// bytes as are read once, and by extraction written.
#include <algorithm>
#include <cmath>
#include <vector>

#include "bench.cuh"
#include "upsweep/cuda/bins.cuh"
#include "upsweep/cuda/histogram.cuh"

namespace bench {
namespace {

namespace uc = upsweep::cuda;

// Memory of a cell's counts, offsets and CUB's scratch.
template <class T>
class owned {
  public:
    explicit owned(std::size_t size) { uc::check(cudaMalloc(&data_, size * sizeof(T)), "memory of a cell"); }
    owned(const owned&) = delete;
    owned& operator=(const owned&) = delete;
    ~owned() { cudaFree(data_); }
    [[nodiscard]] T* data() const { return data_; }

  private:
    T* data_ = nullptr;
};

double copy_seconds(std::size_t bytes) {
    return median_seconds([&] {
        cudaMemcpyAsync(memory().expected, memory().in, bytes / 2, cudaMemcpyDeviceToDevice, nullptr);
    });
}
template <class Call>
double cub_seconds(const Call& call) {
    std::size_t bytes = 0;
    uc::check(call(nullptr, bytes), "CUB");
    const owned<char> scratch(bytes);
    return median_seconds([&] { call(scratch.data(), bytes); });
}
template <class T>
bool equal_counts(const T* a, const std::uint64_t* b, std::size_t size) {
    std::vector<T> x(size);
    std::vector<std::uint64_t> y(size);
    uc::check(cudaMemcpy(x.data(), a, size * sizeof(T), cudaMemcpyDeviceToHost), "counts");
    uc::check(cudaMemcpy(y.data(), b, size * sizeof(std::uint64_t), cudaMemcpyDeviceToHost), "counts");
    return std::equal(x.begin(), x.end(), y.begin());
}

template <class T>
void count(const char* type, std::size_t n, const upsweep::bin_range<T>& range) {
    const std::string work = "histogram/" + std::to_string(range.count);
    if (!wanted(work + "/" + type)) return;
    const auto* const in = reinterpret_cast<const T*>(memory().in);
    const owned<std::uint64_t> counts(range.count);
    const owned<unsigned> peer(range.count);  // its counters are faster with 32 bits
    uc::executor ex;
    const auto ours = [&] {
        upsweep::histogram(ex, uc::device_span<const T>(in, n), {counts.data(), range.count}, range);
    };
    const auto cub = [&](void* scratch, std::size_t& bytes) {
        return cub::DeviceHistogram::HistogramEven(scratch, bytes, in, peer.data(), int(range.count) + 1,
                                                   range.lo, range.hi, static_cast<long long>(n));
    };
    const double cubs = cub_seconds(cub);
    ours();
    // Bounds are such that CUB's arithmetic and ours agree.
    if (!equal_counts(peer.data(), counts.data(), range.count)) fail(work + "/" + type);
    report(work, type, "automatic", n, n * sizeof(T), median_seconds(ours), copy_seconds(n * sizeof(T)),
           cubs);
}

// Bins between edges: equal intervals, or in geometric progression.
void count_between(std::size_t n, std::uint32_t bins, bool geometric) {
    const std::string work =
        std::string(geometric ? "histogram by geometric edges/" : "histogram by edges/") +
        std::to_string(bins);
    if (!wanted(work + "/float")) return;
    const auto* const in = reinterpret_cast<const float*>(memory().in);
    std::vector<float> edges(std::size_t(bins) + 1);
    for (std::uint32_t i = 0; i < bins; ++i) {
        const double share = double(i) / bins;
        edges[i] = float(0.5 + (geometric ? std::exp2(-20 * (1 - share)) : share) / 2);
    }
    edges[bins] = 1;
    const owned<float> on_device(edges.size());
    uc::check(
        cudaMemcpy(on_device.data(), edges.data(), edges.size() * sizeof(float), cudaMemcpyHostToDevice),
        "edges");
    const owned<std::uint64_t> counts(bins);
    const owned<unsigned> peer(bins);
    uc::executor ex;
    const auto ours = [&] {
        upsweep::histogram(ex, uc::device_span<const float>(in, n), {counts.data(), bins},
                           uc::device_edges<float>{{on_device.data(), edges.size()}});
    };
    const auto cub = [&](void* scratch, std::size_t& bytes) {
        return cub::DeviceHistogram::HistogramRange(scratch, bytes, in, peer.data(), int(bins) + 1,
                                                    on_device.data(), static_cast<long long>(n));
    };
    const double cubs = cub_seconds(cub);
    ours();
    // No element is 1, which CUB's last bin lacks.
    if (!equal_counts(peer.data(), counts.data(), bins)) fail(work + "/float");
    report(work, "float", "automatic", n, n * sizeof(float), median_seconds(ours),
           copy_seconds(n * sizeof(float)), cubs);
}

// Bins by an interval each, and by the lowest bits of an integer, which is what CUB sorts by.
void split_range(std::size_t n, std::uint32_t bins) {
    const std::string work = "bins/" + std::to_string(bins);
    if (!wanted(work + "/float")) return;
    const owned<std::uint64_t> offsets(std::size_t(bins) + 1);
    uc::executor ex;
    const auto ours = [&] {
        upsweep::bins(ex, uc::device_span<const float>(reinterpret_cast<const float*>(memory().in), n),
                      uc::device_span<float>(reinterpret_cast<float*>(memory().out), n),
                      {offsets.data(), std::size_t(bins) + 1}, {0.5f, 1.0f, bins});
    };
    const std::size_t bytes = 2 * n * sizeof(float);
    report(work, "float", "automatic", n, bytes, median_seconds(ours), copy_seconds(bytes), 0);
}
struct lowest_bits {
    std::uint32_t mask;
    __device__ std::uint32_t operator()(std::uint32_t x) const { return x & mask; }
};
void split_bits(std::size_t n, int bits) {
    const std::uint32_t bins = 1u << bits;
    const std::string work = "bins_by/" + std::to_string(bins);
    if (!wanted(work + "/uint32")) return;
    const auto* const in = reinterpret_cast<const std::uint32_t*>(memory().in);
    auto* const out = reinterpret_cast<std::uint32_t*>(memory().out);
    auto* const expected = reinterpret_cast<std::uint32_t*>(memory().expected);
    const owned<std::uint64_t> offsets(std::size_t(bins) + 1);
    uc::executor ex;
    const auto ours = [&] {
        upsweep::bins_by(ex, uc::device_span<const std::uint32_t>(in, n),
                         uc::device_span<std::uint32_t>(out, n), {offsets.data(), std::size_t(bins) + 1},
                         lowest_bits{bins - 1});
    };
    const auto cub = [&](void* scratch, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortKeys(scratch, bytes, in, expected, static_cast<long long>(n), 0,
                                              bits);
    };
    const std::size_t bytes = 2 * n * sizeof *in;
    const double copy = copy_seconds(bytes), cubs = cub_seconds(cub);
    ours();
    if (!equal_bytes(out, expected, bytes / 2)) fail(work + "/uint32");
    report(work, "uint32", "automatic", n, bytes, median_seconds(ours), copy, cubs);
}

}  // namespace

void bench_binning() {
    constexpr std::size_t n = std::size_t(1) << 28;
    for (const std::uint32_t bins : {8u, 256u, 4096u, 32768u}) count<float>("float", n, {0.5f, 1.0f, bins});
    for (const int power : {16, 20, 24}) count<float>("float", std::size_t(1) << power, {0.5f, 1.0f, 256});
    count<double>("double", n / 2, {0.0, 4.0, 256});
    count<std::uint8_t>("uint8", n * 4, {0, 255, 255});
    count<std::uint16_t>("uint16", n * 2, {0, 65535, 65535});
    count<std::uint32_t>("uint32", n, {0, 1u << 30, 256});
    for (const std::uint32_t bins : {8u, 256u, 4096u, 65536u}) count_between(n, bins, false);
    for (const int power : {20, 24}) count_between(std::size_t(1) << power, 256, false);
    count_between(n, 256, true);
    for (const std::uint32_t bins : {2u, 8u, 32u, 256u, 512u, 4096u, 65536u}) split_range(n, bins);
    for (const int bits : {1, 3, 5, 8, 12, 16}) split_bits(n, bits);
    for (const int power : {16, 20, 24}) split_bits(std::size_t(1) << power, 8);
}

}  // namespace bench
