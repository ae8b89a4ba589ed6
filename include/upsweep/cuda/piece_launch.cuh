// A scan of a piece of a longer sequence: its kernels in a stream.
//
// In three steps, between which what is to the left may come from somewhere else: a description of the piece,
// which has totals of its blocks; the walk from what is to the left of the piece, or over descriptions of all
// pieces before it, to what is to the left of the next one; results. Under exact operators (docs/numerics.md)
// a piece is an array whose initial value is the fold of everything before it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upsweep/cuda/arguments.cuh"
#include "upsweep/cuda/device_scope.hpp"
#include "upsweep/cuda/executor.hpp"
#include "upsweep/cuda/launch.cuh"
#include "upsweep/cuda/piece_edges.cuh"
#include "upsweep/cuda/piece_walk.cuh"
#include "upsweep/cuda/tile_scan.cuh"
#include "upsweep/operators.hpp"

namespace upsweep::cuda {

// Elements [begin, end), in scan order. The total is stored by who has the last one.
template <class Types>
scan_arguments<Types> part_of(const scan_arguments<Types>& all, std::uint64_t begin, std::uint64_t end) {
    scan_arguments<Types> part = all;
    const std::uint64_t at = all.reverse ? all.n - end : begin;
    for (int k = 0; k < Types::inputs; ++k)
        part.in[k] = static_cast<const char*>(all.in[k]) + at * std::uint64_t(Types::element_size[k]);
    part.out += at;
    part.n = end - begin;
    if constexpr (Types::has_heads) part.heads = all.heads.part(begin, end, all.n, all.reverse);
    if (end != all.n) part.total = nullptr;
    return part;
}

template <class Types, bool Exclusive>
class piece_launch {
  public:
    using Acc = typename Types::Acc;
    using Total = typename Types::Total;
    using description = piece_description<Acc>;
    static constexpr bool exact = is_exact<typename Types::Op, Acc>;

    // The elements are arguments.n, and there is no length in device memory; `first` of the whole come before
    // them. The initial value is the whole's; has_initial must be the same for every piece.
    piece_launch(executor& ex, const scan_arguments<Types>& arguments, std::uint64_t first)
        : ex_(ex),
          arguments_(arguments),
          plan_(piece_plan::of(exact ? 0 : first, arguments.n, tree::super_size)),
          has_left_(arguments.has_initial || (exact ? first != 0 : first >= tree::super_size)) {}

    // Whether it has whole supers; under exact operators, as many elements.
    [[nodiscard]] bool has_body() const { return plan_.body_size() != 0; }

    // Bytes of scratch and of a description, which must be the same memory in all steps; they never decrease
    // with n.
    [[nodiscard]] static std::size_t scratch_bytes(std::uint64_t n) {
        return tiles_at + std::size_t(n / Types::tile) * sizeof(Acc);
    }
    [[nodiscard]] static std::size_t description_bytes(std::uint64_t n) {
        return aligned(sizeof(description) + std::size_t(n / tree::super_size) * sizeof(Acc));
    }

    // Describes the piece, which depends on nothing but the elements and the initial value.
    void summarise(void* scratch, description* own) const {
        const device_scope current(ex_);
        describe_edges(own);
        if (plan_.body_size() == 0) return;
        const scan_arguments<Types> body = part_of(arguments_, plan_.head_end, plan_.body_end);
        const std::uint64_t tiles = body.n / Types::tile, supers = tiles / 32;
        const tile_folds<Acc> folds{at<Acc>(scratch, tiles_at), own->supers()};
        constexpr auto sum_tiles = &sum_tiles_kernel<Types>;
        detail::require_kernel<sum_tiles>(ex_, tile_shape<Types>::shared_bytes);
        sum_tiles<<<detail::blocks_for(tiles), tile_shape<Types>::threads, tile_shape<Types>::shared_bytes,
                    ex_.stream()>>>(body, folds);
        fold_tiles_kernel<Types><<<detail::blocks_for((supers + 7) / 8), 256, 0, ex_.stream()>>>(body, folds);
    }
    // `left` is what the walk over the piece before has left in `behind`, which may be the same memory; null
    // for the first piece. `value` receives the fold of everything so far. Either may be null.
    void walk(void* scratch, const description* own, const tree_parts<Total>* left, tree_parts<Total>* behind,
              Total* value) const {
        launch_walk({left, {}, own, edges_in(scratch), initial_in(scratch), behind, value});
    }
    // The same from the descriptions of all pieces before, which may be none; nothing of `own` is read if
    // this one has no elements.
    void walk(void* scratch, const description* own, const pieces_before& before,
              tree_parts<Total>* behind) const {
        launch_walk({nullptr, before, own, edges_in(scratch), initial_in(scratch), behind, nullptr});
    }
    // Results.
    void scan(void* scratch) const {
        const device_scope current(ex_);
        if constexpr (exact) {
            if (arguments_.n != 0) scan_body(0, arguments_.n, initial_in(scratch));
        } else {
            scan_edges(scratch);
            if (plan_.body_size() != 0) scan_body(plan_.head_end, plan_.body_end, initial_in(scratch));
        }
    }

  private:
    using tree = piece_tree<Types>;
    using edges = detail::edge_tile<Types>;

    // Scratch: what is left of either edge, S before the body; then a value a tile.
    static constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }
    static constexpr std::size_t initial_at = aligned(2 * sizeof(edge_left<Total>));
    static constexpr std::size_t tiles_at = initial_at + aligned(sizeof(Total));
    template <class T>
    static T* at(void* scratch, std::size_t bytes) {
        return reinterpret_cast<T*>(static_cast<char*>(scratch) + bytes);
    }
    static edge_left<Total>* edges_in(void* scratch) { return at<edge_left<Total>>(scratch, 0); }
    static Total* initial_in(void* scratch) { return at<Total>(scratch, initial_at); }

    [[nodiscard]] unsigned edge_blocks() const {
        return plan_.head().tile_count(Types::tile) + plan_.tail().tile_count(Types::tile);
    }
    void describe_edges(description* own) const {
        constexpr auto kernel = &describe_edges_kernel<Types>;
        detail::require_kernel<kernel>(ex_, edges::shared_bytes);
        kernel<<<edge_blocks() + 1, edges::threads, edges::shared_bytes, ex_.stream()>>>(arguments_, plan_,
                                                                                         own);
    }
    void launch_walk(const piece_walk<Types>& walk) const {
        const device_scope current(ex_);
        walk_piece_kernel<Types, exact><<<1, 32, 0, ex_.stream()>>>(arguments_, plan_, has_left_, walk);
    }
    void scan_edges(void* scratch) const {
        if (edge_blocks() == 0) return;
        constexpr auto kernel = &scan_edges_kernel<Types, Exclusive>;
        detail::require_kernel<kernel>(ex_, edges::shared_bytes);
        kernel<<<edge_blocks(), edges::threads, edges::shared_bytes, ex_.stream()>>>(arguments_, plan_,
                                                                                     edges_in(scratch));
    }
    void scan_body(std::uint64_t begin, std::uint64_t end, const Total* initial) const {
        scan_arguments<Types> body = part_of(arguments_, begin, end);
        body.has_initial = has_left_ || begin != 0;
        body.device_initial = initial;
        scan_launch<Types, Exclusive>(ex_, body).run();
    }

    executor& ex_;
    const scan_arguments<Types>& arguments_;
    piece_plan plan_;
    bool has_left_;
};

}  // namespace upsweep::cuda
