// Bodies of the segmented engine; included by the file that instantiates them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/cpu/segmented.hpp"

namespace upsweep::cpu {

// Integers are held unsigned: sums and products are the same modulo 2^k.
template <class Acc>
segmented_lane<Acc> as_lane(Acc value) {
    if constexpr (std::is_integral_v<Acc>)
        return static_cast<std::make_unsigned_t<Acc>>(value);
    else
        return value;
}

template <class Acc, class Op>
class segmented_engine {
  public:
    using lane = segmented_lane<Acc>;
    // Elements that are staged at once: whole groups of rows at every SIMD level.
    static constexpr std::size_t piece_elements = std::max(core::row_size, piece_bytes / sizeof(lane));

    struct state {
        lane supers = Op::template identity<lane>();
        lane tiles = Op::template identity<lane>();
        std::uint64_t tile_count = 0;
        lane last = Op::template identity<lane>();

        // Appends a tile of which `rows` is the fold of all, or of what follows its last head.
        void push_tile(const segment_state<lane>& made) {
            if (made.has_head) supers = tiles = Op::template identity<lane>();
            tiles = Op()(tiles, made.rows);
            if (++tile_count % core::tiles_per_super == 0) {
                supers = Op()(supers, tiles);
                tiles = Op::template identity<lane>();
            }
        }
    };
    struct summary {
        std::array<segment_state<lane>, core::tiles_per_super> tiles;
    };

    segmented_engine(simd_level level, const source<Acc>& in, const sink<Acc>& out, const scan_shape& shape,
                     const head_marks& heads, const segment_options<Acc>& options, bool streaming,
                     std::size_t chunk_size)
        : kernels_(segmented_kernels_for<lane, Op>(level)),
          memory_(memory_kernels_for(level)),
          in_(in),
          out_(out),
          n_(shape.size),
          exclusive_(shape.exclusive),
          backwards_(in.stride == -1 && out.stride == -1),
          streaming_(streaming),
          heads_(heads),
          initial_(options.initial),
          before_(options.before ? as_lane(*options.before) : Op::template identity<lane>()),
          chunk_size_(chunk_size) {
        if (backwards_) {
            in_ = lying_forwards(in_, n_);
            out_ = lying_forwards(out_, n_);
        }
    }

    void summarise(std::size_t chunk, summary& made) const {
        const std::size_t first = chunk * chunk_size_;
        const std::size_t count = std::min(chunk_size_, n_ - first);
        buffers space;
        for (std::size_t tile = 0; tile < count; tile += core::tile_size) {
            segment_state<lane>& into = made.tiles[tile / core::tile_size];
            into = fresh();
            fold_rows(first + tile, core::tile_size, into, space);
        }
    }
    [[nodiscard]] segment_state<lane> fold_part(std::size_t first, std::size_t count) const {
        segment_state<lane> made = fresh();
        buffers space;
        fold_rows(first, count, made, space);
        return made;
    }

    void advance(state& carried, std::size_t chunk, const summary& made) const {
        const std::size_t count = std::min(chunk_size_, n_ - chunk * chunk_size_);
        for (std::size_t tile = 0; tile < count / core::tile_size; ++tile)
            carried.push_tile(made.tiles[tile]);
    }

    void scan(std::size_t chunk, state& carried, std::size_t /*next*/) const {
        const std::size_t first = chunk * chunk_size_;
        const std::size_t count = std::min(chunk_size_, n_ - first);
        buffers space;
        for (std::size_t tile = 0; tile < count; tile += core::tile_size) {
            segment_state<lane> within = fresh();
            within.supers = carried.supers;
            within.tiles = carried.tiles;
            const std::size_t size = std::min(count - tile, core::tile_size);
            scan_rows(first + tile, size, within, space);
            if (size == core::tile_size) carried.push_tile(within);
            carried.last = within.last;
        }
        if (streaming_) memory_.fence();
    }
    void scan_part(const segment_part<Acc>& part, segment_state<lane>& within) const {
        buffers space;
        scan_rows(part.first, part.count, within, space, part.wanted, part.asks);
    }

    static segment_state<lane> fresh() {
        constexpr lane identity = Op::template identity<lane>();
        return {identity, identity, identity, false, identity};
    }

  private:
    struct buffers {
        alignas(64) lane values[piece_elements];
        alignas(64) Acc elements[piece_elements];
        std::uint64_t heads[words_of(piece_elements)];
        std::size_t hint = 0;
    };
    // Whole rows of one tile.
    void fold_rows(std::size_t first, std::size_t count, segment_state<lane>& into, buffers& space) const {
        for (std::size_t i = 0; i < count; i += piece_elements) {
            const std::size_t piece = std::min(piece_elements, count - i);
            const lane* x = load(first + i, piece, space);
            kernels_.fold_rows(front(x, piece), piece, space.heads, into, backwards_);
        }
    }
    // The same, of which the last row may be part-filled.
    void scan_rows(std::size_t first, std::size_t count, segment_state<lane>& within, buffers& space,
                   const std::uint64_t* wanted = nullptr, bool asks = false) const {
        const bool staged = streaming_ || out_.direct == nullptr || sizeof(lane) != sizeof(Acc);
        scan_pass pass;
        pass.exclusive = exclusive_;
        pass.backwards = backwards_;
        alignas(64) lane results[piece_elements];
        for (std::size_t i = 0; i < count; i += piece_elements) {
            const std::size_t piece = std::min(piece_elements, count - i);
            const lane* x = load(first + i, piece, space);
            lane* y = staged ? results : direct(first + i, piece);
            // What is staged is moved on as a whole.
            if (!staged && wanted != nullptr) pass.wanted = wanted + i / 64;
            if (asks && in_.direct != nullptr && !backwards_)
                pass.ahead = {in_.direct + (first + i + piece), true};
            kernels_.scan_rows(front(x, piece), front(y, piece), piece, space.heads, within, before_, pass);
            if (staged) store(first + i, piece, results, space);
        }
    }
    [[nodiscard]] std::size_t place(std::size_t first, std::size_t count) const {
        return backwards_ ? n_ - first - count : first;
    }
    template <class P>
    [[nodiscard]] P* front(P* lowest, std::size_t count) const {
        return backwards_ ? lowest + (count - 1) : lowest;
    }
    [[nodiscard]] lane* direct(std::size_t first, std::size_t count) const {
        return reinterpret_cast<lane*>(out_.direct + place(first, count));
    }

    // The piece as lanes, lowest address first, and its heads.
    const lane* load(std::size_t first, std::size_t count, buffers& space) const {
        heads_.mark(heads_, memory_, first, count, space.heads, space.hint);
        const std::size_t at = place(first, count);
        const Acc* x = in_.direct != nullptr ? in_.direct + at : space.elements;
        if (in_.direct == nullptr) in_.load(in_, memory_, at, count, space.elements);
        if (sizeof(lane) == sizeof(Acc) && !initial_) return reinterpret_cast<const lane*>(x);
        for (std::size_t i = 0; i < count; ++i) space.values[i] = as_lane(x[i]);
        if (initial_) {
            for (std::size_t word = 0; word < words_of(count); ++word) {
                for (std::uint64_t left = space.heads[word]; left != 0; left &= left - 1) {
                    const std::size_t i = 64 * word + static_cast<std::size_t>(std::countr_zero(left));
                    lane& value = space.values[backwards_ ? count - 1 - i : i];
                    value = Op()(as_lane(*initial_), value);
                }
            }
        }
        return space.values;
    }
    void store(std::size_t first, std::size_t count, const lane* results, buffers& space) const {
        const Acc* from = space.elements;
        if constexpr (sizeof(lane) == sizeof(Acc)) {
            from = reinterpret_cast<const Acc*>(results);
        } else {
            for (std::size_t i = 0; i < count; ++i) space.elements[i] = static_cast<Acc>(results[i]);
        }
        const std::size_t at = place(first, count);
        if (streaming_)
            memory_.stream(out_.direct + at, from, count * sizeof(Acc), nullptr);
        else
            out_.store(out_, memory_, at, count, from);
    }

    const segmented_kernels<lane>& kernels_;
    const memory_kernels& memory_;
    source<Acc> in_;
    sink<Acc> out_;
    std::size_t n_;
    bool exclusive_;
    bool backwards_;
    bool streaming_;
    const head_marks& heads_;
    const std::optional<Acc>& initial_;
    lane before_;
    std::size_t chunk_size_;
};

template <class Acc, class Op>
Acc run_segmented_scan(executor& ex, const source<Acc>& in, const sink<Acc>& out, const scan_shape& shape,
                       const head_marks& heads, const segment_options<Acc>& options,
                       core::tree_carry<Acc>& carry) {
    using engine = segmented_engine<Acc, Op>;
    using lane = typename engine::lane;
    const chunking plan = chunking::plan(ex, shape.size, std::max(in.element_size, sizeof(lane)),
                                         out.element_size, shape.footprint, tuning::segmented_cost);
    const bool streaming = worth_streaming(ex, plan, shape) && out.plain &&
                           (out.stride == 1 || (out.stride == -1 && in.stride == -1));
    const engine kernel(ex.simd(), in, out, shape, heads, options, streaming, plan.elements);
    typename engine::state state;
    if (carry.supers) state.supers = as_lane(*carry.supers);
    if (carry.tiles) state.tiles = as_lane(*carry.tiles);
    state.tile_count = carry.tile_count;
    state = run_chunks(ex, plan, kernel, state);
    carry.supers = static_cast<Acc>(state.supers);
    carry.tiles = static_cast<Acc>(state.tiles);
    carry.tile_count = state.tile_count;
    return static_cast<Acc>(state.last);
}

template <class Acc, class Op>
segment_fold<Acc> fold_segments(const executor& ex, const segment_part<Acc>& part) {
    using engine = segmented_engine<Acc, Op>;
    const engine kernel(ex.simd(), part.in, part.out, part.shape, part.heads, part.options, false,
                        part.shape.size);
    const auto made = kernel.fold_part(part.first, part.count);
    return {static_cast<Acc>(made.rows), made.has_head};
}

template <class Acc, class Op>
segment_fold<Acc> scan_segments(const executor& ex, const segment_part<Acc>& part,
                                const segment_left<Acc>& left) {
    using engine = segmented_engine<Acc, Op>;
    const engine kernel(ex.simd(), part.in, part.out, part.shape, part.heads, part.options, false,
                        part.shape.size);
    auto within = engine::fresh();
    if (left.supers) within.supers = as_lane(*left.supers);
    if (left.tiles) within.tiles = as_lane(*left.tiles);
    if (left.rows) within.rows = as_lane(*left.rows);
    kernel.scan_part(part, within);
    return {static_cast<Acc>(within.rows), within.has_head};
}

}  // namespace upsweep::cpu
