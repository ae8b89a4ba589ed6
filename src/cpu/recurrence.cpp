// The engine of linear recurrences.
#include "upsweep/cpu/recurrence.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "src/cpu/lane_recurrences.hpp"
#include "src/cpu/recurrence_starts.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/axis.hpp"
#include "upsweep/cpu/kernels.hpp"
#include "upsweep/cpu/recurrence_starts.hpp"

namespace upsweep::cpu {
namespace {

// Whether all elements have the same one, and are so many that to know its powers pays.
template <class T>
bool is_one_coefficient(const source<T>& a, std::size_t n) {
    return a.stride == 0 && n > core::row_size;
}

template <class T>
class recurrence_engine {
  public:
    using state = core::tree_carry<affine_map<T>>;
    struct summary {
        std::array<affine_map<T>, core::tiles_per_super> tiles;
    };

    recurrence_engine(simd_level level, const source<T>& a, const source<T>& b, const sink<T>& out,
                      const scan_shape& shape, bool streaming, std::size_t chunk_size)
        : kernels_(affine_kernels_for<T>(level)),
          memory_(memory_kernels_for(level)),
          a_(a),
          b_(b),
          out_(out),
          n_(shape.size),
          streaming_(streaming),
          fences_(streaming && shape.fences),
          chunk_size_(chunk_size) {
        if (!is_constant_) return;
        T coefficient;
        a.load(a, memory_, 0, 1, &coefficient);
        kernels_.make_powers(coefficient, powers_);
    }

    void summarise(std::size_t chunk, summary& made) const {
        const std::size_t first = chunk * chunk_size_;
        const std::size_t count = std::min(chunk_size_, n_ - first);
        buffers space;
        for (std::size_t tile = 0; tile < count; tile += core::tile_size) {
            affine_state<T> within{};
            for (std::size_t i = tile; i < tile + core::tile_size; i += piece_size<T>) {
                fold(first + i, piece_size<T>, space, within);
            }
            made.tiles[tile / core::tile_size] = within.rows;
        }
    }

    void advance(state& carried, std::size_t chunk, const summary& made) const {
        const std::size_t count = std::min(chunk_size_, n_ - chunk * chunk_size_);
        for (std::size_t tile = 0; tile < count / core::tile_size; ++tile)
            carried.push_tile(made.tiles[tile], affine());
    }

    void scan(std::size_t chunk, state& carried, std::size_t /*next*/) const {
        const std::size_t first = chunk * chunk_size_;
        const std::size_t count = std::min(chunk_size_, n_ - first);
        const bool aligned = kernels_.stream_alignment != 0 &&
                             reinterpret_cast<std::uintptr_t>(out_.direct) % kernels_.stream_alignment == 0;
        const bool staged = out_.direct == nullptr || (streaming_ && !aligned);
        scan_pass pass;
        pass.where = streaming_ && !staged ? placement::streamed : placement::cached;
        buffers space;
        alignas(64) T results[piece_size<T>];
        for (std::size_t tile = 0; tile < count; tile += core::tile_size) {
            affine_state<T> within{};
            within.supers = *carried.supers;
            within.has_tiles = carried.tiles.has_value();
            if (carried.tiles) within.tiles = *carried.tiles;
            const std::size_t end = std::min(count, tile + core::tile_size);
            for (std::size_t i = tile; i < end; i += piece_size<T>) {
                const std::size_t piece = std::min(piece_size<T>, end - i);
                scan(first + i, piece, staged ? results : out_.direct + first + i, space, within, pass);
                if (staged) store(first + i, piece, results);
            }
            if (end - tile == core::tile_size) carried.push_tile(within.rows, affine());
        }
        if (fences_) memory_.fence();
    }

  private:
    struct buffers {
        alignas(64) T a[piece_size<T>];
        alignas(64) T b[piece_size<T>];
    };
    void fold(std::size_t first, std::size_t count, buffers& space, affine_state<T>& within) const {
        const T* const b = load(b_, first, count, space.b);
        if (is_constant_)
            kernels_.fold_rows_of(powers_, b, count, within);
        else
            kernels_.fold_rows(load(a_, first, count, space.a), b, count, within);
    }
    void scan(std::size_t first, std::size_t count, T* to, buffers& space, affine_state<T>& within,
              const scan_pass& pass) const {
        const T* const b = load(b_, first, count, space.b);
        if (is_constant_)
            kernels_.scan_rows_of(powers_, b, to, count, within, pass);
        else
            kernels_.scan_rows(load(a_, first, count, space.a), b, to, count, within, pass);
    }
    const T* load(const source<T>& from, std::size_t first, std::size_t count, T* buffer) const {
        if (from.direct != nullptr) return from.direct + first;
        from.load(from, memory_, first, count, buffer);
        return buffer;
    }
    void store(std::size_t first, std::size_t count, const T* from) const {
        if (streaming_)
            memory_.stream(out_.direct + first, from, count * sizeof(T), nullptr);
        else
            out_.store(out_, memory_, first, count, from);
    }

    const affine_kernels<T>& kernels_;
    const memory_kernels& memory_;
    source<T> a_, b_;
    sink<T> out_;
    std::size_t n_;
    bool streaming_;
    bool fences_;
    std::size_t chunk_size_;
    const bool is_constant_ = is_one_coefficient(a_, n_);
    row_powers<T> powers_;  // if so
};

}  // namespace

template <class T>
void run_recurrence(executor& ex, const source<T>& a, const source<T>& b, T x0, const sink<T>& out,
                    const scan_shape& shape) {
    using engine = recurrence_engine<T>;
    const std::size_t read_bytes =
        (is_one_coefficient(a, shape.size) ? 0 : std::max(a.element_size, sizeof(T))) +
        std::max(b.element_size, sizeof(T));
    const chunking plan = chunking::plan(ex, shape.size, read_bytes, out.element_size, shape.footprint,
                                         tuning::recurrence_cost);
    const bool streaming = worth_streaming(ex, plan, shape) && out.direct != nullptr &&
                           shape.size >= tuning::streamed_recurrence;
    const engine kernel(ex.simd(), a, b, out, shape, streaming, plan.elements);
    run_chunks(ex, plan, kernel, typename engine::state{affine_map<T>{T(0), x0}, {}, 0});
}

namespace {

// Sequences of up to so many bytes are lanes wherever they lie, gathered to columns of buffers, if there are
// a few of them: by itself each takes some 30 ns to begin, and several times as long for what is less than a
// row. Of longer ones from memory gathering takes longer.
constexpr std::size_t longest_gathered = 448;
constexpr std::size_t least_gathered = 4;

template <class T>
void run_sequences(executor& ex, const source<T>& a, const source<T>& b, const recurrence_starts<T>& starts,
                   const sink<T>& out, const core::axis_geometry& geometry, bool in_place) {
    using lanes = lane_recurrences<T>;
    if (lanes::are_side_by_side(geometry) ||
        (geometry.length * sizeof(T) <= longest_gathered && geometry.fastest().extent >= least_gathered))
        return lanes(ex, a, b, starts, out, geometry, in_place).run();
    const std::size_t bytes = (a.stride == 0 ? 0 : a.element_size) + b.element_size + out.element_size;
    const std::size_t length = geometry.length;
    const std::size_t footprint = length * geometry.sequence_count * bytes;
    const auto recur = [&](executor& with, std::size_t sequence) {
        const auto at = geometry.begin(sequence);
        run_recurrence<T>(with, moved(a, at.in), moved(b, at.second), starts.of(at.second),
                          moved(out, at.out), {length, false, in_place, footprint, with.threads() > 1});
    };
    const bool alone_streams =
        worth_streaming(ex, {length, 1, 0, false}, {length, false, in_place, footprint});
    for_each_sequence(ex, geometry, bytes, recur, [&] {
        if (alone_streams) memory_kernels_for(ex.simd()).fence();
    });
}

}  // namespace

template <class T>
void run_axis_recurrence(executor& ex, const source<T>& a, const source<T>& b, T x0, const sink<T>& out,
                         const core::axis_geometry& geometry, bool in_place) {
    run_sequences<T>(ex, a, b, recurrence_starts<T>(x0), out, geometry, in_place);
}

template <class T>
void run_axis_recurrence(executor& ex, const source<T>& a, const source<T>& b, const source<T>& starts,
                         const sink<T>& out, const core::axis_geometry& geometry, bool in_place) {
    const recurrence_starts<T> own(starts, memory_kernels_for(ex.simd()));
    run_sequences<T>(ex, a, b, own, out, geometry, in_place);
}

template void run_recurrence<float>(executor&, const source<float>&, const source<float>&, float,
                                    const sink<float>&, const scan_shape&);
template void run_recurrence<double>(executor&, const source<double>&, const source<double>&, double,
                                     const sink<double>&, const scan_shape&);
template void run_axis_recurrence<float>(executor&, const source<float>&, const source<float>&, float,
                                         const sink<float>&, const core::axis_geometry&, bool);
template void run_axis_recurrence<double>(executor&, const source<double>&, const source<double>&, double,
                                          const sink<double>&, const core::axis_geometry&, bool);
template void run_axis_recurrence<float>(executor&, const source<float>&, const source<float>&,
                                         const source<float>&, const sink<float>&, const core::axis_geometry&,
                                         bool);
template void run_axis_recurrence<double>(executor&, const source<double>&, const source<double>&,
                                          const source<double>&, const sink<double>&,
                                          const core::axis_geometry&, bool);

}  // namespace upsweep::cpu
