// From typed arguments to the kernels of a reduction in a stream.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "upsweep/cuda/executor.hpp"
#include "upsweep/cuda/held_scratch.hpp"
#include "upsweep/cuda/launch.cuh"
#include "upsweep/cuda/reduce_lanes.cuh"
#include "upsweep/cuda/reduce_lines.cuh"
#include "upsweep/cuda/reduce_short.cuh"
#include "upsweep/cuda/reduce_staged.cuh"
#include "upsweep/cuda/tuning.hpp"

namespace upsweep::cuda {

// Bytes of scratch for so many sequences of at most `length` elements, whichever way they are reduced.
template <class Types>
std::size_t reduce_workspace_bytes_of(std::uint64_t length, std::uint64_t sequences) {
    const std::uint64_t tiles = (length + core::tile_size - 1) / core::tile_size;
    if (tiles <= 1) return 0;
    return detail::tagged_bytes(detail::reduced_levels<Types>::words(sequences, tiles));
}

template <class Types, class Shape>
class reduce_launch {
  public:
    reduce_launch(executor& ex, const Shape& shape) : ex_(ex), shape_(shape), n_(shape.scan.n) {}

    // Of at least one sequence; of one alone there may be no elements.
    void run() {
        const device_scope current(ex_);
        ex_.check_before_launch();
        if constexpr (Shape::is_single)
            lines();
        else
            along_axis();
        check(cudaGetLastError(), "launching a reduction");
    }

  private:
    using column_shape = reduce_columns_shape<Types>;

    [[nodiscard]] std::uint64_t sequences() const { return shape_.sequences(); }

    void along_axis() {
        const core::axis_geometry& geometry = shape_.geometry;
        const core::axis_geometry::dimension next = geometry.fastest();
        if (n_ == 0) return lanes();
        const bool alone = geometry.other_count == 0;
        const std::int64_t across = std::abs(next.in_stride), along = std::abs(geometry.in_stride);
        const bool packed =
            geometry.other_count == 1 && geometry.in_stride == 1 && next.in_stride == std::int64_t(n_);
        const bool is_short = n_ <= std::uint64_t(reduce_turned_shape<Types>::most_elements) && !alone;
        if (packed && n_ <= std::uint64_t(Types::row) && n_ % Types::items == 0 &&
            is_aligned(reduce_lines_shape<Types>::access)) {
            packed_runs();
        } else if (packed && is_short && is_aligned(16)) {
            turned<true>();
        } else if (alone || along < across || (across == 0 && along != 0)) {
            if (is_short)
                turned<false>();
            else
                lines();
        } else if (n_ <= reduce_lanes_to_length || are_many_for_lanes()) {
            lanes();
        } else if (reduce_staged_shape<Types>::takes(geometry, ex_.shared_memory())) {
            staged();
        } else {
            columns(next.extent);
        }
    }

    [[nodiscard]] bool are_many_for_lanes() const {
        const std::uint64_t each =
            n_ <= 1024 ? reduce_lanes_from_short_sequences : reduce_lanes_from_sequences;
        return sequences() >= each * std::uint64_t(ex_.multiprocessors());
    }
    // Blocks for so many pieces of work, of which each takes one after the other.
    template <auto Kernel>
    [[nodiscard]] unsigned blocks(std::uint64_t work, int threads, int shared_bytes) const {
        detail::require_kernel<Kernel>(ex_, shared_bytes);
        const int each = detail::blocks_of_multiprocessor<Kernel>(ex_, threads, shared_bytes);
        return unsigned(std::min(work, std::uint64_t(each) * std::uint64_t(ex_.multiprocessors())));
    }
    template <class Launch>
    void with_levels(std::uint64_t tiles, const Launch& launch) {
        const std::uint64_t words = detail::reduced_levels<Types>::words(sequences(), tiles);
        held_scratch scratch(ex_, ex_.take_scratch(detail::tagged_bytes(words)));
        launch(reinterpret_cast<launch_state*>(scratch.data()),
               reinterpret_cast<unsigned long long*>(scratch.data() + launch_state_bytes));
        scratch.release();
    }

    // Sequences that are neighbours, or tiles of long ones, by a team each.
    void lines() {
        const std::uint64_t tiles = reduce_lines_shape<Types>::tiles(n_);
        const unsigned of_sequence = std::max(reduce_lines_shape<Types>::lines(n_), 1u);
        const unsigned together = 32 / of_sequence;
        const std::uint64_t images =
            tiles <= 1 ? (sequences() + together - 1) / together : sequences() * tiles;
        const bool is_few = images <= reduce_few_images * std::uint64_t(ex_.multiprocessors());
        const auto with_team = [&]<int team>() {
            using line_shape = reduce_lines_shape<Types, team>;
            constexpr int threads = line_shape::threads, shared = line_shape::shared_bytes;
            const std::uint64_t work = (images + line_shape::teams - 1) / line_shape::teams;
            if (tiles <= 1) {
                constexpr auto kernel = &reduce_short_lines_kernel<Types, Shape, team>;
                const unsigned grid = blocks<kernel>(work, threads, shared);
                kernel<<<grid, threads, shared, ex_.stream()>>>(shape_, of_sequence, together);
            } else {
                constexpr auto kernel = &reduce_lines_kernel<Types, Shape, team>;
                const unsigned grid = blocks<kernel>(work, threads, shared);
                // More tiles at a time where every team has many: fewer of them count themselves.
                const std::uint64_t each = images / (std::uint64_t(grid) * line_shape::teams);
                unsigned at_once = 1;
                while (at_once < reduce_most_tiles_at_once && each >= 4 * at_once) at_once *= 2;
                with_levels(tiles, [&](launch_state* state, unsigned long long* tagged) {
                    kernel<<<grid, threads, shared, ex_.stream()>>>(shape_, at_once, state, tagged,
                                                                    ex_.tagged_words());
                });
            }
        };
        if constexpr (reduce_supers_shape<Types>::exists) {
            const std::uint64_t supers = detail::reduced_levels<Types>::supers_of(tiles) * sequences();
            if (tiles >= 32 && supers >= reduce_many_supers * std::uint64_t(ex_.multiprocessors()))
                return by_supers(supers, tiles);
        }
        if (is_few)
            with_team.template operator()<8>();
        else
            with_team.template operator()<1>();
    }
    void by_supers(std::uint64_t supers, std::uint64_t tiles) {
        using shape = reduce_supers_shape<Types>;
        constexpr auto kernel = &reduce_supers_kernel<Types, Shape>;
        const unsigned grid = blocks<kernel>(supers, shape::threads, shape::shared_bytes);
        with_levels(tiles, [&](launch_state* state, unsigned long long* tagged) {
            kernel<<<grid, shape::threads, shape::shared_bytes, ex_.stream()>>>(shape_, state, tagged,
                                                                                ex_.tagged_words());
        });
    }
    // Whether the first sequence begins at a multiple of so many bytes.
    [[nodiscard]] bool is_aligned(int bytes) const {
        const auto* in = static_cast<const detail::axis_input<Types>*>(shape_.scan.in[0]);
        return reinterpret_cast<std::uintptr_t>(in + shape_.geometry.origin.in) % std::uintptr_t(bytes) == 0;
    }
    void packed_runs() {
        using line_shape = reduce_lines_shape<Types>;
        constexpr int threads = line_shape::threads, shared = line_shape::shared_bytes;
        constexpr auto kernel = &reduce_packed_runs_kernel<Types>;
        const auto runs = unsigned(n_ / Types::items);
        const std::uint64_t each = 32 * 32 / runs * line_shape::teams;
        const unsigned grid = blocks<kernel>((sequences() + each - 1) / each, threads, shared);
        kernel<<<grid, threads, shared, ex_.stream()>>>(shape_, runs);
    }
    template <bool Packed>
    void turned() {
        using turned_shape = reduce_turned_shape<Types>;
        constexpr auto kernel = &reduce_turned_kernel<Types, Packed>;
        const int shared = turned_shape::shared_bytes(n_);
        const std::uint64_t each = turned_shape::together(n_) * turned_shape::warps;
        detail::require_kernel<kernel>(ex_, turned_shape::most_shared_bytes);
        const std::uint64_t work = (sequences() + each - 1) / each;
        kernel<<<unsigned(std::min<std::uint64_t>(work, 0x7fffffffu)), turned_shape::threads, shared,
                 ex_.stream()>>>(shape_);
    }
    void lanes() {
        constexpr auto kernel = &reduce_lanes_kernel<Types>;
        const std::uint64_t work = (sequences() + reduce_lanes_threads - 1) / reduce_lanes_threads;
        kernel<<<blocks<kernel>(work, reduce_lanes_threads, 0), reduce_lanes_threads, 0, ex_.stream()>>>(
            shape_);
    }
    void staged() {
        if constexpr (reduce_staged_shape<Types>::exists) {
            using staged_shape = reduce_staged_shape<Types>;
            const int available = ex_.shared_memory();
            const reduce_staged_plan plan =
                staged_shape::plan(shape_.geometry, available, ex_.multiprocessors());
            const int threads = int(32 * plan.warps), shared = staged_shape::shared_bytes(plan);
            const std::uint64_t tiles = sequences() / plan.columns.columns * plan.tiles;
            // As many as have room, roughly; more of them would wait for these.
            const auto at_once =
                std::uint64_t(std::clamp(available / shared, 1, 16)) * std::uint64_t(ex_.multiprocessors());
            const auto grid = unsigned(std::min((tiles + plan.together - 1) / plan.together, at_once));
            if (plan.tiles <= 1) {
                constexpr auto kernel = &reduce_staged_kernel<Types, false>;
                detail::require_kernel<kernel>(ex_, staged_shape::most_shared_bytes(available));
                kernel<<<grid, threads, shared, ex_.stream()>>>(shape_, plan, nullptr, nullptr, 0);
                return;
            }
            constexpr auto kernel = &reduce_staged_kernel<Types, true>;
            detail::require_kernel<kernel>(ex_, staged_shape::most_shared_bytes(available));
            with_levels(plan.tiles, [&](launch_state* state, unsigned long long* tagged) {
                kernel<<<grid, threads, shared, ex_.stream()>>>(shape_, plan, state, tagged,
                                                                ex_.tagged_words());
            });
        }
    }
    void columns(std::uint64_t extent) {
        constexpr int threads = column_shape::threads, shared = column_shape::shared_bytes;
        const std::uint64_t in_a_row = (extent + 31) / 32;  // groups, as wide as each other
        const auto width = unsigned((extent + in_a_row - 1) / in_a_row);
        const reduce_columns_plan plan{width, 32 / width, (sequences() + width - 1) / width};
        const std::uint64_t tiles = (n_ + core::tile_size - 1) / core::tile_size;
        if (tiles <= 1) {
            constexpr auto kernel = &reduce_short_columns_kernel<Types>;
            kernel<<<blocks<kernel>(plan.groups, threads, shared), threads, shared, ex_.stream()>>>(shape_,
                                                                                                    plan);
            return;
        }
        constexpr auto kernel = &reduce_columns_kernel<Types>;
        const unsigned grid = blocks<kernel>(plan.groups * tiles, threads, shared);
        with_levels(tiles, [&](launch_state* state, unsigned long long* tagged) {
            kernel<<<grid, threads, shared, ex_.stream()>>>(shape_, plan, state, tagged, ex_.tagged_words());
        });
    }

    executor& ex_;
    const Shape& shape_;
    std::uint64_t n_;  // elements of a sequence
};

}  // namespace upsweep::cuda
