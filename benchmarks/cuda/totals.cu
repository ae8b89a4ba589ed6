// Totals of arrays beside CUB's, and along an axis. A copy moves as many bytes as are read.
#include <cub/device/device_reduce.cuh>

#include "bench.cuh"
#include "upsweep/cuda/axis_reduce.cuh"
#include "upsweep/cuda/reduce.cuh"

namespace bench {
namespace {

namespace uc = upsweep::cuda;

double copy_of(std::size_t bytes) {
    return median_seconds(
        [&] { cudaMemcpyAsync(memory().out, memory().in, bytes / 2, cudaMemcpyDeviceToDevice, nullptr); });
}

template <class T, class Op, class CubOp>
void total(const char* work, const char* type, std::size_t n, const Op& op, const CubOp& cub_op, T start) {
    if (!wanted(std::string(work) + "/" + type)) return;
    const T* in = reinterpret_cast<const T*>(memory().in);
    T* out = reinterpret_cast<T*>(memory().out);
    const uc::device_span<const T> all(in, n);
    uc::executor ex;
    uc::executor other(nullptr, uc::algorithm::reduce_then_scan);
    upsweep::inclusive_scan(other, all, uc::device_span<T>(reinterpret_cast<T*>(memory().expected), n), op);
    upsweep::reduce(ex, all, out, op);
    ex.wait();
    other.wait();
    if (!equal_bytes(memory().out, memory().expected + (n - 1) * sizeof(T), sizeof(T)))
        fail(std::string(work) + "/" + type);
    const double seconds = median_seconds([&] { upsweep::reduce(ex, all, out, op); });
    std::size_t scratch_bytes = 0;
    void* scratch = nullptr;
    const auto cub_call = [&] {
        return cub::DeviceReduce::Reduce(scratch, scratch_bytes, in, out, n, cub_op, start);
    };
    uc::check(cub_call(), "CUB");
    uc::check(cudaMalloc(&scratch, scratch_bytes), "scratch for CUB");
    const double peer = median_seconds([&] { cub_call(); });
    cudaFree(scratch);
    report(work, type, "automatic", n, n * sizeof(T), seconds, copy_of(n * sizeof(T)), peer);
}

void along(std::int64_t rows, std::int64_t columns) {
    const std::size_t n = std::size_t(rows) * std::size_t(columns);
    for (const int axis : {0, 1}) {
        const std::string work = "reduce (" + std::to_string(rows) + ", " + std::to_string(columns) +
                                 "), axis " + std::to_string(axis);
        if (!wanted(work + "/float")) continue;
        const uc::device_view<const float> in(reinterpret_cast<const float*>(memory().in), {rows, columns});
        const uc::device_view<float> out(reinterpret_cast<float*>(memory().out),
                                         {axis == 0 ? columns : rows});
        uc::executor ex;
        const double seconds = median_seconds([&] { upsweep::reduce(ex, in, out, axis); });
        report(work, "float", "automatic", n, 4 * n, seconds, copy_of(4 * n), 0);
    }
}

}  // namespace

void bench_totals() {
    const ::cuda::std::plus<> sum;
    for (int bits = 10; bits <= 30; bits += 2)
        total("reduce", "float", std::size_t(1) << bits, upsweep::plus{}, sum, 0.0f);
    total("reduce", "double", std::size_t(1) << 27, upsweep::plus{}, sum, 0.0);
    total("reduce", "int32", std::size_t(1) << 28, upsweep::plus{}, sum, std::int32_t(0));
    total("reduce", "int64", std::size_t(1) << 27, upsweep::plus{}, sum, std::int64_t(0));
    total("reduce", "uint8", std::size_t(1) << 30, upsweep::plus{}, sum, std::uint8_t(0));
    total("reduce, maximum", "float", std::size_t(1) << 28, upsweep::maximum{}, ::cuda::maximum<>{}, 0.0f);
    along(16777216, 16);
    along(16384, 16384);
    along(16, 16777216);
    along(1048576, 256);
    along(2621440, 100);
    along(89478485, 3);
}

}  // namespace bench
