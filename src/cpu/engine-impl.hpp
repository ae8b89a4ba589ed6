// Bodies of the CPU engine's templates; included by the files that instantiate them.
#pragma once

#include "upsweep/cpu/engine.hpp"

namespace upsweep::cpu {

template <class Acc, class Op>
void scan_engine<Acc, Op>::summarise(std::size_t chunk, summary& made) const {
    const std::size_t first = chunk * chunk_size_;
    const std::size_t count = count_in(chunk);
    if constexpr (exact) {
        Acc total = Op::template identity<Acc>();
        alignas(64) Acc buffer[piece_size<Acc>];
        const std::size_t step = in_.direct != nullptr ? count : piece_size<Acc>;
        for (std::size_t i = 0; i < count; i += step) {
            const std::size_t piece = std::min(step, count - i);
            total = kernels_.fold(load(first + i, piece, buffer), piece, total);
        }
        made.totals[0] = total;
    } else if (in_.direct != nullptr) {
        kernels_.tile_totals(in_.direct + first, count / core::tile_size, made.totals.data());
    } else {
        alignas(64) Acc buffer[core::tile_size];
        for (std::size_t tile = 0; tile < count / core::tile_size; ++tile) {
            const Acc* x = load(first + tile * core::tile_size, core::tile_size, buffer);
            kernels_.tile_totals(x, 1, &made.totals[tile]);
        }
    }
}

template <class Acc, class Op>
void scan_engine<Acc, Op>::advance(state& carried, std::size_t chunk, const summary& made) const {
    if constexpr (exact) {
        carried.supers = Op()(carried.supers, made.totals[0]);
    } else {
        for (std::size_t tile = 0; tile < count_in(chunk) / core::tile_size; ++tile) carried.push_tile(made.totals[tile]);
    }
}

// Asks for the lines of elements [first, first + count), which this thread reads next.
template <class Acc, class Op>
void scan_engine<Acc, Op>::prefetch(std::size_t first, std::size_t count) const {
    if (first >= n_) return;
    const char* from = static_cast<const char*>(in_.data) +
                       static_cast<std::ptrdiff_t>(first * in_.element_size) * in_.stride;
    const auto bytes = static_cast<std::ptrdiff_t>(std::min(count, n_ - first) * in_.element_size);
    if (in_.stride == 1) {
        for (std::ptrdiff_t i = 0; i < bytes; i += 64) __builtin_prefetch(from + i);
    } else if (in_.stride == -1) {
        for (std::ptrdiff_t i = 0; i < bytes; i += 64) __builtin_prefetch(from - i);
    }
}

template <class Acc, class Op>
void scan_engine<Acc, Op>::scan(std::size_t chunk, state& carried, std::size_t next) const {
    const std::size_t first = chunk * chunk_size_;
    const std::size_t count = count_in(chunk);
    const bool staged = exclusive_ || streaming_ || out_.direct == nullptr;
    const bool whole = in_.direct != nullptr && !staged;  // nothing to stage: no pieces needed
    // One element in front holds the value before the piece, so that an exclusive scan is the same buffer shifted.
    alignas(64) Acc buffer[64 / sizeof(Acc) + piece_size<Acc>];
    Acc* const results = buffer + 64 / sizeof(Acc);
    alignas(64) Acc inputs[piece_size<Acc>];
    Acc last = Op()(carried.supers, carried.tiles);
    Acc rows = Op::template identity<Acc>();
    const std::size_t step = !whole ? piece_size<Acc> : exact ? count : core::tile_size;
    for (std::size_t i = 0; i < count; i += step) {
        const std::size_t piece = std::min(step, count - i);
        const Acc* x = load(first + i, piece, inputs);
        Acc* y = staged ? results : out_.direct + first + i;
        if (next * chunk_size_ < n_) prefetch(next * chunk_size_ + i, piece);
        results[-1] = last;
        if constexpr (exact) {
            carried.supers = kernels_.scan(x, y, piece, carried.supers);
        } else {
            kernels_.scan_rows(x, y, piece, carried.supers, carried.tiles, &rows);
            if ((i + piece) % core::tile_size == 0) {
                carried.push_tile(rows);
                rows = Op::template identity<Acc>();
            }
        }
        last = y[piece - 1];
        if (staged) store(first + i, piece, exclusive_ ? results - 1 : results);
    }
    if (streaming_) memory_.fence();
    carried.last = last;
}

template <class Acc, class Op>
Acc run_scan(executor& ex, const source<Acc>& in, const sink<Acc>& out, const scan_shape& shape, core::tree_carry<Acc>& carry) {
    using engine = scan_engine<Acc, Op>;
    const chunking plan = chunking::plan(shape.size, in.element_size, out.element_size, ex.threads());
    const bool streaming = !shape.in_place && out.direct != nullptr && shape.footprint >= streaming_bytes();
    const engine kernel(ex.simd(), in, out, shape.size, shape.exclusive, streaming, plan.elements);
    typename engine::state state;
    if (carry.supers) state.supers = *carry.supers;
    if (carry.tiles) state.tiles = *carry.tiles;
    state.tile_count = carry.tile_count;
    if (plan.count == 1) kernel.scan(0, state, 1);
    else state = run_chain(ex, plan.helpers, plan.count, kernel, state);
    carry.supers = state.supers;
    carry.tiles = state.tiles;
    carry.tile_count = state.tile_count;
    return state.last;
}

}  // namespace upsweep::cpu
