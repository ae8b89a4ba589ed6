// The first k of sequences and of rows beside CUB's sorts of all elements, whose toolkit of 13.0 has nothing
// else for it. A copy moves as many bytes as are read.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "bench.cuh"
#include "random_keys.cuh"
#include "upsweep/cuda/top_k.cuh"

namespace bench {
namespace {

namespace uc = upsweep::cuda;

// The k greatest of random keys of which the bits in `mask` differ, so that NaNs and -0 are not among them.
template <class Key>
void sequence(const char* type, std::size_t n, std::size_t k, std::uint64_t mask, const char* kind = "") {
    const std::string work = "top_k/" + std::to_string(k) + kind;
    if (!wanted(work + "/" + type)) return;
    const buffer<Key> in(n), out(k), expected(n);
    fill_with_random<<<2048, 256>>>(in.data(), n, mask);
    uc::executor ex;
    const auto ours = [&] { upsweep::top_k(ex, in.span(n), out.span(k)); };
    std::size_t bytes = 0;
    const auto cub = [&](void* scratch) {
        uc::check(cub::DeviceRadixSort::SortKeysDescending(scratch, bytes, in.data(), expected.data(),
                                                           static_cast<long long>(n)),
                  "CUB");
    };
    cub(nullptr);
    const buffer<char> scratch(bytes);
    const double cubs = median_seconds([&] { cub(scratch.data()); });
    ours();
    if (!equal_bytes(out.data(), expected.data(), k * sizeof(Key))) fail(work + "/" + type);
    const std::size_t read = n * sizeof(Key);
    report(work, type, "", n, read, median_seconds(ours), copy_seconds(read), cubs);
}

// Of each of so many rows, indices.
void many_rows(std::size_t rows, std::size_t length, std::size_t k) {
    const std::string work = "top_k_row_indices/" + std::to_string(k) + " of " + std::to_string(length);
    const std::size_t n = rows * length;
    if (!wanted(work + "/float")) return;
    const buffer<float> in(n), sorted(n);
    const buffer<std::int32_t> out(rows * k), places(n), order(n), expected(rows * k), offsets(rows + 1);
    fill_with_random<<<2048, 256>>>(in.data(), n, 0x7f7fffff);
    std::vector<std::int32_t> numbers(std::max(n, rows + 1));
    for (std::size_t i = 0; i < n; ++i) numbers[i] = static_cast<std::int32_t>(i % length);
    cudaMemcpy(places.data(), numbers.data(), n * sizeof(std::int32_t), cudaMemcpyHostToDevice);
    for (std::size_t row = 0; row <= rows; ++row) numbers[row] = static_cast<std::int32_t>(row * length);
    cudaMemcpy(offsets.data(), numbers.data(), (rows + 1) * sizeof(std::int32_t), cudaMemcpyHostToDevice);
    uc::executor ex;
    const auto ours = [&] { upsweep::top_k_row_indices(ex, rows, in.span(n), out.span(rows * k)); };
    std::size_t bytes = 0;
    const auto cub = [&](void* scratch) {
        uc::check(
            cub::DeviceSegmentedSort::StableSortPairsDescending(
                scratch, bytes, in.data(), sorted.data(), places.data(), order.data(),
                static_cast<long long>(n), static_cast<long long>(rows), offsets.data(), offsets.data() + 1),
            "CUB");
    };
    cub(nullptr);
    const buffer<char> scratch(bytes);
    const double cubs = median_seconds([&] { cub(scratch.data()); });
    ours();
    cudaMemcpy2D(expected.data(), k * sizeof(std::int32_t), order.data(), length * sizeof(std::int32_t),
                 k * sizeof(std::int32_t), rows, cudaMemcpyDeviceToDevice);
    if (!equal_bytes(out.data(), expected.data(), rows * k * sizeof(std::int32_t))) fail(work + "/float");
    const std::size_t read = n * sizeof(float);
    report(work, "float", "", n, read, median_seconds(ours), copy_seconds(read), cubs);
}

}  // namespace

void bench_top_k() {
    constexpr std::uint64_t numbers = 0x7f7fffff, any = ~std::uint64_t{0};
    for (const int power : {12, 16, 20, 24, 28})
        for (const std::size_t k : {1, 10, 1'000, 100'000})
            if (k <= std::size_t(1) << (power - 2))
                sequence<float>("float", std::size_t(1) << power, k, numbers);
    for (const std::size_t k : {10, 1'000}) {
        sequence<float>("float", std::size_t(1) << 28, k, 0x00070000, ", few values");
        sequence<std::int32_t>("int32", std::size_t(1) << 27, k, any);
        sequence<double>("double", std::size_t(1) << 27, k, 0x7fefffffffffffff);
    }
    for (const std::size_t k : {1'000'000, 10'000'000, 60'000'000, 70'000'000})
        sequence<float>("float", std::size_t(1) << 28, k, numbers);
    many_rows(std::size_t(1) << 20, 64, 8);
    many_rows(std::size_t(1) << 14, 1'000, 10);
    many_rows(1'024, 131'072, 50);
    many_rows(16, std::size_t(1) << 24, 100);
}

}  // namespace bench
