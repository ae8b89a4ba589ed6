// From typed arguments to the kernels of an extraction of bins: elements are counted by bin, the counts are
// scanned, which gives the offsets, and the elements are moved, once or digit by digit of their bins'
// numbers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "upsweep/cuda/count_launch.cuh"
#include "upsweep/cuda/count_scan.hpp"
#include "upsweep/cuda/digit_starts.hpp"
#include "upsweep/cuda/executor.hpp"
#include "upsweep/cuda/held_scratch.hpp"
#include "upsweep/cuda/launch.cuh"
#include "upsweep/cuda/split_bins.cuh"
#include "upsweep/cuda/tuning.hpp"

namespace upsweep::cuda::detail {

// Digits of the numbers of bins of `Classes`; what has no bin has none.
template <class Classes>
struct digit_of {
    Classes classes;
    unsigned shift;
    std::uint32_t mask, count;
    [[nodiscard]] __host__ __device__ std::uint32_t bins() const { return count; }
    template <class In>
    __device__ __forceinline__ std::uint32_t operator()(const In& x) const {
        return digit(classes(x));
    }
    template <class Use>
    __device__ __forceinline__ void in_one_way(const Use& use) const {
        detail::in_one_way(classes,
                           [&](const auto& bin_of) { use([&](const auto& x) { return digit(bin_of(x)); }); });
    }
    __device__ __forceinline__ std::uint32_t digit(std::uint32_t bin) const {
        return bin < classes.bins() ? (bin >> shift) & mask : no_bin;
    }
};
// The bin of the element that an index stands for.
template <class In, class Classes>
struct bin_of_index {
    const In* in;
    Classes classes;
    [[nodiscard]] __host__ __device__ std::uint32_t bins() const { return classes.bins(); }
    template <class Index>
    __device__ __forceinline__ std::uint32_t operator()(const Index& index) const {
        return classes(in[index]);
    }
};

// The bin of a value that is on its way.
struct bin_of_numbered {
    std::uint32_t count;
    [[nodiscard]] __host__ __device__ std::uint32_t bins() const { return count; }
    template <class T>
    __device__ __forceinline__ std::uint32_t operator()(const numbered<T>& x) const {
        return x.bin;
    }
};

// How often the elements are moved: once, or by digits of the bin's number, all of about the same size.
struct split_plan {
    unsigned passes, digit_bits;

    explicit split_plan(std::uint64_t bins) {
        const auto bits = unsigned(std::bit_width(bins - 1));
        passes = std::max((bits + split_digit_bits - 1) / split_digit_bits, 1u);
        digit_bits = (bits + passes - 1) / passes;
    }
};
static_assert(most_digit_places * split_digit_bits >= 32);

// Scratch of a call: that of the scan; as plain scratch what is cleared, which are the launches' tickets,
// counts of few bins, where digits begin and what tiles tell each other; where portions leave off; and up to
// two arrays of elements between passes.
struct split_scratch {
    split_plan plan;
    std::uint64_t portions;
    digit_counts_layout counts;
    std::size_t tickets_at, bin_counts_at, digit_starts_at, counts_at, cleared_end, portion_starts_at;
    std::size_t arrays_at;
    std::size_t array_bytes, bytes;

    // `tile`: of the pass whose tiles are smallest.
    split_scratch(std::uint64_t n, std::uint64_t bins, std::size_t element, int tile)
        : plan(bins),
          portions(n == 0 ? 0 : (n - 1) / digit_portion + 1),
          counts((std::min(n, digit_portion) + tile - 1) / tile, plan.passes * portions) {
        tickets_at = plan.passes == 1 ? launch_state_bytes : aligned(count_scan_bytes(bins));
        bin_counts_at = aligned(tickets_at + plan.passes * portions * sizeof(unsigned));
        digit_starts_at =
            aligned(bin_counts_at + (plan.passes == 1 ? (bins + 1) * sizeof(std::uint64_t) : 0));
        counts_at = aligned(digit_starts_at + digit_starts_bytes(plan.passes - 1));
        cleared_end = counts_at + counts.bytes;
        portion_starts_at = aligned(cleared_end);
        arrays_at = aligned(portion_starts_at + 2 * split_most_bins * sizeof(std::uint64_t));
        array_bytes = aligned(n * element);
        bytes = arrays_at + std::min(plan.passes - 1, 2u) * array_bytes;
    }

  private:
    static std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }
};

// The types of an extraction's passes. `Beside`: of values.
template <moving What, class Out, class In, class Beside = In>
struct split_types {
    // Elements that lie in scratch between passes.
    using Passed = std::conditional_t<What == moving::elements, In,
                                      std::conditional_t<What == moving::values, numbered<Out>, Out>>;

    static split_scratch scratch(std::uint64_t n, std::uint64_t bins) {
        constexpr int only = split_shape<What, Out, In, Beside>::tile;
        constexpr int least = std::min({split_shape<What, Passed, In, Beside>::tile,
                                        split_shape<moving::elements, Passed, Passed>::tile,
                                        split_shape<moving::elements, Out, Passed>::tile});
        return {n, bins, sizeof(Passed), split_plan(bins).passes == 1 ? only : least};
    }
};

template <moving What, class Out, class In, class Classes, class Beside = In>
class split_launch {
    using types = split_types<What, Out, In, Beside>;
    using Passed = typename types::Passed;

  public:
    // `beside`: of values.
    split_launch(executor& ex, const In* in, const Beside* beside, std::uint64_t n,
                 const std::uint64_t* length, Out* out, std::uint64_t room, std::uint64_t* offsets,
                 const Classes& classes)
        : ex_(ex),
          in_(in),
          beside_(beside),
          n_(n),
          length_(length),
          out_(out),
          room_(room),
          offsets_(offsets),
          classes_(classes),
          layout_(types::scratch(n, classes.bins())) {}

    void run() {
        if (n_ == 0) {
            check(cudaMemsetAsync(offsets_, 0, (classes_.bins() + std::uint64_t{1}) * sizeof *offsets_,
                                  ex_.stream()),
                  "clearing the offsets");
            return;
        }
        const std::size_t for_scan = layout_.tickets_at;
        held_scratch plain(ex_, ex_.take_plain_scratch(layout_.bytes - for_scan, for_scan));
        run_in(plain.data());
        plain.release();
    }
    // The same of some elements, in plain scratch beside which there is some for the scan.
    void run_in(char* plain) {
        const std::uint64_t bins = classes_.bins();
        const split_plan& plan = layout_.plan;
        const std::size_t for_scan = layout_.tickets_at;
        plain_ = plain;
        check(cudaMemsetAsync(plain_, 0, layout_.cleared_end - for_scan, ex_.stream()),
              "clearing the counts of tiles");
        count_launch<In, Classes> counts(ex_, in_, n_, length_, classes_);
        if (plan.passes == 1) {
            counts.find_offsets(offsets_, at<std::uint64_t>(layout_.bin_counts_at));
            pass<What>(0, in_, length_, classes_, out_, room_, {offsets_, 0});
        } else {
            counts.count(offsets_);
            find_digit_starts(ex_, offsets_, bins, plan.digit_bits, plan.passes - 1,
                              at<std::uint64_t>(layout_.digit_starts_at));
            held_scratch tagged(ex_, ex_.take_scratch(for_scan));
            scan_counts(ex_, tagged.data(), offsets_, bins, offsets_ + bins);
            tagged.release();
            several_passes();
        }
        check(cudaGetLastError(), "launching an extraction of bins");
    }

  private:
    template <class T>
    T* at(std::size_t bytes) const {
        return reinterpret_cast<T*>(plain_ + (bytes - layout_.tickets_at));
    }
    // Where the bins of a pass begin in its result: values[bin << shift].
    struct bin_starts {
        const std::uint64_t* values;
        unsigned shift;
    };

    // From the array `in` to the array `out`, by bins of `classes`.
    template <moving Moved, class From, class To, class By>
    void pass(unsigned number, const From* in, const std::uint64_t* length, const By& classes, To* out,
              std::uint64_t room, const bin_starts& starts) {
        using beside = std::conditional_t<Moved == moving::values, Beside, From>;
        using arguments = split_arguments<Moved, To, From, By, beside>;
        using shape = typename arguments::shape;
        constexpr auto kernel = &split_bins_kernel<arguments>;
        prepare<kernel>(ex_, shape::shared_bytes, 0);
        const beside* lying = nullptr;
        if constexpr (Moved == moving::values) lying = beside_;
        arguments made{in,
                       lying,
                       {n_, length},
                       classes,
                       out,
                       room,
                       starts.values,
                       starts.shift,
                       at<std::uint64_t>(layout_.portion_starts_at),
                       0,
                       0,
                       0,
                       nullptr,
                       {}};
        for (unsigned portion = 0; portion < layout_.portions; ++portion) {
            made.first = portion * digit_portion;
            made.portion = portion;
            made.launch = static_cast<unsigned>(number * layout_.portions + portion);
            made.ticket = at<unsigned>(layout_.tickets_at) + made.launch;
            made.counts = layout_.counts.at(at<char>(layout_.counts_at), made.launch);
            const std::uint64_t tiles = (std::min(n_ - made.first, digit_portion) - 1) / shape::tile + 1;
            const auto blocks =
                static_cast<unsigned>(std::min(tiles, std::uint64_t(ex_.multiprocessors()) *
                                                          std::uint64_t(split_blocks_per_multiprocessor)));
            kernel<<<blocks, shape::threads, shape::shared_bytes, ex_.stream()>>>(made);
        }
    }
    void several_passes() {
        const std::uint64_t bins = classes_.bins();
        const split_plan& plan = layout_.plan;
        const auto passed = [&](unsigned k) {
            return reinterpret_cast<Passed*>(at<char>(layout_.arrays_at + k % 2 * layout_.array_bytes));
        };
        const auto digit = [&](unsigned k, const auto& classes) {
            const unsigned shift = k * plan.digit_bits;
            const bool is_last = k + 1 == plan.passes;
            const auto count =
                is_last ? static_cast<std::uint32_t>((bins - 1) >> shift) + 1 : 1u << plan.digit_bits;
            return digit_of<std::decay_t<decltype(classes)>>{classes, shift, is_last ? ~0u : count - 1,
                                                             count};
        };
        // What tiles told is known by the launch's number modulo 3. All launches of a pass tell it, but the
        // last ones, where the device knows of fewer elements; so what an earlier pass told might pass for
        // this one's.
        const bool clears = plan.passes * layout_.portions > 3;
        const auto starts = [&](unsigned k) {
            const auto* const found = at<std::uint64_t>(layout_.digit_starts_at) + (k << plan.digit_bits);
            return k + 1 == plan.passes ? bin_starts{offsets_, k * plan.digit_bits} : bin_starts{found, 0};
        };
        pass<What>(0, in_, length_, digit(0, classes_), passed(0), n_, starts(0));
        // What has a bin is all that is left.
        const auto next = [&](unsigned k, auto* to, std::uint64_t room) {
            if (clears)
                check(cudaMemsetAsync(at<char>(layout_.counts_at + layout_.counts.tiles_at), 0,
                                      layout_.counts.bytes - layout_.counts.tiles_at, ex_.stream()),
                      "clearing the counts of tiles");
            if constexpr (What == moving::elements)
                pass<What>(k, passed(k - 1), offsets_ + bins, digit(k, classes_), to, room, starts(k));
            else if constexpr (What == moving::values)
                pass<moving::elements>(k, passed(k - 1), offsets_ + bins,
                                       digit(k, bin_of_numbered{classes_.bins()}), to, room, starts(k));
            else
                pass<moving::elements>(k, passed(k - 1), offsets_ + bins,
                                       digit(k, bin_of_index<In, Classes>{in_, classes_}), to, room,
                                       starts(k));
        };
        for (unsigned k = 1; k + 1 < plan.passes; ++k) next(k, passed(k), n_);
        next(plan.passes - 1, out_, room_);
    }

    executor& ex_;
    const In* in_;
    const Beside* beside_;
    std::uint64_t n_;
    const std::uint64_t* length_;
    Out* out_;
    std::uint64_t room_;
    std::uint64_t* offsets_;
    Classes classes_;
    split_scratch layout_;
    char* plain_ = nullptr;
};

}  // namespace upsweep::cuda::detail
