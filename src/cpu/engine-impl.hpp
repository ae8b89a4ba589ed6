// Bodies of the CPU engine's templates; included by the files that instantiate them.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "upsweep/cpu/engine.hpp"

namespace upsweep::cpu {

template <class Acc, class Op>
void scan_engine<Acc, Op>::begin(summary& made) const {
    if constexpr (exact) {
        made.total = Op::template identity<Acc>();
    } else {
        static_assert(most_elements * sizeof(Acc) <= scratch_block::size);
        made.nested = reinterpret_cast<Acc*>(made.memory.get());
    }
}

// Elements [i, i + count) of a chunk, in order; they do not pass the end of a tile. `following`: where what
// this thread reads next lies, or null.
template <class Acc, class Op>
void scan_engine<Acc, Op>::summarise_piece(std::size_t chunk, std::size_t i, std::size_t count, summary& made,
                                           Acc* buffer, [[maybe_unused]] const void* following) const {
    const Acc* x = load(chunk * chunk_size_ + i, count, buffer);
    if constexpr (exact) {
        made.total = kernels_.fold(x, count, made.total);
    } else {
        Acc& rows = made.tile_totals[i / core::tile_size];
        if (i % core::tile_size == 0) rows = Op::template identity<Acc>();
        kernels_.nest_rows(front(x, count), nested(made, i), count, &made.starts[i / core::row_size], &rows,
                           {placement::cached, exclusive_, backwards_, following});
    }
}

template <class Acc, class Op>
void scan_engine<Acc, Op>::summarise(std::size_t chunk, summary& made) const {
    alignas(64) Acc buffer[piece_size<Acc>];
    const std::size_t count = count_in(chunk);
    begin(made);
    for (std::size_t i = 0; i < count; i += piece_size<Acc>) {
        const void* following = in_.direct == nullptr
                                    ? nullptr
                                    : address(chunk * chunk_size_ + i + piece_size<Acc>, piece_size<Acc>);
        summarise_piece(chunk, i, std::min(piece_size<Acc>, count - i), made, buffer, following);
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
auto scan_engine<Acc, Op>::plan_output() const -> output {
    output made;
    made.staged = out_.direct == nullptr || (streaming_ && !streams_directly());
    made.pass.where = streaming_ && !made.staged ? placement::streamed : placement::cached;
    made.pass.exclusive = exclusive_;
    made.pass.backwards = backwards_;
    return made;
}

template <class Acc, class Op>
void scan_engine<Acc, Op>::scan(std::size_t chunk, state& carried, [[maybe_unused]] const summary* own,
                                std::size_t next, summary& ahead) const {
    if constexpr (exact)
        scan_exact(chunk, carried, next, ahead);
    else
        scan_tree(chunk, carried, own, next, ahead);
    if (streaming_) memory_.fence();
    if (exact || count_in(chunk) % core::tile_size == 0) carried.last = Op()(carried.supers, carried.tiles);
}

template <class Acc, class Op>
void scan_engine<Acc, Op>::scan_exact(std::size_t chunk, state& carried, std::size_t next,
                                      summary& ahead) const {
    const std::size_t first = chunk * chunk_size_;
    const std::size_t count = count_in(chunk);
    auto [pass, staged] = plan_output();
    // Pieces only where something is staged or two chunks take turns.
    const bool pieces = staged || streaming_ || in_.direct == nullptr || next != no_chunk;
    const bool plain = !staged && in_.direct != nullptr;
    const std::size_t step = !pieces ? count : plain ? tuning::turn_bytes / sizeof(Acc) : piece_size<Acc>;
    alignas(64) Acc results[piece_size<Acc>];
    alignas(64) Acc inputs[piece_size<Acc>];
    if (next != no_chunk) begin(ahead);
    for (std::size_t i = 0; i < count; i += step) {
        const std::size_t piece = std::min(step, count - i);
        if (next != no_chunk) summarise_piece(next, i, piece, ahead, inputs, nullptr);
        const Acc* x = load(first + i, piece, inputs);
        Acc* y = staged ? results : out_.direct + place(first + i, piece);
        // What this thread reads after this piece, unless a cache has it, where it is found without asking.
        const void* following =
            streaming_ || past_caches_
                ? address((next != no_chunk ? next * chunk_size_ : first) + i + piece, piece)
                : nullptr;
        pass.ahead = staged || in_.direct == nullptr ? nullptr : following;
        carried.supers = kernels_.scan(front(x, piece), front(y, piece), piece, carried.supers, pass);
        if (staged) store(first + i, piece, results, following);
    }
}

template <class Acc, class Op>
void scan_engine<Acc, Op>::scan_tree(std::size_t chunk, state& carried, const summary* own, std::size_t next,
                                     summary& ahead) const {
    constexpr Acc identity = Op::template identity<Acc>();
    const std::size_t first = chunk * chunk_size_;
    const std::size_t count = count_in(chunk);
    auto [pass, staged] = plan_output();
    const bool pieces = staged || past_caches_ || in_.direct == nullptr || own != nullptr || next != no_chunk;
    // Reading and writing take turns in short steps, unless something has to be converted or shifted.
    const bool plain = !staged && in_.direct != nullptr;
    const std::size_t step = !pieces ? core::tile_size : plain ? kernels_.group_size : piece_size<Acc>;
    alignas(64) Acc results[piece_size<Acc>];
    alignas(64) Acc inputs[piece_size<Acc>];
    alignas(64) Acc starts[piece_size<Acc> / core::row_size];
    Acc rows = identity;
    if (next != no_chunk) begin(ahead);
    for (std::size_t i = 0; i < count; i += step) {
        const std::size_t piece = std::min(step, count - i);
        // What this thread reads after this piece.
        const void* following = address((next != no_chunk ? next * chunk_size_ : first) + i + piece, piece);
        if (next != no_chunk)
            summarise_piece(next, i, piece, ahead, inputs, in_.direct == nullptr ? nullptr : following);
        Acc* const y = front(staged ? results : out_.direct + place(first + i, piece), piece);
        if (own != nullptr) {
            kernels_.finish_rows(nested(*own, i), &own->starts[i / core::row_size], y, piece, carried.supers,
                                 carried.tiles, pass);
            if ((i + piece) % core::tile_size == 0) carried.push_tile(own->tile_totals[i / core::tile_size]);
        } else {
            const Acc* const x = front(load(first + i, piece, inputs), piece);
            pass.ahead = staged || in_.direct == nullptr ? nullptr : following;
            if (past_caches_ && piece % core::row_size == 0) {
                kernels_.nest_rows(x, front(results, piece), piece, starts, &rows, pass);
                kernels_.finish_rows(front(results, piece), starts, y, piece, carried.supers, carried.tiles,
                                     pass);
                if (i + piece == count) carried.last = Op()(carried.supers, Op()(carried.tiles, rows));
            } else {
                kernels_.scan_rows(x, y, piece, carried.supers, carried.tiles, &rows, pass,
                                   i + piece == count ? &carried.last : nullptr);
            }
            if ((i + piece) % core::tile_size == 0) {
                carried.push_tile(rows);
                rows = identity;
            }
        }
        if (staged) store(first + i, piece, results, own != nullptr ? nullptr : following);
    }
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
    const bool streaming = worth_streaming(plan, shape) && out.plain &&
                           (out.stride == 1 || (out.stride == -1 && in.stride == -1));
    const engine kernel(ex.simd(), in, out, shape.size, shape.exclusive, streaming,
                        shape.footprint >= streaming_bytes(), plan.elements);
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
