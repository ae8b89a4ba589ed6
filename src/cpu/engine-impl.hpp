// Bodies of the CPU engine's templates; included by the files that instantiate them.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "upsweep/cpu/engine.hpp"

namespace upsweep::cpu {

template <class Acc, class Op>
void scan_engine<Acc, Op>::begin(summary& made) const {
    if constexpr (exact)
        made.total = Op::template identity<Acc>();
    else
        made.tile_totals[0] = Op::template identity<Acc>();
}

// Elements [i, i + count) of a chunk, in order; they do not pass the end of a tile.
template <class Acc, class Op>
void scan_engine<Acc, Op>::summarise_piece(std::size_t chunk, std::size_t i, std::size_t count, summary& made,
                                           Acc* buffer) const {
    const Acc* x = load(chunk * chunk_size_ + i, count, buffer);
    if constexpr (exact) {
        made.total = kernels_.fold(x, count, made.total);
    } else {
        Acc& rows = made.tile_totals[i / core::tile_size];
        kernels_.fold_rows(x, count, &rows, made.runs.data() + i / core::run_size,
                           made.row_starts.data() + i / core::row_size);
        if ((i + count) % core::tile_size == 0)
            made.tile_totals[i / core::tile_size + 1] = Op::template identity<Acc>();
    }
}

template <class Acc, class Op>
void scan_engine<Acc, Op>::summarise(std::size_t chunk, summary& made) const {
    alignas(64) Acc buffer[piece_size<Acc>];
    const std::size_t count = count_in(chunk);
    begin(made);
    for (std::size_t i = 0; i < count; i += piece_size<Acc>) {
        summarise_piece(chunk, i, std::min(piece_size<Acc>, count - i), made, buffer);
    }
}

template <class Acc, class Op>
void scan_engine<Acc, Op>::store(std::size_t first, std::size_t count, const Acc* from,
                                 const void* ahead) const {
    if (!streaming_) {
        if (out_.direct == nullptr)
            out_.store(out_, memory_, first, count, from);
        else
            std::copy_n(from, count, out_.direct + first);
    } else if (out_.stride == 1) {
        memory_.stream(out_.direct + first, from, count * sizeof(Acc), ahead);
    } else {
        alignas(64) Acc reversed[piece_size<Acc>];
        memory_.reverse[log2_size<Acc>](reversed, from, count);
        memory_.stream(static_cast<Acc*>(out_.data) - (first + count - 1), reversed, count * sizeof(Acc),
                       ahead);
    }
}

template <class Acc, class Op>
void scan_engine<Acc, Op>::advance(state& carried, std::size_t chunk, const summary& made) const {
    if constexpr (exact) {
        carried.supers = Op()(carried.supers, made.total);
    } else {
        for (std::size_t tile = 0; tile < count_in(chunk) / core::tile_size; ++tile)
            carried.push_tile(made.tile_totals[tile]);
    }
}

template <class Acc, class Op>
void scan_engine<Acc, Op>::scan(std::size_t chunk, state& carried, const summary* own, std::size_t next,
                                summary& next_summary) const {
    const std::size_t first = chunk * chunk_size_;
    const std::size_t count = count_in(chunk);
    const bool streamable = streaming_ && out_.direct != nullptr && kernels_.stream_alignment != 0 &&
                            reinterpret_cast<std::uintptr_t>(out_.direct) % kernels_.stream_alignment == 0;
    const bool staged = exclusive_ || out_.direct == nullptr || (streaming_ && !streamable);
    const placement where = streaming_ && !staged ? placement::streamed : placement::cached;
    // Pieces only where something is staged or two chunks take turns; otherwise as far as a kernel may go.
    const bool pieces = staged || streaming_ || in_.direct == nullptr || next != no_chunk;
    const std::size_t step = pieces ? piece_size<Acc> : exact ? count : core::tile_size;
    // One element in front holds the value before the piece, so that an exclusive scan is the same buffer
    // shifted.
    alignas(64) Acc buffer[64 / sizeof(Acc) + piece_size<Acc>];
    Acc* const results = buffer + 64 / sizeof(Acc);
    alignas(64) Acc inputs[piece_size<Acc>];
    Acc last = Op()(carried.supers, carried.tiles);
    [[maybe_unused]] Acc rows = Op::template identity<Acc>();
    if (next != no_chunk) begin(next_summary);
    for (std::size_t i = 0; i < count; i += step) {
        const std::size_t piece = std::min(step, count - i);
        if (next != no_chunk) summarise_piece(next, i, piece, next_summary, inputs);
        const Acc* x = load(first + i, piece, inputs);
        Acc* y = staged ? results : out_.direct + first + i;
        // What this thread reads after this piece, unless a cache has it anyway.
        const void* following =
            streaming_ ? address((next != no_chunk ? next * chunk_size_ : first) + i + piece, piece)
                       : nullptr;
        const void* ahead = staged ? nullptr : following;
        results[-1] = last;
        if constexpr (exact) {
            carried.supers = kernels_.scan(x, y, piece, carried.supers, where, ahead);
            last = carried.supers;
        } else {
            if (own != nullptr) {
                kernels_.scan_folded(x, y, piece, carried.supers, carried.tiles,
                                     own->runs.data() + i / core::run_size,
                                     own->row_starts.data() + i / core::row_size, where, ahead);
            } else {
                kernels_.scan_rows(x, y, piece, carried.supers, carried.tiles, &rows, where, ahead);
            }
            if ((i + piece) % core::tile_size == 0) {
                carried.push_tile(own != nullptr ? own->tile_totals[i / core::tile_size] : rows);
                rows = Op::template identity<Acc>();
                last = Op()(carried.supers, carried.tiles);
            } else if (staged ||
                       i + piece == count) {  // not otherwise: reading back what was streamed is slow
                last = y[piece - 1];
            }
        }
        if (staged) store(first + i, piece, exclusive_ ? results - 1 : results, following);
    }
    if (streaming_) memory_.fence();
    carried.last = last;
}

template <class Acc, class Op>
Acc run_small_scan(simd_level level, const Acc* in, Acc* out, std::size_t n, bool exclusive, Acc start) {
    const auto& kernels = kernels_for<Acc, Op>(level);
    alignas(64) Acc buffer[small_size<Acc>];
    Acc* to = exclusive ? buffer : out;
    if constexpr (is_exact<Op, Acc>) {
        kernels.scan(in, to, n, start, placement::cached, nullptr);
    } else {
        Acc rows = Op::template identity<Acc>();
        kernels.scan_rows(in, to, n, start, Op::template identity<Acc>(), &rows, placement::cached, nullptr);
    }
    const Acc last = to[n - 1];
    if (exclusive) {
        std::copy_n(buffer, n - 1, out + 1);
        out[0] = start;
    }
    return last;
}

template <class Acc, class Op>
Acc run_scan(executor& ex, const source<Acc>& in, const sink<Acc>& out, const scan_shape& shape,
             core::tree_carry<Acc>& carry) {
    using engine = scan_engine<Acc, Op>;
    const chunking plan =
        chunking::plan(shape.size, std::max(in.element_size, sizeof(Acc)), out.element_size, ex.threads());
    const bool streaming =
        !shape.in_place && out.plain && std::abs(out.stride) == 1 && shape.footprint >= streaming_bytes();
    const engine kernel(ex.simd(), in, out, shape.size, shape.exclusive, streaming, plan.elements);
    typename engine::state state;
    if (carry.supers) state.supers = *carry.supers;
    if (carry.tiles) state.tiles = *carry.tiles;
    state.tile_count = carry.tile_count;
    if (plan.count == 1) {
        typename engine::summary unused;
        kernel.scan(0, state, nullptr, no_chunk, unused);
    } else {
        state = run_chain(ex, plan.helpers, plan.count, kernel, state);
    }
    carry.supers = state.supers;
    carry.tiles = state.tiles;
    carry.tile_count = state.tile_count;
    return state.last;
}

}  // namespace upsweep::cpu
