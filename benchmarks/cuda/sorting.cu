// Stable sorts of device memory beside CUB's radix sort; a copy moves as many bytes as are read and written
// once.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "bench.cuh"
#include "random_keys.cuh"
#include "upsweep/cuda/segmented_sort.cuh"
#include "upsweep/cuda/sort.cuh"

namespace bench {
namespace {

namespace uc = upsweep::cuda;

// Random keys of which the bits in `mask` differ, so that NaNs and -0, which CUB orders otherwise, are not
// among them.
template <class Key>
void keys(const char* type, const char* what, std::size_t n, std::uint64_t mask) {
    const std::string work = std::string("sort/") + what;
    if (!wanted(work + "/" + type)) return;
    const buffer<Key> in(n), out(n), expected(n);
    fill_with_random<<<2048, 256>>>(in.data(), n, mask);
    uc::executor ex;
    const auto ours = [&] { upsweep::sort(ex, in.span(n), out.span(n)); };
    std::size_t bytes = 0;
    const auto cub = [&](void* scratch) {
        uc::check(cub::DeviceRadixSort::SortKeys(scratch, bytes, in.data(), expected.data(),
                                                 static_cast<long long>(n)),
                  "CUB");
    };
    cub(nullptr);
    const buffer<char> scratch(bytes);
    const double cubs = median_seconds([&] { cub(scratch.data()); });
    ours();
    if (!equal_bytes(out.data(), expected.data(), n * sizeof(Key))) fail(work + "/" + type);
    const std::size_t moved = 2 * n * sizeof(Key);
    report(work, type, "", n, moved, median_seconds(ours), copy_seconds(moved), cubs);
}
template <class Key, class Value>
void pairs(const char* type, std::size_t n) {
    const std::string work = "sort_by_key/random";
    if (!wanted(work + "/" + type)) return;
    const buffer<Key> in(n), out(n), expected(n);
    const buffer<Value> values(n), values_out(n), expected_values(n);
    fill_with_random<<<2048, 256>>>(in.data(), n, ~std::uint64_t{0});
    fill_with_random<<<2048, 256>>>(values.data(), n, ~std::uint64_t{0});
    uc::executor ex;
    const auto ours = [&] {
        upsweep::sort_by_key(ex, in.span(n), values.span(n), out.span(n), values_out.span(n));
    };
    std::size_t bytes = 0;
    const auto cub = [&](void* scratch) {
        uc::check(cub::DeviceRadixSort::SortPairs(scratch, bytes, in.data(), expected.data(), values.data(),
                                                  expected_values.data(), static_cast<long long>(n)),
                  "CUB");
    };
    cub(nullptr);
    const buffer<char> scratch(bytes);
    const double cubs = median_seconds([&] { cub(scratch.data()); });
    ours();
    if (!equal_bytes(out.data(), expected.data(), n * sizeof(Key)) ||
        !equal_bytes(values_out.data(), expected_values.data(), n * sizeof(Value)))
        fail(work + "/" + type);
    const std::size_t moved = 2 * n * (sizeof(Key) + sizeof(Value));
    report(work, type, "", n, moved, median_seconds(ours), copy_seconds(moved), cubs);
}

// Segments of `length` elements each, or of so many on average: geometrically distributed, or as a power law
// has them, a few with most of the elements.
enum class lengths { equal, geometric, power_law };

std::vector<std::uint32_t> offsets_of(lengths how, std::size_t length, std::size_t n) {
    std::mt19937_64 random(5);
    std::vector<std::uint32_t> offsets{0};
    while (offsets.back() < n) {
        const double u = (static_cast<double>(random() >> 11) + 1) * 0x1p-53,
                     mean = static_cast<double>(length);
        double next = mean;
        if (how == lengths::geometric) next = std::ceil(-mean * std::log(u));
        if (how == lengths::power_law) next = std::ceil(mean / 10 * std::pow(u, -0.9));
        const double left = static_cast<double>(n - offsets.back());
        offsets.push_back(offsets.back() + static_cast<std::uint32_t>(std::min(next, left)));
    }
    return offsets;
}
void segments(const char* what, lengths how, std::size_t length, std::size_t n) {
    const std::string work = std::string("segmented_sort/") + what + " " + std::to_string(length);
    if (!wanted(work + "/float")) return;
    const std::vector<std::uint32_t> bounds = offsets_of(how, length, n);
    const buffer<float> in(n), out(n), expected(n);
    const buffer<std::uint32_t> offsets(bounds.size());
    fill_with_random<<<2048, 256>>>(in.data(), n, 0x7f7fffff);
    uc::check(cudaMemcpy(offsets.data(), bounds.data(), bounds.size() * sizeof(std::uint32_t),
                         cudaMemcpyHostToDevice),
              "offsets of a cell");
    uc::executor ex;
    const uc::by_offsets by(offsets.span(bounds.size()));
    const auto ours = [&] { upsweep::segmented_sort(ex, by, in.span(n), out.span(n)); };
    std::size_t bytes = 0;
    const auto cub = [&](void* scratch) {
        uc::check(cub::DeviceSegmentedSort::StableSortKeys(
                      scratch, bytes, in.data(), expected.data(), static_cast<long long>(n),
                      static_cast<long long>(bounds.size() - 1), offsets.data(), offsets.data() + 1),
                  "CUB");
    };
    cub(nullptr);
    const buffer<char> scratch(bytes);
    const double cubs = median_seconds([&] { cub(scratch.data()); });
    ours();
    if (!equal_bytes(out.data(), expected.data(), n * sizeof(float))) fail(work + "/float");
    const std::size_t moved = 2 * n * sizeof(float);
    report(work, "float", "", n, moved, median_seconds(ours), copy_seconds(moved), cubs);
}

}  // namespace

void bench_sorting() {
    constexpr std::size_t n = std::size_t(1) << 28;
    constexpr std::uint64_t any = ~std::uint64_t{0};
    for (const int power : {10, 13, 16, 18, 20, 22, 24, 26, 28})
        keys<std::uint32_t>("uint32", "random", std::size_t(1) << power, any);
    keys<std::uint32_t>("uint32", "below 65536", n, 0xffff);
    keys<std::uint32_t>("uint32", "equal", n, 0);
    keys<float>("float", "random", n, 0x7f7fffff);
    keys<std::uint64_t>("uint64", "random", n / 2, any);
    keys<double>("double", "random", n / 2, 0x7fefffffffffffff);
    keys<std::uint16_t>("uint16", "random", 2 * n, any);
    keys<std::uint8_t>("uint8", "random", 4 * n, any);
    pairs<std::uint32_t, std::uint32_t>("uint32, 4 bytes", std::size_t(1) << 20);
    pairs<std::uint32_t, std::uint32_t>("uint32, 4 bytes", n);
    pairs<std::uint32_t, std::uint64_t>("uint32, 8 bytes", n / 2);
    pairs<std::uint64_t, std::uint64_t>("uint64, 8 bytes", n / 2);
    for (const std::size_t length : {2, 8, 16, 32, 64, 100, 128, 300, 1000, 3000, 7000, 10'000, 100'000})
        segments("equal", lengths::equal, length, n / 4);
    segments("equal", lengths::equal, n / 4, n / 4);
    for (const std::size_t length : {10, 100, 1000, 10'000})
        segments("about", lengths::geometric, length, n / 4);
    for (const std::size_t length : {10, 100, 1000})
        segments("few long ones,", lengths::power_law, length, n / 4);
}

}  // namespace bench
