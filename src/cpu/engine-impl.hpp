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
        kernels_.fold_rows(front(x, count), count, &rows, backwards_);
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
    const std::size_t at = place(first, count);
    if (streaming_)
        memory_.stream(out_.direct + at, from, count * sizeof(Acc), ahead);
    else
        out_.store(out_, memory_, at, count, from);
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
void scan_engine<Acc, Op>::scan(std::size_t chunk, state& carried, std::size_t next, summary& ahead) const {
    const std::size_t first = chunk * chunk_size_;
    const std::size_t count = count_in(chunk);
    const bool staged = out_.direct == nullptr || (streaming_ && !streams_directly());
    // Pieces only where something is staged or two chunks take turns; otherwise as far as a kernel may go.
    const bool pieces = staged || streaming_ || in_.direct == nullptr || next != no_chunk;
    const std::size_t step = pieces ? piece_size<Acc> : exact ? count : core::tile_size;
    scan_pass pass;
    pass.where = streaming_ && !staged ? placement::streamed : placement::cached;
    pass.exclusive = exclusive_;
    pass.backwards = backwards_;
    alignas(64) Acc results[piece_size<Acc>];
    alignas(64) Acc inputs[piece_size<Acc>];
    [[maybe_unused]] Acc rows = Op::template identity<Acc>();
    if (next != no_chunk) begin(ahead);
    for (std::size_t i = 0; i < count; i += step) {
        const std::size_t piece = std::min(step, count - i);
        if (next != no_chunk) summarise_piece(next, i, piece, ahead, inputs);
        const Acc* x = front(load(first + i, piece, inputs), piece);
        Acc* y = front(staged ? results : out_.direct + place(first + i, piece), piece);
        // What this thread reads after this piece. An exact operator's is found without asking, in a cache.
        const void* following =
            streaming_ || !exact ? address((next != no_chunk ? next * chunk_size_ : first) + i + piece, piece)
                                 : nullptr;
        pass.ahead = staged || in_.direct == nullptr ? nullptr : following;
        if constexpr (exact) {
            carried.supers = kernels_.scan(x, y, piece, carried.supers, pass);
        } else {
            kernels_.scan_rows(x, y, piece, carried.supers, carried.tiles, &rows, pass,
                               i + piece == count ? &carried.last : nullptr);
            if ((i + piece) % core::tile_size == 0) {
                carried.push_tile(rows);
                rows = Op::template identity<Acc>();
            }
        }
        if (staged) store(first + i, piece, results, following);
    }
    if (streaming_) memory_.fence();
    if (exact || count % core::tile_size == 0) carried.last = Op()(carried.supers, carried.tiles);
}

// Whether the kernels can stream to where the results belong.
template <class Acc, class Op>
bool scan_engine<Acc, Op>::streams_directly() const {
    const Acc* edge = backwards_ ? out_.direct + n_ : out_.direct;
    return kernels_.stream_alignment != 0 &&
           reinterpret_cast<std::uintptr_t>(edge) % kernels_.stream_alignment == 0;
}

template <class Acc, class Op>
void run_small_scan(simd_level level, const Acc* in, Acc* out, std::size_t n, bool exclusive, bool backwards,
                    Acc start, Acc* total) {
    const auto& kernels = kernels_for<Acc, Op>(level);
    const scan_pass pass{placement::cached, exclusive, backwards, nullptr};
    if constexpr (is_exact<Op, Acc>) {
        const Acc last = kernels.scan(in, out, n, start, pass);
        if (total != nullptr) *total = last;
    } else {
        Acc rows = Op::template identity<Acc>();
        kernels.scan_rows(in, out, n, start, Op::template identity<Acc>(), &rows, pass, total);
    }
}

template <class Acc, class Op>
Acc run_scan(executor& ex, const source<Acc>& in, const sink<Acc>& out, const scan_shape& shape,
             core::tree_carry<Acc>& carry) {
    using engine = scan_engine<Acc, Op>;
    const chunking plan =
        chunking::plan(ex, shape.size, std::max(in.element_size, sizeof(Acc)), out.element_size);
    const bool streaming = !shape.in_place && out.plain && shape.footprint >= streaming_bytes() &&
                           (out.stride == 1 || (out.stride == -1 && in.stride == -1));
    const engine kernel(ex.simd(), in, out, shape.size, shape.exclusive, streaming, plan.elements);
    typename engine::state state;
    if (carry.supers) state.supers = *carry.supers;
    if (carry.tiles) state.tiles = *carry.tiles;
    state.tile_count = carry.tile_count;
    if (plan.count == 1) {
        typename engine::summary unused;
        kernel.scan(0, state, no_chunk, unused);
    } else {
        state = run_plan(ex, plan, kernel, state, shape.in_place);
    }
    carry.supers = state.supers;
    carry.tiles = state.tiles;
    carry.tile_count = state.tile_count;
    return state.last;
}

}  // namespace upsweep::cpu
