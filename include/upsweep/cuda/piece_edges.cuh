// Where a piece of a longer sequence lies in the combination tree (docs/numerics.md), and the elements at its
// two ends, which share a super with others.
//
// A piece [first, first + n) of the whole is
//
//     head   up to the first super boundary: the rest of a super that an earlier piece began
//     body   whole supers, which the engine scans as it does an array of its own (launch.cuh)
//     tail   what is left: the begin of a super that a later piece goes on with
//
// Head and tail, the edges, have less than a super each, so their kernels are made to be short: a block a
// tile, which takes elements one by one.
#pragma once

#include <cstdint>

#include "upsweep/cuda/arguments.cuh"
#include "upsweep/cuda/runs.cuh"

namespace upsweep::cuda {

// The tree of a scan's types: level k has blocks of level_size(k) elements.
template <class Types>
struct piece_tree {
    static constexpr int levels = 5;  // single elements, runs, rows, tiles, supers
    static constexpr int super_level = 4;
    static constexpr std::uint64_t super_size = 32ull * Types::tile;
    static constexpr std::uint64_t level_size(int level) {
        constexpr std::uint64_t sizes[levels] = {1, Types::items, Types::row, Types::tile, super_size};
        return sizes[level];
    }
    // Whether something of a level stands to the left of `position`, below supers.
    static constexpr bool has_part(int level, std::uint64_t position) {
        return position % level_size(level + 1) >= level_size(level);
    }
};

// The five accumulators at a place of the tree, L, V, R, T and S. Which of them are there follows from the
// place; S also holds the initial value.
template <class Total>
struct tree_parts {
    Total level[5];
};

// Elements [begin, end) of a piece that starts at `first` of the whole; they are of one super.
struct piece_edge {
    std::uint64_t first, begin, end;

    [[nodiscard]] constexpr std::uint64_t position() const { return first + begin; }
    [[nodiscard]] constexpr std::uint64_t end_position() const { return first + end; }
    [[nodiscard]] constexpr bool empty() const { return begin == end; }
    [[nodiscard]] constexpr unsigned tile_count(std::uint64_t tile) const {
        return empty() ? 0 : unsigned((end_position() - 1) / tile - position() / tile + 1);
    }
};

struct piece_plan {
    std::uint64_t first, head_end, body_end, n;

    static constexpr piece_plan of(std::uint64_t first, std::uint64_t n, std::uint64_t super) {
        const std::uint64_t missing = (super - first % super) % super;
        const std::uint64_t head = missing < n ? missing : n;
        return {first, head, head + (n - head) / super * super, n};
    }
    [[nodiscard]] constexpr piece_edge head() const { return {first, 0, head_end}; }
    [[nodiscard]] constexpr piece_edge tail() const { return {first, body_end, n}; }
    [[nodiscard]] constexpr std::uint64_t body_size() const { return body_end - head_end; }
};

// Totals of an edge's complete blocks, as far as what is behind the edge depends on them.
template <class Acc>
struct edge_totals {
    Acc tiles[32];             // by their number in the super
    Acc rows[2][32];           // of the first tile, and of the last one if that is another
    Acc runs[2][32];           // of the first row, and of the last one
    Acc items[2][most_items];  // of a run that the edge begins in, and of one that it ends in
};

// What those who are to the right have to know of a piece, in device memory. Totals of the body's supers are
// behind it.
template <class Acc>
struct piece_description {
    std::uint64_t first, n;      // elements to its left, 0 under exact operators, and its own
    Acc initial;                 // of the scan, if it has an initial value
    edge_totals<Acc> totals[2];  // of head and tail

    [[nodiscard]] __host__ __device__ Acc* supers() { return reinterpret_cast<Acc*>(this + 1); }
    [[nodiscard]] __host__ __device__ const Acc* supers() const {
        return reinterpret_cast<const Acc*>(this + 1);
    }
};

// What stands to the left of an edge, and of each of its tiles in the super.
template <class Total>
struct edge_left {
    tree_parts<Total> parts;
    Total tiles[32];
};

namespace detail {

// Element i of the piece, in scan order.
template <class Types, int k = 0, class... Earlier>
__device__ __forceinline__ typename Types::Acc load_at(const scan_arguments<Types>& arguments,
                                                       std::uint64_t i, const Earlier&... earlier) {
    if constexpr (k == Types::inputs) {
        if constexpr (Types::has_heads) {
            const unsigned head = arguments.heads.template bits<1>(i, arguments.n, arguments.reverse);
            return convert<typename Types::Acc>(
                convert<typename Types::Total>(arguments.load(earlier..., head != 0)));
        } else {
            return convert<typename Types::Acc>(convert<typename Types::Total>(arguments.load(earlier...)));
        }
    } else {
        using In = typename Types::template In<k>;
        const In* const in = static_cast<const In*>(arguments.in[k]);
        return load_at<Types, k + 1>(arguments, i, earlier...,
                                     in[arguments.reverse ? arguments.n - 1 - i : i]);
    }
}

// What an edge has of one tile, by one block of `threads`.
template <class Types>
struct edge_tile {
    using Acc = typename Types::Acc;
    using Total = typename Types::Total;
    using lines = run_totals<Acc>;
    static constexpr int threads = 256;
    static constexpr int rows_line = 32;  // behind a line of runs for each row
    static constexpr int shared_bytes = 33 * lines::line;
    static constexpr int run_count = 32 * 32;

    const scan_arguments<Types>& arguments;
    lines totals;
    piece_edge edge;
    std::uint64_t tile;       // of the whole
    int from, until;          // the edge has items [from, until) of it
    std::int64_t first_item;  // of the tile, as an element of the piece

    __device__ edge_tile(const scan_arguments<Types>& given, char* shared, const piece_edge& own,
                         unsigned index)
        : arguments(given), totals{shared}, edge(own), tile(own.position() / Types::tile + index) {
        const std::uint64_t begin = tile * Types::tile, left = edge.end_position() - begin;
        from = edge.position() > begin ? int(edge.position() - begin) : 0;
        until = left < Types::tile ? int(left) : Types::tile;
        first_item = std::int64_t(begin) - std::int64_t(edge.first);
    }
    [[nodiscard]] __device__ __forceinline__ Acc load(int item) const {
        return load_at(arguments, std::uint64_t(first_item + item));
    }
    // Whether `size` items from `item` on are all the edge's.
    [[nodiscard]] __device__ __forceinline__ bool has(int item, int size) const {
        return item >= from && item + size <= until;
    }
    [[nodiscard]] __device__ __forceinline__ bool has_row(int row) const {
        return has(row * Types::row, Types::row);
    }

    // By all threads.
    __device__ void sum_runs() const {
        const auto combine = arguments.combine();
        for (int run = int(threadIdx.x); run < run_count; run += threads) {
            const int item = run * Types::items;
            if (!has(item, Types::items)) continue;
            Acc sum = load(item);
            for (int m = 1; m < Types::items; ++m) sum = combine(sum, load(item + m));
            totals.store(run / 32, run % 32, sum);
        }
    }
    // By one warp: totals of complete rows and of a complete tile, and all that is asked of them to `to`.
    __device__ void publish(edge_totals<Acc>& to, int lane) const {
        const auto combine = arguments.combine();
        if (has_row(lane)) totals.store(rows_line, lane, fold_line(combine, totals, lane, 32));
        __syncwarp();
        if (has(0, Types::tile) && lane == 0) to.tiles[tile % 32] = fold_line(combine, totals, rows_line, 32);

        const std::uint64_t last_item = edge.end_position() - 1;
        const bool is_first = tile == edge.position() / Types::tile,
                   is_last = tile == last_item / Types::tile;
        if ((is_first || is_last) && has_row(lane))
            to.rows[is_first ? 0 : 1][lane] = totals.load(rows_line, lane);
        const std::uint64_t first_row = edge.position() / Types::row, last_row = last_item / Types::row;
        const auto publish_runs = [&](std::uint64_t row, Acc* runs) {
            const int item = int(row % 32) * Types::row + lane * Types::items;
            if (has(item, Types::items)) runs[lane] = totals.load(int(row % 32), lane);
        };
        if (is_first) publish_runs(first_row, to.runs[0]);
        if (is_last && last_row != first_row) publish_runs(last_row, to.runs[1]);
        const auto publish_items = [&](int run, Acc* items) {
            const int item = run * Types::items + lane;
            if (lane < Types::items && has(item, 1)) items[lane] = load(item);
        };
        const int first_run = from / Types::items, last_run = until / Types::items;
        if (is_first && from % Types::items != 0) publish_items(first_run, to.items[0]);
        if (is_last && until % Types::items != 0) publish_items(last_run, to.items[1]);
    }

    // Values [begin, end) of a line become their left folds.
    __device__ __forceinline__ void fold_in_line(int line, int begin, int end) const {
        if (begin >= end) return;
        const auto combine = arguments.combine();
        Acc sum = totals.load(line, begin);
        for (int k = begin + 1; k < end; ++k) {
            sum = combine(sum, totals.load(line, k));
            totals.store(line, k, sum);
        }
    }
    // By one warp, after sum_runs(): folds of runs within rows and of rows within the tile. What stands to
    // the left of the edge takes the places before it: V that of the run before its first one, R of the row.
    __device__ void fold(const edge_left<Total>& left, int lane) const {
        const int first_row = from / Types::row, first_run = from % Types::row / Types::items;
        const bool begins = lane == first_row && from % Types::row != 0;
        if (begins && first_run > 0) totals.store(lane, first_run - 1, static_cast<Acc>(left.parts.level[1]));
        const int run_end = first_row * Types::row + (first_run + 1) * Types::items;
        if (begins && from % Types::items != 0 && run_end <= until) {
            const auto combine = arguments.combine();
            Acc sum = static_cast<Acc>(left.parts.level[0]);
            for (int item = from; item < run_end; ++item) sum = combine(sum, load(item));
            totals.store(lane, first_run, sum);
        }
        const int row_left = until - lane * Types::row;
        const int runs = row_left >= Types::row ? 32 : row_left <= 0 ? 0 : row_left / Types::items;
        if (lane >= first_row) fold_in_line(lane, begins && first_run > 0 ? first_run - 1 : 0, runs);
        if (lane >= first_row && runs == 32) totals.store(rows_line, lane, totals.load(lane, 31));
        if (lane == 0 && first_row > 0)
            totals.store(rows_line, first_row - 1, static_cast<Acc>(left.parts.level[2]));
        __syncwarp();
        if (lane == 0) fold_in_line(rows_line, first_row > 0 ? first_row - 1 : 0, until / Types::row);
    }
    // By all threads, after fold(): the results.
    template <bool Exclusive>
    __device__ void store_results(const edge_left<Total>& own, bool has_supers) const {
        const auto combine = arguments.combine();
        left_parts<Acc> left;
        set_part(
            combine, has_supers, [&] { return static_cast<Acc>(own.parts.level[4]); }, left.supers,
            left.has_supers);
        set_part(
            combine, tile % 32 > 0, [&] { return static_cast<Acc>(own.tiles[tile % 32]); }, left.tiles,
            left.has_tiles);
        for (int run = int(threadIdx.x); run < run_count; run += threads) {
            const int row = run / 32, item = run * Types::items;
            const int begin = item > from ? item : from;
            const int end = item + Types::items < until ? item + Types::items : until;
            if (begin >= end) continue;
            set_part(
                combine, row > 0, [&] { return totals.load(rows_line, row - 1); }, left.rows, left.has_rows);
            set_runs(combine, totals, row, run % 32, left);
            bool has_within = begin > item;  // L, of elements before the edge
            Acc within{};
            if (has_within) within = static_cast<Acc>(own.parts.level[0]);
            for (int k = begin; k < end; ++k) {
                const Acc x = load(k);
                Acc result = static_cast<Acc>(arguments.start);
                if constexpr (Exclusive) {
                    if (has_within)
                        result = join_left(combine, left, within);
                    else
                        join_parts(combine, left, result);
                    result = combine.exclusive(result, x, static_cast<Acc>(arguments.start));
                }
                within = has_within ? combine(within, x) : x;
                has_within = true;
                const std::uint64_t i = std::uint64_t(first_item + k);
                if (!Exclusive || (arguments.total != nullptr && i + 1 == arguments.n)) {
                    const Acc all = join_left(combine, left, within);
                    if constexpr (!Exclusive) result = all;
                    if (arguments.total != nullptr && i + 1 == arguments.n)
                        *arguments.total = static_cast<Total>(all);
                }
                arguments.out[arguments.reverse ? arguments.n - 1 - i : i] =
                    convert<typename Types::Out>(arguments.store(convert<Total>(result)));
            }
        }
    }
};

// The block's tile among those of two edges. `which` receives 0 or 1.
template <class Types>
__device__ __forceinline__ edge_tile<Types> tile_of_edges(const scan_arguments<Types>& arguments,
                                                          const piece_plan& plan, char* shared, int& which) {
    const unsigned in_head = plan.head().tile_count(Types::tile);
    which = blockIdx.x < in_head ? 0 : 1;
    return {arguments, shared, which == 0 ? plan.head() : plan.tail(),
            blockIdx.x - (which == 0 ? 0 : in_head)};
}

}  // namespace detail

// A block a tile of the head and of the tail, which finds the totals of either, and one for what the
// description begins with.
template <class Types>
__global__ void __launch_bounds__(detail::edge_tile<Types>::threads)
    describe_edges_kernel(const __grid_constant__ scan_arguments<Types> arguments, piece_plan plan,
                          piece_description<typename Types::Acc>* description) {
    extern __shared__ __align__(128) char shared[];
    if (blockIdx.x + 1 == gridDim.x) {
        if (threadIdx.x != 0) return;
        description->first = plan.first;
        description->n = plan.n;
        if (arguments.has_initial) description->initial = arguments.initial_value();
        return;
    }
    int which;
    const auto own = detail::tile_of_edges(arguments, plan, shared, which);
    own.sum_runs();
    __syncthreads();
    if (threadIdx.x < 32) own.publish(description->totals[which], int(threadIdx.x));
}

// The same blocks; `left` as walk_piece_kernel (piece_walk.cuh) leaves it. arguments.has_initial is the
// whole's.
template <class Types, bool Exclusive>
__global__ void __launch_bounds__(detail::edge_tile<Types>::threads)
    scan_edges_kernel(const __grid_constant__ scan_arguments<Types> arguments, piece_plan plan,
                      const edge_left<typename Types::Total>* left) {
    extern __shared__ __align__(128) char shared[];
    int which;
    const auto own = detail::tile_of_edges(arguments, plan, shared, which);
    own.sum_runs();
    __syncthreads();
    if (threadIdx.x < 32) own.fold(left[which], int(threadIdx.x));
    __syncthreads();
    const bool has_supers = arguments.has_initial || own.edge.position() >= piece_tree<Types>::super_size;
    own.template store_results<Exclusive>(left[which], has_supers);
}

}  // namespace upsweep::cuda
