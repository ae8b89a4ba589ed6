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
    static constexpr int widest_row = Types::row * Types::widest_staged;

    static constexpr int warps = widest_row <= 2048 ? 8 : 4;
    static constexpr int threads = 32 * warps;
    static constexpr int rows_per_warp = 32 / warps;
    // Whether aligned rows go straight from memory to registers, where they stay between the two passes over
    // the tile, and back. Others pass through shared memory, once a pass.
    static constexpr int kept_bytes = rows_per_warp * int(sizeof(typename Types::Raw));  // of a lane's
    static constexpr bool direct = [] {
        bool small = best_storing<typename Types::Out, Types::items> == storing::direct && kept_bytes <= 256;
        for (const int size : Types::element_size) small = small && Types::items * size <= 32;
        return small;
    }();
    // That what is kept leaves registers for.
    static constexpr int blocks_per_multiprocessor = [] {
        if (direct && kept_bytes > 64) return kept_bytes > 128 ? 2 : 3;
        return widest_row <= 512 ? 6 : widest_row <= 1024 ? 4 : 1;
    }();

    static constexpr int image_bytes = align16(widest_row + 32);
    static constexpr int images_at = 0;
    static constexpr int totals_at = images_at + warps * image_bytes;
    static constexpr int row_folds_at = totals_at + align16(32 * Types::tile_runs::line);
    static constexpr int parts_at = row_folds_at + align16(32 * int(sizeof(Acc)));  // S and T
    static constexpr int scratch_at = parts_at + align16(2 * int(sizeof(Acc)));
    static constexpr int ticket_at = scratch_at + align16(2 * run_totals<Acc>::line);
    static constexpr int shared_bytes = ticket_at + 16;
    // Long arrays whose runs are single accesses are summed ahead of being scanned (tile_ahead.cuh), by
    // blocks that have run totals of two tiles.
    static constexpr bool goes_ahead = [] {
        bool small = direct && Types::items * sizeof(typename Types::Out) <= 16;
        for (const int size : Types::element_size) small = small && Types::items * size <= 16;
        return small;
    }();
    static constexpr int ahead_totals_at = shared_bytes;
    static constexpr int ahead_shared_bytes = ahead_totals_at + align16(32 * Types::tile_runs::line);
    static constexpr int ahead_blocks_per_multiprocessor = 4;

    static constexpr std::uint64_t tile_count(std::uint64_t n) { return (n + Types::tile - 1) / Types::tile; }
    static constexpr std::uint64_t super_count(std::uint64_t n) { return (tile_count(n) + 31) / 32; }
    // Tagged words of a look-back: a total a tile, a total and a prefix a super.
    static constexpr std::uint64_t published_words(std::uint64_t n) {
        return (even(tile_count(n)) + even(super_count(n)) + super_count(n) + 1) * words_for<sizeof(Acc)>;
    }
    static constexpr std::uint64_t tile_bytes = [] {  // read and written
        std::uint64_t bytes = sizeof(typename Types::Out);
        for (const int size : Types::element_size) bytes += std::uint64_t(size);
        return bytes * Types::tile;
    }();
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
    int totals_at = shape::totals_at;

    bool direct = false;  // whether rows go straight between memory and registers, where they are kept
    typename Types::Raw kept[shape::direct ? shape::rows_per_warp : 1]{};

    __device__ __forceinline__ char* image() const {
        return shared + shape::images_at + warp * shape::image_bytes;
    }
    __device__ __forceinline__ typename Types::tile_runs totals() const { return {shared + totals_at}; }
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
    // Row k of this warp. Warps take turns, so that a part-filled tile keeps all of them busy.
    __device__ __forceinline__ int row_of(int k) const { return k * shape::warps + warp; }
    __device__ __forceinline__ bool is_full() const { return n - first_item(0) >= Types::tile; }
    __device__ __forceinline__ int valid_rows() const {
        const std::uint64_t left = n - first_item(0);
        return left >= Types::tile ? 32 : int((left + Types::row - 1) / Types::row);
    }

    static constexpr bool loads_heads = [] {
        if constexpr (Types::has_heads) return Types::Heads::template loads_runs<Types::items>;
        return false;
    }();
    // Whether whole runs of every array lie at multiples of their natural access.
    template <int k = 0>
    __device__ __forceinline__ bool is_aligned() const {
        constexpr int size = Types::element_size[k];
        const auto begin = reinterpret_cast<std::uintptr_t>(arguments.in[k]) +
                           (arguments.reverse ? n * std::uint64_t(size) : 0);
        bool aligned = begin % access_size<Types::items * size> == 0;
        if constexpr (k + 1 < Types::inputs) {
            aligned = aligned && is_aligned<k + 1>();
        } else {
            aligned = aligned &&
                      stores_directly<typename Types::Out, Types::items>(arguments.out, n, arguments.reverse);
            if constexpr (loads_heads)
                aligned =
                    aligned && arguments.heads.template has_whole_runs<Types::items>(n, arguments.reverse);
        }
        return aligned;
    }

    // Which elements of this lane's run of a row begin a segment, where there are such. `Whole`: the row is
    // full, of arrays that are aligned.
    template <bool Whole>
    __device__ __forceinline__ void read_heads(typename Types::Raw& raw, int row, bool reverse) const {
        if constexpr (Types::has_heads) {
            constexpr int items = Types::items;
            const std::uint64_t first = first_item(row) + std::uint64_t(lane) * items;
            if constexpr (Whole && loads_heads)
                raw.heads = arguments.heads.template bits_of<items>(
                    arguments.heads.template load_run<items>(first, n, reverse), first, reverse);
            else
                raw.heads = arguments.heads.template bits<items>(first, n, reverse);
        }
    }
    // This lane's run of a full row, straight from memory.
    template <int k, wanted Wanted = wanted::as_usual, class Raw>
    __device__ __forceinline__ void read_directly(Raw& raw, int row, bool reverse) const {
        constexpr int size = Types::element_size[k], run_bytes = Types::items * size;
        using whole = typename unit_of<access_size<run_bytes>>::type;
        const std::uint64_t first = first_item(row) + std::uint64_t(lane) * Types::items;
        const auto* run = reinterpret_cast<const whole*>(static_cast<const char*>(arguments.in[k]) +
                                                         (reverse ? n - Types::items - first : first) *
                                                             std::uint64_t(size));
        whole pieces[run_bytes / sizeof(whole)];
#pragma unroll
        for (int p = 0; p < int(run_bytes / sizeof(whole)); ++p) pieces[p] = load_hinted<Wanted>(run + p);
        std::memcpy(&raw.words, pieces, run_bytes);
        if constexpr (k + 1 < Types::inputs) read_directly<k + 1, Wanted>(raw.rest, row, reverse);
    }
    // This lane's run of a part-filled row, element by element. The row's last element stands for those that
    // are missing, so that operators meet no other values.
    template <int k, class Raw>
    __device__ __forceinline__ void read_elements(Raw& raw, int row, bool reverse) const {
        using In = typename Types::template In<k>;
        const std::uint64_t first = first_item(row) + std::uint64_t(lane) * Types::items;
#pragma unroll
        for (int m = 0; m < Types::items; ++m) {
            const std::uint64_t wanted = first + (reverse ? Types::items - 1 - m : m);
            const std::uint64_t at = wanted < n ? wanted : n - 1;
            pack(raw.words, m, static_cast<const In*>(arguments.in[k])[reverse ? n - 1 - at : at]);
        }
        if constexpr (k + 1 < Types::inputs) read_elements<k + 1>(raw.rest, row, reverse);
    }
    // The same of any row, through shared memory.
    template <int k, class Raw>
    __device__ __forceinline__ void read_staged(Raw& raw, int row, int valid) const {
        constexpr int size = Types::element_size[k];
        constexpr int alignment = Types::element_alignment[k];
        constexpr int run_bytes = Types::items * size;
        const std::uint64_t first = first_item(row);
        const char* begin = static_cast<const char*>(arguments.in[k]) +
                            (arguments.reverse ? n - first - valid : first) * std::uint64_t(size);
        const int slot = arguments.reverse ? 31 - lane : lane;
        const int missing = (Types::row - valid) * size;
        const int before = arguments.reverse ? missing : 0;
        const int shift = int((reinterpret_cast<std::uintptr_t>(begin) - std::uintptr_t(before)) & 15);
        char* slots = image() + shift;
        copy_bytes<alignment>(slots + before, begin, std::int64_t(valid) * size, lane);
        if (missing != 0) {
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
        if constexpr (k + 1 < Types::inputs) read_staged<k + 1>(raw.rest, row, valid);
    }

    // body(this lane's run, row, elements) of this warp's rows, one after the other through shared memory.
    template <class Body>
    __device__ __forceinline__ void for_each_staged_row(const Body& body) const {
#pragma unroll 1
        for (int k = 0; k < shape::rows_per_warp; ++k) {
            const int row = row_of(k), valid = valid_items(row);
            if (valid == 0) break;
            typename Types::Raw raw;
            read_staged<0>(raw.arrays(), row, valid);
            read_heads<false>(raw, row, arguments.reverse);
            body(raw, row, valid);
        }
    }

    __device__ __forceinline__ void sum_run(const typename Types::Raw& raw, int row, bool reverse) const {
        const auto combine = arguments.combine(reverse);
        Acc x[Types::items];
        load_accumulators<typename Types::Total>(raw, arguments.load, reverse, x);
        totals().store(row, lane, fold_run(combine, x));
    }
    // What sum_runs() does, in two steps, for a full tile of aligned rows, forwards: all loads are under way
    // before the first is needed.
    template <wanted Wanted>
    __device__ __forceinline__ void load_kept() {
        direct = true;
#pragma unroll
        for (int k = 0; k < shape::rows_per_warp; ++k) {
            read_directly<0, Wanted>(kept[k].arrays(), row_of(k), false);
            read_heads<true>(kept[k], row_of(k), false);
        }
    }
    __device__ __forceinline__ void sum_kept() const {
#pragma unroll
        for (int k = 0; k < shape::rows_per_warp; ++k) sum_run(kept[k], row_of(k), false);
    }
    // Folds this warp's runs into `totals`.
    __device__ __forceinline__ void sum_runs() {
        direct = shape::direct && is_aligned();
        if constexpr (shape::direct) {
            if (direct && is_full() && !arguments.reverse) {
                load_kept<wanted::as_usual>();
                sum_kept();
                return;
            }
            if (direct) {
                const bool reverse = arguments.reverse;
                const int rows = valid_rows(), last = rows - 1;
                const bool partial = last % shape::warps == warp && valid_items(last) != Types::row;
#pragma unroll
                for (int k = 0; k < shape::rows_per_warp; ++k) {
                    if (row_of(k) >= rows - partial) continue;
                    read_directly<0>(kept[k].arrays(), row_of(k), reverse);
                    read_heads<true>(kept[k], row_of(k), reverse);
                }
                if (partial) {
                    typename Types::Raw raw;
                    read_elements<0>(raw.arrays(), last, reverse);
                    read_heads<false>(raw, last, reverse);
#pragma unroll
                    for (int k = 0; k < shape::rows_per_warp; ++k)
                        if (row_of(k) == last) kept[k] = raw;
                }
#pragma unroll
                for (int k = 0; k < shape::rows_per_warp; ++k)
                    if (row_of(k) < rows) sum_run(kept[k], row_of(k), reverse);
                return;
            }
        }
        for_each_staged_row([&](const auto& raw, int row, int) { sum_run(raw, row, arguments.reverse); });
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
    template <bool Exclusive, wanted Wanted = wanted::as_usual>
    __device__ __forceinline__ void scan_rows() const {
        constexpr storing best = best_storing<typename Types::Out, Types::items>;
        left_parts<Acc> left;
        const auto combine = arguments.combine();
        set_part(
            combine, arguments.has_initial || tile / 32 > 0, [&] { return parts()[0]; }, left.supers,
            left.has_supers);
        set_part(
            combine, tile % 32 > 0, [&] { return parts()[1]; }, left.tiles, left.has_tiles);
        if constexpr (shape::direct) {
            if (direct && is_full() && !arguments.reverse &&
                (arguments.total == nullptr || first_item(32) != n)) {
#pragma unroll
                for (int k = 0; k < shape::rows_per_warp; ++k)
                    scan_row<Exclusive, true, best, Wanted>(kept[k], row_of(k), Types::row, false, left);
                return;
            }
            if (direct) {
#pragma unroll
                for (int k = 0; k < shape::rows_per_warp; ++k) {
                    const int row = row_of(k), valid = valid_items(row);
                    if (valid == Types::row)
                        scan_row<Exclusive, false, best>(kept[k], row, valid, arguments.reverse, left);
                    else if (valid != 0)
                        scan_row<Exclusive, false, storing::scattered>(kept[k], row, valid, arguments.reverse,
                                                                       left);
                }
                return;
            }
        }
        for_each_staged_row([&](const auto& raw, int row, int valid) {
            scan_row<Exclusive, false, storing::staged>(raw, row, valid, arguments.reverse, left);
        });
    }
    // `Plain`: the scan's total is not in this row.
    template <bool Exclusive, bool Plain, storing How, wanted Wanted = wanted::as_usual>
    __device__ __forceinline__ void scan_row(const typename Types::Raw& raw, int row, int valid, bool reverse,
                                             left_parts<Acc>& left) const {
        const auto combine = arguments.combine(reverse);
        const bool holds_total = !Plain && arguments.total != nullptr && first_item(row) + valid == n;
        set_part(
            combine, row > 0, [&] { return row_folds()[row - 1]; }, left.rows, left.has_rows);
        set_runs(combine, totals(), row, lane, left);
        Acc x[Types::items];
        load_accumulators<typename Types::Total>(raw, arguments.load, reverse, x);
        if (holds_total) store_total(arguments, combine, left, x, valid - 1, lane);
        scan_run<Exclusive>(combine, left, static_cast<Acc>(arguments.start), x);
        store_row<How, Types::items, Wanted>(
            arguments.out, n, reverse, first_item(row), valid,
            pack_results<typename Types::Out, typename Types::Total>(x, arguments.store, reverse), image(),
            lane);
    }
};

}  // namespace detail

}  // namespace upsweep::cuda
