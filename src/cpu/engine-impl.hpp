// Bodies of the CPU engine's templates; included by the files that instantiate them.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "upsweep/cpu/engine.hpp"

namespace upsweep::cpu {

template <class Acc, bool Exact>
void scan_engine<Acc, Exact>::summarise(std::size_t chunk, summary& made) const {
    const std::size_t count = count_in(chunk);
    const std::size_t step = in_.direct == nullptr ? piece_size<Acc> : Exact ? count : core::tile_size;
    alignas(64) Acc buffer[piece_size<Acc>];
    for (std::size_t i = 0; i < count; i += step)
        summarise(chunk, i, std::min(step, count - i), buffer, made);
}

template <class Acc, bool Exact>
void scan_engine<Acc, Exact>::summarise(std::size_t chunk, std::size_t i, std::size_t count, Acc* buffer,
                                        summary& made) const {
    const Acc* x = load(chunk * chunk_size_ + i, count, buffer);
    if constexpr (Exact) {
        made.total = kernels_.fold(x, count, i == 0 ? op_.identity : made.total);
    } else {
        Acc& rows = made.tile_totals[i / core::tile_size];
        if (i % core::tile_size == 0) rows = op_.identity;
        kernels_.fold_rows(front(x, count), count, &rows, {backwards_});
    }
}

template <class Acc, bool Exact>
void scan_engine<Acc, Exact>::store(std::size_t first, std::size_t count, const Acc* from,
                                    const void* ahead) const {
    const std::size_t at = place(first, count);
    if (streaming_)
        memory_.stream(out_.direct + at, from, count * sizeof(Acc), ahead);
    else
        out_.store(out_, memory_, at, count, from);
}

template <class Acc, bool Exact>
void scan_engine<Acc, Exact>::advance(state& carried, std::size_t chunk, const summary& made) const {
    if constexpr (Exact) {
        carried.supers = op_.combine(carried.supers, made.total);
    } else {
        for (std::size_t tile = 0; tile < count_in(chunk) / core::tile_size; ++tile)
            carried.push_tile(op_, made.tile_totals[tile]);
    }
}

template <class Acc, bool Exact>
auto scan_engine<Acc, Exact>::plan_output() const -> output {
    output made;
    made.staged = out_.direct == nullptr || (streaming_ && !streams_directly());
    made.pass.where = streaming_ && !made.staged ? placement::streamed : placement::cached;
    made.pass.exclusive = exclusive_;
    made.pass.backwards = backwards_;
    made.pass.steady = streams_steadily();
    made.pass.claims = claims_lines();
    return made;
}

template <class Acc, bool Exact>
void scan_engine<Acc, Exact>::scan(std::size_t chunk, state& carried, std::size_t next,
                                   summary* of_next) const {
    if constexpr (Exact)
        scan_exact(chunk, carried, next, of_next);
    else
        scan_tree(chunk, carried, next, of_next);
    if (fences_) memory_.fence();
    if (Exact || count_in(chunk) % core::tile_size == 0)
        carried.last = op_.combine(carried.supers, carried.tiles);
}

template <class Acc, bool Exact>
input_ahead scan_engine<Acc, Exact>::following(std::size_t chunk, std::size_t i, std::size_t count,
                                               std::size_t next) const {
    if (lead_ == 0) return {};
    if (next != no_chunk) return {address(next * chunk_size_ + i, count), true};
    // Processors' own look-ahead follows exact kernels, which read one line after the other.
    return {address(chunk * chunk_size_ + i + lead_ / in_.element_size, count),
            !Exact && lead_ >= tuning::lead_bytes};
}

template <class Acc, bool Exact>
void scan_engine<Acc, Exact>::scan_exact(std::size_t chunk, state& carried, std::size_t next,
                                         summary* of_next) const {
    const std::size_t first = chunk * chunk_size_;
    const std::size_t count = count_in(chunk);
    auto [pass, staged] = plan_output();
    const bool plain = !staged && in_.direct != nullptr;
    const std::size_t step = !plain ? piece_size<Acc> : of_next == nullptr ? count : stretch_size;
    alignas(64) Acc buffer[piece_size<Acc>];
    for (std::size_t i = 0; i < count; i += step) {
        const std::size_t piece = std::min(step, count - i);
        const Acc* x = load(first + i, piece, buffer);
        Acc* y = staged ? buffer : out_.direct + place(first + i, piece);
        const input_ahead ahead = following(chunk, i, piece, next);
        if (plain) pass.ahead = ahead;
        carried.supers = kernels_.scan(front(x, piece), front(y, piece), piece, carried.supers, pass);
        if (staged) store(first + i, piece, buffer, ahead.from);
        if (of_next != nullptr) summarise(next, i, piece, nullptr, *of_next);
    }
}

template <class Acc, bool Exact>
void scan_engine<Acc, Exact>::scan_tree(std::size_t chunk, state& carried, std::size_t next,
                                        summary* of_next) const {
    const Acc identity = op_.identity;
    const std::size_t first = chunk * chunk_size_;
    const std::size_t count = count_in(chunk);
    auto [pass, staged] = plan_output();
    const bool plain = !staged && in_.direct != nullptr;
    const std::size_t step = plain ? stretch_size : piece_size<Acc>;
    alignas(64) Acc buffer[piece_size<Acc>];
    Acc rows = identity;
    for (std::size_t i = 0; i < count; i += step) {
        const std::size_t piece = std::min(step, count - i);
        const Acc* x = load(first + i, piece, buffer);
        Acc* y = staged ? buffer : out_.direct + place(first + i, piece);
        const input_ahead ahead = following(chunk, i, piece, next);
        if (plain) pass.ahead = ahead;
        kernels_.scan_rows(front(x, piece), front(y, piece), piece, carried.supers, carried.tiles, &rows,
                           pass, i + piece == count ? &carried.last : nullptr);
        if ((i + piece) % core::tile_size == 0) {
            carried.push_tile(op_, rows);
            rows = identity;
        }
        if (staged) store(first + i, piece, buffer, ahead.from);
        if (of_next != nullptr) summarise(next, i, piece, nullptr, *of_next);
    }
}

// Whether the kernels stream to where the results belong.
template <class Acc, bool Exact>
bool scan_engine<Acc, Exact>::streams_directly() const {
    const Acc* edge = backwards_ ? out_.direct + n_ : out_.direct;
    if constexpr (!Exact) {
        const std::size_t group = kernels_.group;
        if (n_ < tuning::streamed_least_groups * group && n_ % group != 0) return false;
    }
    return kernels_.stream_alignment != 0 &&
           reinterpret_cast<std::uintptr_t>(edge) % kernels_.stream_alignment == 0;
}

template <class Acc, bool Exact>
Acc run_scan(const operation<Acc, Exact>& op, executor& ex, const source<Acc>& in, const sink<Acc>& out,
             const scan_shape& shape, core::tree_carry<Acc>& carry) {
    using engine = scan_engine<Acc, Exact>;
    chunk_room room{engine::chunk_cache_part};
    if (shape.in_place) room = room.in_place();
    const chunking plan = chunking::plan(ex, shape.size, std::max(in.element_size, sizeof(Acc)),
                                         std::max(out.element_size, sizeof(Acc)), shape.footprint, 1, room);
    const bool streaming = worth_streaming(ex, plan, shape) && out.plain &&
                           (out.stride == 1 || (out.stride == -1 && in.stride == -1));
    const engine kernel(op, ex.simd(), in, out, shape, streaming, scan_lead<Acc, Exact>(ex, shape.footprint),
                        plan.elements);
    typename engine::state state(op.identity);
    if (carry.supers) state.supers = *carry.supers;
    if (carry.tiles) state.tiles = *carry.tiles;
    state.tile_count = carry.tile_count;
    state = run_chunks(ex, plan, kernel, state);
    carry.supers = state.supers;
    carry.tiles = state.tiles;
    carry.tile_count = state.tile_count;
    return state.last;
}

}  // namespace upsweep::cpu
