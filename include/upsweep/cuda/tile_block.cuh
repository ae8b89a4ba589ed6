// One tile by one block: its geometry, and the steps that look-back and reduce-then-scan (tile_scan.cuh)
// share.
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/cuda/arguments.cuh"
#include "upsweep/cuda/runs.cuh"
#include "upsweep/cuda/storing.cuh"

namespace upsweep::cuda {

template <class Types>
struct tile_shape {
    using Acc = typename Types::Acc;

    static constexpr int align16(int bytes) { return (bytes + 15) / 16 * 16; }
    static constexpr int widest_row = Types::row * Types::widest;

    static constexpr int warps = widest_row <= 2048 ? 8 : 4;
    static constexpr int threads = 32 * warps;
    static constexpr int rows_per_warp = 32 / warps;
    // Whether a lane keeps its runs in registers between the two passes over the tile, or reads them again.
    static constexpr bool keeps = rows_per_warp * int(sizeof(typename Types::Raw)) <= 128;
    static constexpr int blocks_per_multiprocessor = widest_row <= 1024 ? 4 : 1;

    static constexpr int image_bytes = align16(widest_row + 32);
    static constexpr int images_at = 0;
    static constexpr int totals_at = images_at + warps * image_bytes;
    static constexpr int row_folds_at = totals_at + align16(32 * run_totals<Acc>::line);
    static constexpr int parts_at = row_folds_at + align16(32 * int(sizeof(Acc)));  // S and T
    static constexpr int scratch_at = parts_at + align16(2 * int(sizeof(Acc)));
    static constexpr int ticket_at = scratch_at + align16(2 * run_totals<Acc>::line);
    static constexpr int shared_bytes = ticket_at + 16;

    static constexpr std::uint64_t tile_count(std::uint64_t n) { return (n + Types::tile - 1) / Types::tile; }
    static constexpr std::uint64_t super_count(std::uint64_t n) { return (tile_count(n) + 31) / 32; }
    // Tagged words of a look-back: a total a tile, a total and a prefix a super.
    static constexpr std::uint64_t published_words(std::uint64_t n) {
        return (even(tile_count(n)) + even(super_count(n)) + super_count(n) + 1) * words_for<sizeof(Acc)>;
    }
    static constexpr std::uint64_t even(std::uint64_t count) { return (count + 1) / 2 * 2; }
    // Bytes of a reduce-then-scan: a value a tile, which is its total and then T, and one a super.
    static constexpr std::uint64_t fold_bytes(std::uint64_t n) {
        return (tile_count(n) + super_count(n)) * sizeof(Acc);
    }
};

// The folds of a reduce-then-scan in the workspace.
template <class Acc>
struct tile_folds {
    Acc* tiles;   // the total of each tile, then the fold of those before it in its super
    Acc* supers;  // the total of each super, then S: everything before it
};

namespace detail {

template <class Types>
struct tile_block {
    using shape = tile_shape<Types>;
    using Acc = typename Types::Acc;
    using Op = typename Types::Op;

    const scan_arguments<Types>& arguments;
    char* shared;
    std::uint64_t n;
    std::uint64_t tile;
    int warp, lane;

    typename Types::Raw kept[shape::keeps ? shape::rows_per_warp : 1];

    __device__ __forceinline__ char* image() const {
        return shared + shape::images_at + warp * shape::image_bytes;
    }
    __device__ __forceinline__ run_totals<Acc> totals() const { return {shared + shape::totals_at}; }
    __device__ __forceinline__ Acc* row_folds() const {
        return reinterpret_cast<Acc*>(shared + shape::row_folds_at);
    }
    __device__ __forceinline__ Acc* parts() const { return reinterpret_cast<Acc*>(shared + shape::parts_at); }
    __device__ __forceinline__ std::uint64_t first_item(int row) const {
        return tile * Types::tile + std::uint64_t(row) * Types::row;
    }
    // Elements of a row that exist: 0 to Types::row.
    __device__ __forceinline__ int valid_items(int row) const {
        const std::uint64_t first = first_item(row);
        return first >= n ? 0 : n - first < Types::row ? int(n - first) : Types::row;
    }
    __device__ __forceinline__ int valid_rows() const {
        const std::uint64_t left = n - first_item(0);
        return left >= Types::tile ? 32 : int((left + Types::row - 1) / Types::row);
    }

    template <int k, class Raw>
    __device__ __forceinline__ void read_raw(Raw& raw, int row, int valid) const {
        constexpr int size = Types::element_size[k];
        constexpr int alignment = Types::element_alignment[k];
        constexpr int run_bytes = Types::items * size;
        const std::uint64_t first = first_item(row);
        const char* begin = static_cast<const char*>(arguments.in[k]) +
                            (arguments.reverse ? n - first - valid : first) * std::uint64_t(size);
        const int slot = arguments.reverse ? 31 - lane : lane;
        const bool aligned = reinterpret_cast<std::uintptr_t>(begin) % access_size<run_bytes> == 0;
        if (run_bytes <= 32 && aligned && valid == Types::row) {
            using whole = typename unit_of<access_size<run_bytes>>::type;
            whole pieces[run_bytes / sizeof(whole)];
#pragma unroll
            for (int p = 0; p < int(run_bytes / sizeof(whole)); ++p)
                pieces[p] = reinterpret_cast<const whole*>(begin + slot * run_bytes)[p];
            std::memcpy(&raw.words, pieces, run_bytes);
        } else {
            const int missing = (Types::row - valid) * size;
            const int before = arguments.reverse ? missing : 0;
            const int shift = int((reinterpret_cast<std::uintptr_t>(begin) - std::uintptr_t(before)) & 15);
            char* slots = image() + shift;
            copy_bytes<alignment>(slots + before, begin, std::int64_t(valid) * size, lane);
            if (missing != 0) {
                // The rest of the row repeats its last element, so that operators meet no other values.
                using piece = typename unit_of<(alignment < 16 ? alignment : 16)>::type;
                const char* last = arguments.reverse ? begin : begin + std::int64_t(valid - 1) * size;
                char* fill = arguments.reverse ? slots : slots + std::int64_t(valid) * size;
                for (int at = lane * int(sizeof(piece)); at < missing; at += 32 * int(sizeof(piece)))
                    *reinterpret_cast<piece*>(fill + at) = *reinterpret_cast<const piece*>(last + at % size);
            }
            __syncwarp();
            raw.words = read_run<run_bytes, alignment>(slots + slot * run_bytes,
                                                       shift % access_size<run_bytes> == 0, lane);
            __syncwarp();
        }
        if constexpr (k + 1 < Types::inputs) read_raw<k + 1>(raw.rest, row, valid);
    }
    __device__ __forceinline__ typename Types::Raw read(int row, int valid) const {
        typename Types::Raw raw;
        read_raw<0>(raw, row, valid);
        return raw;
    }

    // Folds this warp's runs into `totals`.
    __device__ __forceinline__ void sum_runs() {
        const auto combine = arguments.combine();
        if constexpr (shape::keeps) {
#pragma unroll
            for (int k = 0; k < shape::rows_per_warp; ++k) {
                const int row = warp * shape::rows_per_warp + k, valid = valid_items(row);
                if (valid != 0) kept[k] = read(row, valid);
            }
        }
#pragma unroll
        for (int k = 0; k < shape::rows_per_warp; ++k) {
            const int row = warp * shape::rows_per_warp + k, valid = valid_items(row);
            if (valid == 0) continue;
            if constexpr (!shape::keeps) kept[0] = read(row, valid);
            Acc x[Types::items];
            load_accumulators<typename Types::Total>(kept[shape::keeps ? k : 0], arguments.load,
                                                     arguments.reverse, x);
            totals().store(row, lane, fold_run(combine, x));
        }
    }

    // By one warp: folds rows, and returns the tile's total in every lane, if the tile is full.
    __device__ __forceinline__ Acc fold_rows() const {
        const auto combine = arguments.combine();
        const bool exists = lane < valid_rows();
        Acc total{};
        if (exists) total = fold_runs(combine, totals(), lane);
        // Lanes without a row take another's value, so that operators meet no values but the scan's.
        const Acc fold = fold_lanes(combine, shuffle(total, exists ? lane : 0), lane);
        if (exists) row_folds()[lane] = fold;
        return shuffle(fold, 31);
    }

    // Scans this warp's rows; S and T are in parts().
    template <bool Exclusive>
    __device__ __forceinline__ void scan_rows() const {
        const auto combine = arguments.combine();
        left_parts<Acc> left;
        set_part(
            combine, arguments.has_initial || tile / 32 > 0, [&] { return parts()[0]; }, left.supers,
            left.has_supers);
        set_part(
            combine, tile % 32 > 0, [&] { return parts()[1]; }, left.tiles, left.has_tiles);
        constexpr storing best = best_storing<typename Types::Out, Types::items>;
        const bool direct = best == storing::direct && stores_directly<typename Types::Out, Types::items>(
                                                           arguments.out, n, arguments.reverse);
#pragma unroll
        for (int k = 0; k < shape::rows_per_warp; ++k) {
            const int row = warp * shape::rows_per_warp + k, valid = valid_items(row);
            if (valid == 0) continue;
            set_part(
                combine, row > 0, [&] { return row_folds()[row - 1]; }, left.rows, left.has_rows);
            set_part(
                combine, lane > 0, [&] { return totals().load(row, lane - 1); }, left.runs, left.has_runs);
            Acc x[Types::items];
            if constexpr (shape::keeps)
                load_accumulators<typename Types::Total>(kept[k], arguments.load, arguments.reverse, x);
            else
                load_accumulators<typename Types::Total>(read(row, valid), arguments.load, arguments.reverse,
                                                         x);
            if (arguments.total != nullptr && first_item(row) + valid == n)
                store_total(arguments, combine, left, x, valid - 1, lane);
            scan_run<Exclusive>(combine, left, static_cast<Acc>(arguments.start), x);
            const auto words = pack_results<typename Types::Out, typename Types::Total>(x, arguments.store,
                                                                                        arguments.reverse);
            const auto store = [&](auto how) {
                store_row<decltype(how)::value, Types::items>(arguments.out, n, arguments.reverse,
                                                              first_item(row), valid, words, image(), lane);
            };
            if (direct && valid == Types::row)
                store(std::integral_constant<storing, best>{});
            else
                store(std::integral_constant<storing, storing::staged>{});
        }
    }
};

}  // namespace detail

}  // namespace upsweep::cuda
