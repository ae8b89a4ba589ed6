// Totals by bin of arrays in CUDA device memory: histograms in which every element counts for a value of its
// own (numpy.histogram's weights).
//
//     bin_totals:      totals[b] = the total of values[i], in order of i, with find_bin(bins, in[i]) == b
//     bin_totals_by:   totals[b] = the same of those with f(in[i]) == b
//
// Of a bin without elements it is the initial value, or else the operator's identity. Bins are those of
// histogram.cuh, and what has none is left out. With options.initial, every bin starts from it. Values are
// accumulated in the type that reduce takes for them, or the one that is named:
// bin_totals<double>(executor, in, floats, totals, range).
//
// Bits: those of the CPU's (upsweep/bin_totals.hpp): totals[b] has those of reduce over bin b's values alone,
// one behind the other, so that they are the same on every device and from run to run, as sums of floats by
// atomic additions are not.
// Shapes: in is a device span of n >= 0 elements of any trivially copyable type, values one of as many, of
// any such type too; totals one with an element for each bin, of which there are fewer than 2^32. Operators
// are called on the device and passed by value, as f is, which is asked up to three times for an element;
// where it does not always answer the same, totals are any. As the host does not know which bins are empty,
// an operator without an identity needs an initial value. The calls return when the work is in the executor's
// stream.
// Aliasing: totals overlaps none of in, values, edges and options.length. in and values may be the same.
// Errors: upsweep::error names the argument; nothing has been enqueued then. Complexity: that of bin_values
// (bins.cuh), of which the last pass goes to scratch, a read of these and a write of totals; O(n + bins).
// Scratch in the executor: that of bin_values or, where that is more, an accumulator for each 128 values and
// two and 16 bytes for each bin; n values, and 8 bytes a bin. Of integers that are summed,
// combined bit by bit or compared, into as many bins as a block has cells for (58111 of 32 bits with compute
// capability 9.0), instead one read of in and values, and 8 bytes of scratch a bin at most. Source: that of
// bins.cuh, and docs/numerics.md for the grouping; of cells in shared memory that of histogram.cuh.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "upsweep/concepts.hpp"
#include "upsweep/core/accumulator.hpp"
#include "upsweep/core/known_operator.hpp"
#include "upsweep/cuda/bin_folds.cuh"
#include "upsweep/cuda/bin_tables.cuh"
#include "upsweep/cuda/bins.cuh"
#include "upsweep/cuda/count_scan.hpp"
#include "upsweep/cuda/segmented_reduce.cuh"

namespace upsweep {
namespace cuda {

template <class Acc>
struct bin_totals_options {
    std::optional<Acc> initial{};           // what every bin starts from
    const std::uint64_t* length = nullptr;  // device memory: the first min(*length, n) elements only
};

namespace detail {

// What values are moved as: words of their size, where these are aligned alike.
template <class V, std::size_t Size = alignof(V) == sizeof(V) ? sizeof(V) : 0>
struct moved_value {
    using type = V;
};
template <class V>
struct moved_value<V, 1> {
    using type = std::uint8_t;
};
template <class V>
struct moved_value<V, 2> {
    using type = std::uint16_t;
};
template <class V>
struct moved_value<V, 4> {
    using type = std::uint32_t;
};
template <class V>
struct moved_value<V, 8> {
    using type = std::uint64_t;
};

// Values are moved to their bins, and each bin's are folded then.
template <class Acc, class In, class V, class Out, class Op>
struct bin_totals_types {
    using Value = register_type<Acc, Op>;
    using Moved = typename moved_value<V>::type;
    using Split = split_types<moving::values, Moved, In, Moved>;
    using Folds = bin_folds_types<Acc, Value, V, Out, Op>;

    // Scratch of a call: that of scans; as plain scratch where bins begin, the values in their order, and
    // what moves them, where afterwards is what makes the totals.
    struct scratch {
        std::uint64_t* offsets;
        Moved* values;
        char* work;
        std::size_t plain_bytes, scan_bytes;

        // Behind `data`, or behind null to know how much it is.
        scratch(char* data, std::uint64_t n, std::uint64_t bins) {
            const split_scratch split = Split::scratch(n, bins);
            scratch_layout folds(nullptr), all(data);
            bin_folds_scratch<Value>{}.place(folds, n, bins);
            scan_bytes = std::max(split.tickets_at, (count_scan_bytes(bins) + 255) / 256 * 256);
            all.take(offsets, bins + 1);
            all.take(values, n);
            all.take(work, std::max(split.bytes - split.tickets_at, folds.bytes()));
            plain_bytes = all.bytes();
        }
    };
};

// What is wrong with a call whose bins are found good, of which there are so many.
template <class In, class V, class Out, class Bins>
void check_bin_totals(executor& ex, device_span<const In> in, device_span<const V> values,
                      device_span<Out> totals, const Bins& bins, std::size_t number,
                      const std::uint64_t* length) {
    upsweep::detail::check_as_many("values", values.size(), "in", in.size());
    upsweep::detail::check_counts("totals", totals.size(), number);
    const checked_array source = checked_array::of("in", in), beside = checked_array::of("values", values),
                        target = checked_array::of("totals", totals);
    source.check(ex);
    beside.check(ex);
    check_written(ex, target, source, bins, length);
    upsweep::detail::check_disjoint(target.name, target.data, target.bytes(), beside.name, beside.data,
                                    beside.bytes());
}

// A call whose arguments are found good.
template <class Acc, class In, class V, class Out, class Op>
class bin_totals_launch {
    using types = bin_totals_types<Acc, In, V, Out, Op>;
    using Moved = typename types::Moved;
    using Folds = typename types::Folds;

  public:
    bin_totals_launch(executor& ex, device_span<const In> in, device_span<const V> values,
                      device_span<Out> totals, const Op& op, const bin_totals_options<Acc>& options)
        : ex_(ex),
          in_(in),
          initial_(options.initial),
          length_(options.length),
          given_{values.data(),
                 nullptr,
                 totals.size(),
                 totals.data(),
                 static_cast<Out>(total_of_no_values<Acc>(op, options.initial, "bins")),
                 op,
                 options.initial.has_value(),
                 options.initial ? static_cast<typename types::Value>(*options.initial)
                                 : typename types::Value{}} {
        const device_scope current(ex_);
        require_kernel<&fold_bin_rows_kernel<Folds>>(ex_, bin_lines_bytes<Folds>);
    }

    template <class Classes>
    void run(const Classes& classes) {
        const device_scope current(ex_);
        ex_.check_before_launch();
        if (in_.size() == 0) {
            fill_kernel<<<blocks_for_totals(ex_, given_.bins), totals_threads, 0, ex_.stream()>>>(
                given_.out, given_.bins, given_.empty);
            return cuda::check(cudaGetLastError(), "filling in empty bins");
        }
        if constexpr (folds_in_tables<Acc, Op>) {
            if (folded_in_tables(classes)) return;
        }
        using scratch = typename types::scratch;
        const scratch wanted(nullptr, in_.size(), classes.bins());
        held_scratch plain(ex_, ex_.take_plain_scratch(wanted.plain_bytes, wanted.scan_bytes));
        const scratch own(plain.data(), in_.size(), classes.bins());
        split_launch<moving::values, Moved, In, Classes, Moved>(
            ex_, in_.data(), reinterpret_cast<const Moved*>(given_.values), in_.size(), length_, own.values,
            in_.size(), own.offsets, classes)
            .run_in(own.work);
        given_.values = reinterpret_cast<const V*>(own.values);
        given_.offsets = own.offsets;
        fold(own.work, own.scan_bytes);
        plain.release();
        cuda::check(cudaGetLastError(), "launching totals by bin");
    }

  private:
    // Of values in their bins.
    void fold(char* plain, std::size_t scan_bytes) {
        const std::uint64_t n = in_.size(), bins = given_.bins;
        scratch_layout layout(plain);
        given_.scratch.place(layout, n, bins);
        count_bin_rows_kernel<<<blocks_for_totals(ex_, bins), totals_threads, 0, ex_.stream()>>>(given_);
        const auto scan = [&](std::uint64_t* counts) {
            held_scratch tagged(ex_, ex_.take_scratch(scan_bytes));
            scan_counts(ex_, tagged.data(), counts, bins, counts + bins);
            tagged.release();
        };
        scan(given_.scratch.rows_before);
        scan(given_.scratch.supers_before);
        const std::uint64_t most = std::uint64_t(ex_.multiprocessors()) * 16;
        const std::uint64_t blocks = (n / bin_row + bins + 31) / 32;
        fold_bin_rows_kernel<<<unsigned(std::min(blocks, most)), bin_threads, bin_lines_bytes<Folds>,
                               ex_.stream()>>>(given_);
        launch_early<&fold_bin_supers_kernel<Folds>>(ex_, blocks_for_totals(ex_, (n / bin_super + bins) * 32),
                                                     totals_threads, given_);
        launch_early<&fold_bins_kernel<Folds>>(ex_, blocks_for_totals(ex_, bins), totals_threads, given_);
    }
    template <class Classes>
    bool folded_in_tables(const Classes& classes) {
        using arguments = bin_table_arguments<Acc, In, V, Out, Op, Classes>;
        using launch = bin_tables_launch<arguments>;
        if (!launch::fits(ex_, classes.bins())) return false;
        using Cell = typename arguments::Cell;
        const auto identity = static_cast<Cell>(identity_of<Acc>(given_.op));
        const auto start = initial_ ? static_cast<Cell>(*initial_) : identity;
        launch::run(ex_, {in_.data(),
                          given_.values,
                          {in_.size(), length_},
                          classes,
                          classes.bins(),
                          0,
                          nullptr,
                          given_.out,
                          identity,
                          start});
        return true;
    }

    executor& ex_;
    device_span<const In> in_;
    std::optional<Acc> initial_;
    const std::uint64_t* length_;
    bin_folds_arguments<Folds> given_;
};

template <class Acc, class In, class V, class Out, class Op, class Bins>
void total_bins(executor& ex, device_span<const In> in, device_span<const V> values, device_span<Out> totals,
                const Bins& bins, const Op& op, const bin_totals_options<Acc>& options) {
    check_bins(ex, bins);
    check_bin_totals(ex, in, values, totals, bins, count_of(bins), options.length);
    bin_totals_launch<Acc, In, V, Out, Op> launch(ex, in, values, totals, op, options);
    with_classes<In>(ex, bins, in.size(), [&](const auto& classes) { launch.run(classes); });
}

}  // namespace detail

// Bytes of scratch that totals of up to n elements by so many bins need; never decreases with n. For
// executors that use the caller's memory.
template <class In, class V, class Out = V, class Op = plus,
          class Acc = core::accumulator_for<deduced, V, Op>>
[[nodiscard]] std::size_t bin_totals_workspace_bytes(const executor&, std::uint64_t n, std::uint64_t bins,
                                                     const Op& = {}) {
    using types = detail::bin_totals_types<Acc, In, V, Out, core::known_operator_t<Op, Acc>>;
    const typename types::scratch wanted(nullptr, n, bins);
    return wanted.scan_bytes + wanted.plain_bytes;
}

}  // namespace cuda

// By equal bins: bin_totals(executor, in, values, totals, {.lo = 0, .hi = 1, .count = 8}).
template <class Acc = deduced, cuda::binnable In, class V, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::remove_const_t<V>, Op>>
requires combines<Op, A> &&(!std::is_const_v<Out>)void bin_totals(
    cuda::executor& ex, cuda::device_span<In> in, cuda::device_span<V> values, cuda::device_span<Out> totals,
    const bin_range<cuda::binned_type<In>>& range, const Op& op = {},
    const std::type_identity_t<cuda::bin_totals_options<A>>& options = {}) {
    cuda::detail::total_bins<A, std::remove_const_t<In>, std::remove_const_t<V>>(
        ex, in, values, totals, range, core::known<A>(op), options);
}

// By edges: bin_totals(executor, in, values, totals, cuda::device_edges<float>{edges}).
template <class Acc = deduced, cuda::binnable In, class V, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::remove_const_t<V>, Op>>
requires combines<Op, A> &&(!std::is_const_v<Out>)void bin_totals(
    cuda::executor& ex, cuda::device_span<In> in, cuda::device_span<V> values, cuda::device_span<Out> totals,
    const cuda::device_edges<cuda::binned_type<In>>& edges, const Op& op = {},
    const std::type_identity_t<cuda::bin_totals_options<A>>& options = {}) {
    cuda::detail::total_bins<A, std::remove_const_t<In>, std::remove_const_t<V>>(
        ex, in, values, totals, edges, core::known<A>(op), options);
}

// By a function: f(element) is the bin of the value beside it, of as many as there are totals.
template <class Acc = deduced, class In, class V, class Out, class F, class Op = plus,
          class A = core::accumulator_for<Acc, std::remove_const_t<V>, Op>>
requires combines<Op, A> &&(!std::is_const_v<Out>)void bin_totals_by(
    cuda::executor& ex, cuda::device_span<In> in, cuda::device_span<V> values, cuda::device_span<Out> totals,
    const F& f, const Op& op = {}, const std::type_identity_t<cuda::bin_totals_options<A>>& options = {}) {
    using element = std::remove_const_t<In>;
    using value = std::remove_const_t<V>;
    if (totals.size() > detail::most_bins)
        throw_error(errc::invalid_argument, "totals: expected fewer than 2^32 bins");
    cuda::detail::check_bin_totals<element, value>(ex, in, values, totals, 0, totals.size(), options.length);
    const auto& known = core::known<A>(op);
    cuda::detail::bin_totals_launch<A, element, value, Out, core::known_operator_t<Op, A>> launch(
        ex, in, values, totals, known, options);
    if (totals.empty()) return;
    launch.run(cuda::detail::by_function<element, F>{f, static_cast<std::uint32_t>(totals.size())});
}

}  // namespace upsweep
