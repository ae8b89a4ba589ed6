// Arrays and numbers in pinned host memory, which kernels read and write over the bus: the bits are those
// that the same calls give in device memory.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuda/device_array.cuh"
#include "support/build.hpp"
#include "upsweep/cuda/axis_reduce.cuh"
#include "upsweep/cuda/axis_scan.cuh"
#include "upsweep/cuda/bins.cuh"
#include "upsweep/cuda/compact.cuh"
#include "upsweep/cuda/histogram.cuh"
#include "upsweep/cuda/partition.cuh"
#include "upsweep/cuda/reduce.cuh"
#include "upsweep/cuda/repeat.cuh"
#include "upsweep/cuda/scan.cuh"
#include "upsweep/cuda/segmented_reduce.cuh"
#include "upsweep/cuda/segmented_scan.cuh"
#include "upsweep/cuda/segmented_sort.cuh"
#include "upsweep/cuda/sort.cuh"
#include "upsweep/cuda/unique.cuh"
#include "upsweep/predicates.hpp"

namespace upsweep::test {
namespace {

// As device_array, in host memory.
template <class T>
class pinned_array {
  public:
    explicit pinned_array(std::size_t size) : size_(size) {
        expect_success(cudaMallocHost(&data_, size * sizeof(T) + 1), "allocating pinned memory");
    }
    explicit pinned_array(const std::vector<T>& from) : pinned_array(from.size()) {
        std::copy(from.begin(), from.end(), data_);
    }
    pinned_array(const pinned_array&) = delete;
    pinned_array& operator=(const pinned_array&) = delete;
    ~pinned_array() { cudaFreeHost(data_); }

    // Waits for the whole device.
    [[nodiscard]] std::vector<T> read() const {
        expect_success(cudaDeviceSynchronize(), "waiting for the device");
        return std::vector<T>(data_, data_ + size_);
    }
    void poison() { std::memset(data_, device_staging::poison, size_ * sizeof(T)); }
    [[nodiscard]] T* data() const { return data_; }
    [[nodiscard]] cuda::device_span<T> span() const { return {data_, size_}; }
    [[nodiscard]] cuda::device_span<const T> view() const { return {data_, size_}; }

  private:
    T* data_ = nullptr;
    std::size_t size_;
};

// The bytes of all results of many calls, whose arrays are of a kind.
template <template <class> class Array>
class calls {
  public:
    calls(cuda::algorithm choice, std::size_t n)
        : ex_(nullptr, choice), x_(random_array<float>(n, 3).read()), numbers_(n), heads_(n), in_(x_) {
        const std::vector<std::uint32_t> random = random_array<std::uint32_t>(n, 4).read();
        for (std::size_t i = 0; i < n; ++i) {
            numbers_[i] = static_cast<std::int32_t>(random[i] % 5);
            heads_[i] = random[i] % 37 == 0;
        }
    }

    std::vector<std::byte> scans() {
        Array<float> out(x_.size()), total(1);
        out.poison();
        inclusive_scan(ex_, in_.view(), out.span(), plus{}, {.total = total.data()});
        keep(out, total);
        exclusive_scan(ex_, out.view(), out.span(), maximum{}, {.initial = 3.0f, .reverse = true});
        keep(out);
        inclusive_segmented_scan(ex_, cuda::by_head_flags(heads_of().view()), in_.view(), out.span());
        keep(out);
        return std::move(kept_);
    }
    std::vector<std::byte> choices() {
        const std::size_t n = x_.size();
        Array<float> out(n), totals(n);
        Array<std::int32_t> keys(numbers_), keys_out(n), lengths(n);
        Array<std::uint64_t> count(1);
        compact_if(ex_, in_.view(), out.span(), less_than(0.4f), count.data());
        keep_first(count, out);
        partition_if(ex_, in_.view(), out.span(), less_than(0.7f), count.data());
        keep(out, count);
        reduce_by_key(ex_, keys.view(), in_.view(), keys_out.span(), totals.span(), count.data());
        keep_first(count, keys_out);
        keep_first(count, totals);
        run_length_encode(ex_, keys.view(), keys_out.span(), lengths.span(), count.data());
        keep_first(count, lengths);
        Array<float> repeated(2 * n);
        repeated.poison();
        repeat(ex_, in_.view(), keys.view(), repeated.span(), count.data());
        keep(count, repeated);
        compact_if(ex_, cuda::device_span<const float>(in_.data(), 0), out.span(), less_than(0.4f),
                   count.data());
        keep(count);
        return std::move(kept_);
    }
    std::vector<std::byte> orders() {
        const std::size_t n = x_.size();
        Array<float> out(n);
        Array<std::uint64_t> counts(100), offsets(101);
        Array<std::uint32_t> indices(n);
        histogram(ex_, in_.view(), counts.span(), {.lo = 0, .hi = 1, .count = 100});
        keep(counts);
        bins(ex_, in_.view(), out.span(), offsets.span(), {.lo = 0, .hi = 1, .count = 100});
        keep(out, offsets);
        sort(ex_, in_.view(), out.span());
        keep(out);
        sort_indices(ex_, in_.view(), indices.span(), {.descending = true});
        keep(indices);
        segmented_sort(ex_, cuda::by_head_flags(heads_of().view()), in_.view(), out.span());
        keep(out);
        return std::move(kept_);
    }
    std::vector<std::byte> totals() {
        Array<float> total(1), length_total(1);
        Array<std::uint64_t> length(std::vector<std::uint64_t>{x_.size() / 3});
        reduce(ex_, in_.view(), total.data());
        reduce(ex_, in_.view(), length_total.data(), plus{}, {.length = length.data()});
        keep(total, length_total);
        for (const std::int64_t columns : {3, 40, 1000}) {
            const std::int64_t rows = static_cast<std::int64_t>(x_.size()) / columns;
            Array<float> out(static_cast<std::size_t>(rows * columns));
            const cuda::device_view<const float> from(in_.data(), {rows, columns});
            for (const int axis : {0, 1}) {
                inclusive_scan(ex_, from, cuda::device_view<float>(out.data(), {rows, columns}), axis);
                keep(out);
                Array<float> sums(static_cast<std::size_t>(axis == 0 ? columns : rows));
                reduce(ex_, from, cuda::device_view<float>(sums.data(), {axis == 0 ? columns : rows}), axis);
                keep(sums);
            }
        }
        return std::move(kept_);
    }

  private:
    Array<std::uint8_t>& heads_of() {
        if (!flags_) flags_.emplace(heads_);
        return *flags_;
    }
    template <class T>
    void append(const std::vector<T>& x, std::size_t n) {
        const auto* const bytes = reinterpret_cast<const std::byte*>(x.data());
        kept_.insert(kept_.end(), bytes, bytes + n * sizeof(T));
    }
    template <class... T>
    void keep(const Array<T>&... arrays) {
        (append(arrays.read(), arrays.read().size()), ...);
    }
    template <class T>
    void keep_first(const Array<std::uint64_t>& count, const Array<T>& array) {
        keep(count);
        append(array.read(), static_cast<std::size_t>(count.read().front()));
    }

    cuda::executor ex_;
    std::vector<float> x_;
    std::vector<std::int32_t> numbers_;
    std::vector<std::uint8_t> heads_;
    Array<float> in_;
    std::optional<Array<std::uint8_t>> flags_;
    std::vector<std::byte> kept_;
};

void compare(std::vector<std::byte> (calls<pinned_array>::*pinned)(),
             std::vector<std::byte> (calls<device_array>::*device)()) {
    for (const cuda::algorithm choice : cuda_algorithms()) {
        for (const std::size_t n : {std::size_t{1}, std::size_t{1001}, repetitions(2'000'003, 100'003)}) {
            SCOPED_TRACE(std::string(cuda::name(choice)) + " of " + std::to_string(n));
            EXPECT_TRUE((calls<pinned_array>(choice, n).*pinned)() ==
                        (calls<device_array>(choice, n).*device)());
        }
    }
}

TEST(cuda_pinned, scans) { compare(&calls<pinned_array>::scans, &calls<device_array>::scans); }
TEST(cuda_pinned, choices) { compare(&calls<pinned_array>::choices, &calls<device_array>::choices); }
TEST(cuda_pinned, orders) { compare(&calls<pinned_array>::orders, &calls<device_array>::orders); }
TEST(cuda_pinned, totals) { compare(&calls<pinned_array>::totals, &calls<device_array>::totals); }

}  // namespace
}  // namespace upsweep::test
