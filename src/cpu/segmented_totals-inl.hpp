// Totals of long segments by the tree: rows are folded as for a scan (segmented_kernels-inl.hpp), and then
// each total is a look at the items and the runs of where its segment ends. No branch depends on where that
// is.

#if defined(UPSWEEP_SEGMENTED_TOTALS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_SEGMENTED_TOTALS_INL_HPP
#undef UPSWEEP_SEGMENTED_TOTALS_INL_HPP
#else
#define UPSWEEP_SEGMENTED_TOTALS_INL_HPP
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/cpu/segmented_kernels-inl.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/kernels.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

template <class T, class Op>
struct segmented_totals {
    using scans = segmented_tree<T, Op>;
    using layout = tree_layout<T>;
    static constexpr std::size_t width = scans::width;
    static constexpr std::size_t step = scans::step;

    static HWY_ATTR void fold_long(const T* x, std::size_t n, const std::uint32_t* ends, std::size_t count,
                                   T* results, segment_state<T>& state, const input_ahead& ahead) {
        HWY_ALIGN T folded[layout::group_size];
        HWY_ALIGN T totals[width * layout::totals_stride];
        HWY_ALIGN T row_totals[width];
        T rows_before[width];
        std::uint64_t heads[core::tile_size / 64] = {};
        for (std::size_t k = 0; k < count; ++k)
            if (ends[k] != n) heads[ends[k] / 64] |= std::uint64_t{1} << (ends[k] % 64);
        const segment_state<T> left = state;
        std::size_t begin = ~std::size_t{0};  // of the segment, in no row or run of these
        std::size_t k = 0;
        for (std::size_t first = 0; first < n; first += layout::group_size) {
            const std::size_t size = std::min(n - first, layout::group_size);
            scans::template fold_group<false>(x, first, size, n, heads, folded, totals, row_totals, nullptr,
                                              ahead);
            for (std::size_t r = 0; r * core::row_size < size; ++r) {
                rows_before[r] = state.rows;
                if ((r + 1) * core::row_size > size) break;
                const bool begins = scans::heads_of(heads, first + r * core::row_size, n).any();
                const T rows = Op()(state.rows, row_totals[r]);
                state.rows = begins ? row_totals[r] : rows;  // which nobody can foretell
            }
            for (; k < count && ends[k] <= first + size; ++k) {
                const std::size_t last = ends[k] - 1;
                const std::size_t i = last - first;
                const std::size_t r = i / core::row_size;
                const std::size_t run = i % core::row_size / core::run_size;
                const std::size_t lane = layout::template lane_of<false>(run % width);
                const T items = folded[i / step * step + i % core::run_size * width + lane];
                const T runs = totals[r * layout::totals_stride + run / width * width + lane];
                const T nested = begin / core::run_size == last / core::run_size ? items : Op()(runs, items);
                const T outer = Op()(rows_before[r], nested);
                results[k] = begin / core::row_size == last / core::row_size ? nested : outer;
                begin = ends[k];
            }
        }
        if (count == 0) return;
        results[0] = Op()(left.supers, Op()(left.tiles, results[0]));
        if (ends[count - 1] == n) {  // the next element's
            state.rows = Op::template identity<T>();
            if (count == 1) return;
        }
        state.supers = state.tiles = Op::template identity<T>();
        state.has_head = true;
    }

    static constexpr segmented_kernels<T> table{&scans::scan_rows, &scans::fold_rows, &fold_long};
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
