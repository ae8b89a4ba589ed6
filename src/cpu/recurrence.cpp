// The engine of linear recurrences.
#include "upsweep/cpu/recurrence.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/axis.hpp"
#include "upsweep/cpu/kernels.hpp"
#include "upsweep/cpu/tasks.hpp"

namespace upsweep::cpu {
namespace {

template <class T>
class recurrence_engine {
  public:
    static constexpr double first_share = 0.6;

    using state = core::tree_carry<affine_map<T>>;
    struct summary {
        std::array<affine_map<T>, core::tiles_per_super> tiles;
    };

    recurrence_engine(simd_level level, const source<T>& a, const source<T>& b, const sink<T>& out,
                      std::size_t n, bool streaming, std::size_t chunk_size)
        : kernels_(affine_kernels_for<T>(level)),
          memory_(memory_kernels_for(level)),
          a_(a),
          b_(b),
          out_(out),
          n_(n),
          streaming_(streaming),
          chunk_size_(chunk_size) {}

    void summarise(std::size_t chunk, summary& made) const {
        const std::size_t first = chunk * chunk_size_;
        const std::size_t count = std::min(chunk_size_, n_ - first);
        buffers space;
        for (std::size_t tile = 0; tile < count; tile += core::tile_size) {
            affine_state<T> within{};
            for (std::size_t i = tile; i < tile + core::tile_size; i += piece_size<T>) {
                kernels_.fold_rows(load(a_, first + i, piece_size<T>, space.a),
                                   load(b_, first + i, piece_size<T>, space.b), piece_size<T>, within);
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
                kernels_.scan_rows(load(a_, first + i, piece, space.a), load(b_, first + i, piece, space.b),
                                   staged ? results : out_.direct + first + i, piece, within, pass);
                if (staged) store(first + i, piece, results);
            }
            if (end - tile == core::tile_size) carried.push_tile(within.rows, affine());
        }
        if (streaming_) memory_.fence();
    }

  private:
    struct buffers {
        alignas(64) T a[piece_size<T>];
        alignas(64) T b[piece_size<T>];
    };
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
    std::size_t chunk_size_;
};

}  // namespace

template <class T>
void run_recurrence(executor& ex, const source<T>& a, const source<T>& b, T x0, const sink<T>& out,
                    const scan_shape& shape) {
    using engine = recurrence_engine<T>;
    const std::size_t read_bytes = std::max(a.element_size, sizeof(T)) + std::max(b.element_size, sizeof(T));
    const chunking plan = chunking::plan(ex, shape.size, read_bytes, out.element_size, shape.footprint,
                                         tuning::recurrence_cost);
    const bool streaming = worth_streaming(ex, plan, shape) && out.direct != nullptr;
    const engine kernel(ex.simd(), a, b, out, shape.size, streaming, plan.elements);
    run_chunks(ex, plan, kernel, typename engine::state{affine_map<T>{T(0), x0}, {}, 0});
}

namespace {

// Recurrences side by side in memory, a block of lanes at a time: a thread takes one from end to end, run by
// run. Rows of other types, or whose lanes are apart, pass through a buffer.
template <class T>
class lane_recurrences {
  public:
    static constexpr std::size_t block_lanes = 4096 / sizeof(T);
    static constexpr std::size_t least_lanes = 64 / sizeof(T);  // of a block, where they are shared

    lane_recurrences(executor& ex, const source<T>& a, const source<T>& b, T x0, const sink<T>& out,
                     const core::axis_geometry& geometry)
        : ex_(ex),
          kernels_(affine_kernels_for<T>(ex.simd())),
          memory_(memory_kernels_for(ex.simd())),
          a_(a),
          b_(b),
          out_(out),
          geometry_(geometry),
          x0_(x0) {}

    void run() const {
        const std::size_t row_lanes = geometry_.fastest().extent;
        const std::size_t rows = geometry_.sequence_count / row_lanes;
        const std::size_t bytes = a_.element_size + b_.element_size + out_.element_size;
        const std::size_t threads = ex_.helpers_for(geometry_.length * geometry_.sequence_count * bytes) + 1;
        const std::size_t fair = row_lanes * rows / threads / least_lanes * least_lanes;
        const std::size_t lanes = std::clamp(fair, least_lanes, block_lanes);
        const std::size_t blocks = (row_lanes + lanes - 1) / lanes;
        for_each_task(ex_, std::min(threads, rows * blocks) - 1, rows * blocks, [&](std::size_t task) {
            const std::size_t first = task % blocks * lanes;
            scan_block(geometry_.begin(task / blocks * row_lanes + first),
                       std::min(lanes, row_lanes - first));
        });
    }

  private:
    struct accumulators {
        alignas(64) T runs_a[block_lanes], runs_b[block_lanes], rows_a[block_lanes], rows_b[block_lanes],
            tiles_a[block_lanes], tiles_b[block_lanes], supers[block_lanes];
    };
    struct buffers {
        alignas(64) T a[core::run_size][block_lanes], b[core::run_size][block_lanes],
            y[core::run_size][block_lanes];
    };

    void scan_block(const core::axis_geometry::offsets& at, std::size_t lanes) const {
        accumulators own;
        buffers space;
        std::fill_n(own.supers, lanes, x0_);
        affine_lanes<T> state{own.runs_a,  own.runs_b, own.rows_a, own.rows_b, own.tiles_a,
                              own.tiles_b, own.supers, false,      false,      false};
        const core::axis_geometry::dimension next = geometry_.fastest();
        for (std::size_t i = 0; i < geometry_.length; i += core::run_size) {
            const std::size_t count = std::min(core::run_size, geometry_.length - i);
            const T *a[core::run_size], *b[core::run_size];
            T* y[core::run_size];
            std::array<sink<T>, core::run_size> to;
            for (std::size_t m = 0; m < count; ++m) {
                const auto row = static_cast<std::ptrdiff_t>(i + m);
                a[m] = load(a_, at.in + row * a_.stride, next.in_stride, lanes, space.a[m]);
                b[m] = load(b_, at.second + row * b_.stride, next.second_stride, lanes, space.b[m]);
                to[m] = across(out_, at.out + row * out_.stride, next.out_stride);
                y[m] = to[m].direct != nullptr ? to[m].direct : space.y[m];
            }
            kernels_.scan_lanes(a, b, y, count, lanes, state);
            for (std::size_t m = 0; m < count; ++m)
                if (to[m].direct == nullptr) to[m].store(to[m], memory_, 0, lanes, y[m]);
            state.has_runs = true;
            carry(state, i + count, lanes);
        }
    }
    // The row of lanes that begins so many elements on, as an array of its own.
    template <class End>
    static End across(End end, std::ptrdiff_t offset, std::ptrdiff_t stride) {
        end.direct = nullptr;
        end = moved(end, offset);
        end.stride = stride;
        if (end.plain && stride == 1) end.direct = static_cast<decltype(end.direct)>(end.data);
        return end;
    }
    const T* load(const source<T>& from, std::ptrdiff_t offset, std::ptrdiff_t stride, std::size_t lanes,
                  T* buffer) const {
        const source<T> row = across(from, offset, stride);
        if (row.direct != nullptr) return row.direct;
        row.load(row, memory_, 0, lanes, buffer);
        return buffer;
    }

    // Full rows, tiles and supers go up, after element `done`.
    static void carry(affine_lanes<T>& state, std::size_t done, std::size_t lanes) {
        if (done % core::row_size != 0) return;
        append(state.rows_a, state.rows_b, state.has_rows, state.runs_a, state.runs_b, lanes);
        state.has_runs = false;
        if (done % core::tile_size != 0) return;
        append(state.tiles_a, state.tiles_b, state.has_tiles, state.rows_a, state.rows_b, lanes);
        state.has_rows = false;
        if (done % (core::tile_size * core::tiles_per_super) != 0) return;
        for (std::size_t l = 0; l < lanes; ++l)
            state.supers[l] = affine()(affine_map<T>{T(0), state.supers[l]},
                                       affine_map<T>{state.tiles_a[l], state.tiles_b[l]})
                                  .b;
        state.has_tiles = false;
    }
    static void append(T* to_a, T* to_b, bool& present, const T* a, const T* b, std::size_t lanes) {
        for (std::size_t l = 0; l < lanes; ++l) {
            const affine_map<T> total{a[l], b[l]};
            const affine_map<T> made = present ? affine()(affine_map<T>{to_a[l], to_b[l]}, total) : total;
            to_a[l] = made.a;
            to_b[l] = made.b;
        }
        present = true;
    }

    executor& ex_;
    const affine_kernels<T>& kernels_;
    const memory_kernels& memory_;
    source<T> a_, b_;
    sink<T> out_;
    const core::axis_geometry& geometry_;
    T x0_;
};

}  // namespace

template <class T>
void run_axis_recurrence(executor& ex, const source<T>& a, const source<T>& b, T x0, const sink<T>& out,
                         const core::axis_geometry& geometry, bool in_place) {
    const auto next = geometry.fastest();
    // Neighbours in memory belong to different sequences, of which there are enough for a vector.
    if (next.extent >= lane_recurrences<T>::least_lanes &&
        std::abs(next.out_stride) < std::abs(geometry.out_stride))
        return lane_recurrences<T>(ex, a, b, x0, out, geometry).run();
    const std::size_t bytes = a.element_size + b.element_size + out.element_size;
    for_each_sequence(ex, geometry, bytes, [&](executor& with, std::size_t sequence) {
        const auto at = geometry.begin(sequence);
        run_recurrence<T>(with, moved(a, at.in), moved(b, at.second), x0, moved(out, at.out),
                          {geometry.length, false, in_place, geometry.length * bytes});
    });
}

template void run_recurrence<float>(executor&, const source<float>&, const source<float>&, float,
                                    const sink<float>&, const scan_shape&);
template void run_recurrence<double>(executor&, const source<double>&, const source<double>&, double,
                                     const sink<double>&, const scan_shape&);
template void run_axis_recurrence<float>(executor&, const source<float>&, const source<float>&, float,
                                         const sink<float>&, const core::axis_geometry&, bool);
template void run_axis_recurrence<double>(executor&, const source<double>&, const source<double>&, double,
                                          const sink<double>&, const core::axis_geometry&, bool);

}  // namespace upsweep::cpu
