// The warps of the look-ahead scan that combine what stands to the left with each element, and store.
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/cuda/async.cuh"
#include "upsweep/cuda/bytes.cuh"
#include "upsweep/cuda/look_ahead_located.cuh"
#include "upsweep/cuda/look_ahead_ring.cuh"
#include "upsweep/cuda/runs.cuh"
#include "upsweep/cuda/storing.cuh"

#if __CUDA_ARCH__ >= 900

namespace upsweep::cuda::detail {

template <class Types, bool Exclusive>
struct look_ahead_results : look_ahead_located<Types> {
    using ring = look_ahead_ring<Types>;
    using ring::arguments, ring::n, ring::lane, ring::shared, ring::control, ring::view;
    using typename ring::shape, typename ring::Acc, typename ring::Op, typename ring::cursor,
        typename ring::unit_view, typename ring::direction;
    using located = look_ahead_located<Types>;
    using located::set_inner_parts, located::set_outer_parts, located::staged_row, located::release;
    using bytes = packed_bytes<Op, std::is_signed_v<Acc>>;

    // As many rows as registers hold are read before the wait for what stands to their left.
    static constexpr bool reads_ahead =
        sizeof(Acc) <= 8 && shape::rows_per_warp * int(sizeof(typename Types::Raw)) <= 128;

    template <bool Plain, bool Aligned, storing How, direction Way>
    __device__ __forceinline__ void scan_unit(int s, unsigned phase, const unit_view& seen, int warp,
                                              char* image) const {
        const bool reverse = this->template reversed<Way>();
        const auto combine = arguments.combine(reverse);
        constexpr int per_warp = shape::rows_per_warp;
        const int warp_row = warp * per_warp;
        typename Types::Raw raw[reads_ahead ? per_warp : 1];
        if constexpr (reads_ahead) {
#pragma unroll
            for (int k = 0; k < per_warp; ++k)
                if (Plain || warp_row + k < seen.rows)
                    raw[k] = this->template read<Plain, Aligned>(s, seen, warp_row + k, reverse);
        }
        control(s).located.wait(phase);

        const Acc start = static_cast<Acc>(arguments.start);
        const std::int64_t begin = this->line_begin(s);
        const std::int64_t first_row = seen.unit * shape::rows;
        left_parts<Acc> left;
        set_outer_parts(combine, s, first_row, warp_row, left);
#pragma unroll(sizeof(Acc) <= 8 ? per_warp : 1)
        for (int k = 0; k < per_warp; ++k) {
            const int row = warp_row + k;
            if (!Plain && row >= seen.rows) break;
            if constexpr (!reads_ahead) raw[0] = this->template read<Plain, Aligned>(s, seen, row, reverse);
            const auto& own = raw[reads_ahead ? k : 0];
            const std::uint64_t first = std::uint64_t(first_row + row) * Types::row;
            const int valid = !Plain && n - first < Types::row ? int(n - first) : Types::row;
            const bool holds_total = !Plain && arguments.total != nullptr && first + valid == n;
            set_inner_parts(combine, s, first_row, row, k > 0, left);
            const auto store = [&](const auto& words) {
                char* to = image;
                if constexpr (shape::in_place)
                    to = staged_row(s, row, Plain ? shape::rows : seen.rows, reverse);
                store_row<How, Types::items>(arguments.out + begin, n, reverse, first, valid, words, to,
                                             lane);
            };
            if constexpr (packs_bytes<Types>) {
                if (!holds_total) {
                    const Acc before = join_free(combine, left, start);
                    store(bytes::template scan<Exclusive>(own.words, static_cast<std::uint32_t>(before),
                                                          reverse));
                    continue;
                }
            }
            Acc x[Types::items];
            load_accumulators<typename Types::Total>(own, arguments.load, reverse, x);
            if (holds_total) store_total(arguments, combine, left, x, valid - 1, lane);
            scan_run<Exclusive>(combine, left, start, x);
            store(pack_results<typename Types::Out, typename Types::Total>(x, arguments.store, reverse));
        }
    }

    // The same for elements that do not fit into registers by runs.
    __device__ __forceinline__ void scan_unit_by_element(int s, unsigned phase, const unit_view& seen,
                                                         int warp, char* image, bool in_stage) const {
        using Out = typename Types::Out;
        using Nominal = typename Types::Total;
        constexpr int out_size = int(sizeof(Out));
        const bool reverse = arguments.reverse;
        const auto combine = arguments.combine(reverse);
        control(s).located.wait(phase);

        const std::int64_t first_row = seen.unit * shape::rows;
        const int warp_row = warp * shape::rows_per_warp;
        left_parts<Acc> left;
        set_outer_parts(combine, s, first_row, warp_row, left);
#pragma unroll 1
        for (int k = 0; k < shape::rows_per_warp; ++k) {
            const int row = warp_row + k;
            if (row >= seen.rows) break;
            set_inner_parts(combine, s, first_row, row, k > 0, left);
            const std::uint64_t first = std::uint64_t(first_row + row) * Types::row;
            const int valid = n - first < Types::row ? int(n - first) : Types::row;
            char* out = reinterpret_cast<char*>(arguments.out) +
                        (reverse ? n - first - Types::row : first) * std::uint64_t(out_size);
            if constexpr (Types::has_lines) out += this->line_begin(s) * out_size;
            const int shift = int(reinterpret_cast<std::uintptr_t>(out) % 16);
            const bool aligned = out_size % 16 != 0 || shift == 0;
            char* to = out;
            if constexpr (shape::in_place) {
                if (in_stage) to = staged_row(s, row, seen.rows, reverse) + shift;
            } else {
                to = image + shift;
            }
            const bool direct = shape::in_place && !in_stage;
            Acc within{};
#pragma unroll 1
            for (int m = 0; m < Types::items; ++m) {
                const Acc x = this->element(s, seen, row, m, reverse);
                Acc result;
                if constexpr (Exclusive) {
                    const auto start = static_cast<Acc>(arguments.start);
                    if (m > 0)
                        result = join_left(combine, left, within);
                    else if (!join_parts(combine, left, result))
                        result = start;
                    result = combine.exclusive(result, x, start);
                    within = m > 0 ? combine(within, x) : x;
                } else {
                    within = m > 0 ? combine(within, x) : x;
                    result = join_left(combine, left, within);
                }
                const int index = lane * Types::items + m;
                if (arguments.total != nullptr && first + index + 1 == n) {
                    *arguments.total =
                        static_cast<Nominal>(Exclusive ? join_left(combine, left, within) : result);
                }
                if (!direct || index < valid) {
                    store_element(to + (reverse ? Types::row - 1 - index : index) * out_size,
                                  convert<Out>(arguments.store(convert<Nominal>(result))), aligned && !direct,
                                  lane);
                }
            }
            __syncwarp();
            if (!direct) store_image<Types::row, Out>(out, to, reverse, valid, lane);
        }
    }
    // Whether rows of results lie in memory as those of the first input do, as 16 bytes go.
    __device__ __forceinline__ bool shares_stage() const {
        return shape::in_place && (reinterpret_cast<std::uintptr_t>(arguments.in[0]) -
                                   reinterpret_cast<std::uintptr_t>(arguments.out)) %
                                          16 ==
                                      0;
    }
    // One unit, on the quickest path that its rows and arrays allow.
    __device__ __forceinline__ void scan_unit_by_runs(int s, unsigned phase, const unit_view& seen, int warp,
                                                      char* image, bool in_stage) const {
        constexpr storing best = best_storing<typename Types::Out, Types::items>;
        constexpr storing shifted = shifting<typename Types::Out, Types::items>;
        const bool direct = best == storing::direct
                                ? stores_directly<typename Types::Out, Types::items>(
                                      arguments.out + this->line_begin(s), n, arguments.reverse)
                                : !shape::in_place || in_stage;
        const bool shifts = shifted != storing::staged || !shape::in_place || in_stage;
        const bool quick = seen.plain && seen.aligned && direct;
        if (quick && !arguments.reverse)
            scan_unit<true, true, best, direction::forward>(s, phase, seen, warp, image);
        else if (quick)
            scan_unit<true, true, best, direction::backward>(s, phase, seen, warp, image);
        else if (seen.plain && shifts && !arguments.reverse)
            scan_unit<true, false, shifted, direction::forward>(s, phase, seen, warp, image);
        else if (seen.plain && shifts)
            scan_unit<true, false, shifted, direction::backward>(s, phase, seen, warp, image);
        else if (shape::in_place && !in_stage)
            scan_unit<false, false, storing::scattered, direction::either>(s, phase, seen, warp, image);
        else
            scan_unit<false, false, storing::staged, direction::either>(s, phase, seen, warp, image);
    }

    __device__ void scan(int warp) const {
        char* image = shared + shape::images_at + warp * shape::image_bytes;
        [[maybe_unused]] const bool all_in_stage = shares_stage();
        cursor at;
        for (;; at.advance()) {
            const int s = at.stage;
            control(s).full.wait(at.phase);
            const unit_view seen = view(s);
            if (seen.unit < 0) return;
            [[maybe_unused]] const bool in_stage = [&] {
                if constexpr (Types::has_lines)
                    return control(s).in_stage;
                else
                    return all_in_stage;
            }();
            if constexpr (shape::by_element) {
                scan_unit_by_element(s, at.phase, seen, warp, image, in_stage);
            } else {
                scan_unit_by_runs(s, at.phase, seen, warp, image, in_stage);
            }
            release(s);
        }
    }
};

}  // namespace upsweep::cuda::detail

#endif
