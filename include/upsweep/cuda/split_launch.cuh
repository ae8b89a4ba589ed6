// From typed arguments to the kernels of an extraction of bins: elements are counted by bin and stretch of
// the array, the counts are scanned, and the elements are moved to where the scan says.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <type_traits>

#include "upsweep/cuda/count_launch.cuh"
#include "upsweep/cuda/count_scan.hpp"
#include "upsweep/cuda/executor.hpp"
#include "upsweep/cuda/launch.cuh"
#include "upsweep/cuda/split_bins.cuh"
#include "upsweep/cuda/tuning.hpp"

namespace upsweep::cuda::detail {

// Bins of `Classes` by some bits of their number; what has no bin has none.
template <class Classes>
struct digit_of {
    Classes classes;
    unsigned shift;
    std::uint32_t count;  // a power of two
    static constexpr bool asks_caller = true;
    [[nodiscard]] __host__ __device__ std::uint32_t bins() const { return count; }
    template <class In>
    __device__ __forceinline__ std::uint32_t operator()(const In& x) const {
        const std::uint32_t bin = classes(x);
        return bin < classes.bins() ? (bin >> shift) & (count - 1) : no_bin;
    }
};
// The bin of the element that an index stands for.
template <class In, class Classes>
struct bin_of_index {
    const In* in;
    Classes classes;
    static constexpr bool asks_caller = true;
    [[nodiscard]] __host__ __device__ std::uint32_t bins() const { return classes.bins(); }
    template <class Index>
    __device__ __forceinline__ std::uint32_t operator()(const Index& index) const {
        return classes(in[index]);
    }
};

// How often the elements are moved: once, or by digits of the bin's number, all of about the same size.
struct split_plan {
    unsigned passes = 1;
    std::uint32_t digits;  // bins of a pass
    unsigned digit_bits = 0;

    explicit split_plan(std::uint64_t bins) : digits(static_cast<std::uint32_t>(bins)) {
        if (bins <= split_most_bins) return;
        const auto bits = unsigned(std::bit_width(bins - 1));
        passes = (bits + split_digit_bits - 1) / split_digit_bits;
        digit_bits = (bits + passes - 1) / passes;
        digits = 1u << digit_bits;
    }
};
static_assert((1u << split_digit_bits) <= split_most_bins);

inline std::uint64_t most_stretches(const executor& ex) {
    return std::uint64_t(ex.multiprocessors()) * split_blocks_per_multiprocessor;
}

// Scratch of a call: that of the scans, and as plain scratch counts by bin and stretch, and up to two arrays
// of elements between passes.
struct split_scratch {
    std::size_t counts_at = 0, elements_at = 0, array_bytes = 0, bytes = 0;

    split_scratch(const executor& ex, std::uint64_t n, std::uint64_t bins, std::size_t element) {
        const split_plan plan(bins);
        const std::uint64_t counts = plan.digits * most_stretches(ex);
        counts_at = aligned(count_scan_bytes(std::max(bins, counts)));
        elements_at = aligned(counts_at + counts * sizeof(std::uint64_t));
        array_bytes = aligned(n * element);
        bytes = elements_at + std::min(plan.passes - 1, 2u) * array_bytes;
    }

  private:
    static std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }
};

template <moving What, class Out, class In, class Classes>
class split_launch {
  public:
    // Elements that lie in scratch between passes.
    using Passed = std::conditional_t<What == moving::elements, In, Out>;

    split_launch(executor& ex, const In* in, std::uint64_t n, const std::uint64_t* length, Out* out,
                 std::uint64_t room, std::uint64_t* offsets, const Classes& classes)
        : ex_(ex),
          in_(in),
          n_(n),
          length_(length),
          out_(out),
          room_(room),
          offsets_(offsets),
          classes_(classes) {}

    void run() {
        const std::uint64_t bins = classes_.bins();
        if (n_ == 0) {
            check(cudaMemsetAsync(offsets_, 0, (bins + 1) * sizeof *offsets_, ex_.stream()),
                  "clearing the offsets");
            return;
        }
        const split_scratch layout(ex_, n_, bins, sizeof(Passed));
        const executor::scratch for_scans = ex_.take_scratch(layout.counts_at);
        const executor::scratch taken =
            ex_.take_plain_scratch(layout.bytes - layout.counts_at, layout.counts_at);
        for_scans_ = for_scans.data;
        counts_ = static_cast<std::uint64_t*>(taken.data);
        elements_ = static_cast<char*>(taken.data) + (layout.elements_at - layout.counts_at);
        if (split_plan(bins).passes == 1)
            pass<What>(in_, n_, length_, out_, room_, offsets_, classes_);
        else
            several_passes(layout);
        ex_.release_scratch(taken);
        ex_.release_scratch(for_scans);
        check(cudaGetLastError(), "launching an extraction of bins");
    }

  private:
    // From the array `in` to the array `out`, by bins of `classes`, whose offsets it stores.
    template <moving Moved, class From, class To, class By>
    void pass(const From* in, std::uint64_t n, const std::uint64_t* length, To* out, std::uint64_t room,
              std::uint64_t* offsets, const By& classes) {
        using arguments = split_arguments<Moved, To, From, By>;
        using shape = split_shape<arguments>;
        const std::uint64_t least = (n - 1) / most_stretches(ex_) + 1;
        const std::uint64_t each = (least + shape::tile - 1) / shape::tile * shape::tile;
        const auto stretches = static_cast<unsigned>((n - 1) / each + 1);
        count_launch<From, By>(ex_, in, n, length, classes).count_apart(counts_, each);
        scan_counts(ex_, for_scans_, counts_, std::uint64_t(classes.bins()) * stretches,
                    offsets != nullptr ? offsets + classes.bins() : nullptr);

        constexpr auto kernel = &split_bins_kernel<arguments>;
        static_assert(shape::shared_bytes(split_most_bins) <= 99 << 10, "what every device has");
        const int shared = shape::shared_bytes(int(classes.bins()));
        prepare<kernel>(ex_, ex_.shared_memory(), 0);
        kernel<<<stretches, shape::threads, shared, ex_.stream()>>>(
            {in, {n, length, each}, classes, out, room, counts_, offsets});
    }
    void several_passes(const split_scratch& layout) {
        const std::uint64_t bins = classes_.bins();
        count_launch<In, Classes>(ex_, in_, n_, length_, classes_).count_all(offsets_);
        scan_counts(ex_, for_scans_, offsets_, bins, offsets_ + bins);

        const split_plan plan(bins);
        const auto passed = [&](unsigned k) {
            return reinterpret_cast<Passed*>(elements_ + (k % 2) * layout.array_bytes);
        };
        const digit_of<Classes> lowest{classes_, 0, plan.digits};
        pass<What>(in_, n_, length_, passed(0), n_, nullptr, lowest);
        // What has a bin is all that is left.
        const auto next = [&](unsigned k, auto* to, std::uint64_t room) {
            const unsigned shift = k * plan.digit_bits;
            if constexpr (What == moving::elements) {
                const digit_of<Classes> digit{classes_, shift, plan.digits};
                pass<What>(passed(k - 1), n_, offsets_ + bins, to, room, nullptr, digit);
            } else {
                const digit_of<bin_of_index<In, Classes>> digit{{in_, classes_}, shift, plan.digits};
                pass<moving::elements>(passed(k - 1), n_, offsets_ + bins, to, room, nullptr, digit);
            }
        };
        for (unsigned k = 1; k + 1 < plan.passes; ++k) next(k, passed(k), n_);
        next(plan.passes - 1, out_, room_);
    }

    executor& ex_;
    const In* in_;
    std::uint64_t n_;
    const std::uint64_t* length_;
    Out* out_;
    std::uint64_t room_;
    std::uint64_t* offsets_;
    Classes classes_;
    void* for_scans_ = nullptr;
    std::uint64_t* counts_ = nullptr;
    char* elements_ = nullptr;
};

}  // namespace upsweep::cuda::detail
