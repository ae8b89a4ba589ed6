// From typed arguments to the kernels of an axis scan in a stream.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "upsweep/cuda/axis_arguments.cuh"
#include "upsweep/cuda/axis_column_plan.cuh"
#include "upsweep/cuda/axis_columns.cuh"
#include "upsweep/cuda/axis_lanes.cuh"
#include "upsweep/cuda/axis_lines.cuh"
#include "upsweep/cuda/axis_lines_ahead.cuh"
#include "upsweep/cuda/axis_packed.cuh"
#include "upsweep/cuda/axis_rows.cuh"
#include "upsweep/cuda/axis_short.cuh"
#include "upsweep/cuda/axis_strides.cuh"
#include "upsweep/cuda/executor.hpp"
#include "upsweep/cuda/held_scratch.hpp"
#include "upsweep/cuda/launch.cuh"
#include "upsweep/cuda/tuning.hpp"

namespace upsweep::cuda {

// Bytes of scratch that a scan of so many sequences of `length` elements needs, whichever way it runs.
template <class Types>
std::size_t axis_workspace_bytes_of(std::uint64_t length, std::uint64_t sequences) {
    using Acc = typename Types::Acc;
    const std::uint64_t rows = axis_row_folds<Types>::values(length, sequences);  // more than tiles need
    std::size_t bytes = launch_state_bytes + std::size_t(rows) * sizeof(Acc);
    if constexpr (column_shape<Types>::exists)
        bytes =
            std::max(bytes, detail::tagged_bytes(column_shape<Types>::published_words(length, sequences)));
    if constexpr (lines_ahead_launch<Types, false>::exists)
        bytes = std::max(bytes, lines_ahead_launch<Types, false>::workspace_bytes(length, sequences));
    return std::max(bytes, workspace_bytes_of<Types>(length));
}

template <class Types, bool Exclusive>
class axis_launch {
  public:
    axis_launch(executor& ex, const axis_arguments<Types>& arguments)
        : ex_(ex), arguments_(arguments), strides_(arguments) {}

    void run() const {
        const device_scope current(ex_);
        ex_.check_before_launch();
        const axis_way way = ex_.chosen_axis_way() == axis_way::automatic ? choose() : ex_.chosen_axis_way();
        check_way(way);
        switch (way) {
            case axis_way::lines:
                lines();
                break;
            case axis_way::line_tiles:
                line_tiles();
                break;
            case axis_way::lines_ahead:
                ahead::run(ex_, in_memory());
                break;
            case axis_way::line_by_line:
                line_by_line();
                break;
            case axis_way::short_lines:
                short_lines();
                break;
            case axis_way::packed_lanes:
                packed_lanes();
                break;
            case axis_way::rows:
                rows();
                break;
            case axis_way::columns:
                columns();
                break;
            case axis_way::word_lanes:
                lanes<lane_copies::words>();
                break;
            case axis_way::turned_lanes:
                lanes<lane_copies::turned>();
                break;
            case axis_way::chunked_lanes:
                lanes<lane_copies::chunks>();
                break;
            default:
                lanes<lane_copies::own>();
                break;
        }
        check(cudaGetLastError(), "launching an axis scan");
        ex_.set_latest_axis_way(way);
    }

  private:
    using Acc = typename Types::Acc;
    using Op = typename Types::Op;
    using tiles = tile_shape<Types>;
    using ahead = lines_ahead_launch<Types, Exclusive>;
    using geometry = core::axis_geometry;
    static constexpr std::uint64_t most_resident_blocks = 32;  // of a multiprocessor

    [[nodiscard]] std::uint64_t length() const { return arguments_.scan.n; }
    [[nodiscard]] std::uint64_t sequences() const { return arguments_.geometry.sequence_count; }
    [[nodiscard]] std::uint64_t multiprocessors() const { return std::uint64_t(ex_.multiprocessors()); }

    [[nodiscard]] axis_way choose() const {
        const std::uint64_t bytes =
            length() * (detail::axis_input_bytes<Types> + sizeof(typename Types::Out));
        const bool many = sequences() >= lanes_from_sequences * multiprocessors();
        if (strides_.are_short()) return axis_way::short_lines;
        // Of few sequences blocks are sooner done with longer ones.
        if (can_pack(2) && packed_shape<Types>::are_apart(length()) && (many || length() <= core::row_size))
            return axis_way::packed_lanes;
        if (strides_.are_lines()) {
            if (sequences() == 1) return axis_way::line_by_line;
            if (ahead::pays(ex_, length(), sequences(), strides_.are_aligned())) return axis_way::lines_ahead;
            if (bytes >= look_ahead_from_bytes) return axis_way::line_by_line;
            if (length() >= (many ? lines_from_length : few_lines_from_length)) {
                const bool fill = sequences() >= whole_lines_from_sequences * multiprocessors();
                return fill || length() <= Types::tile ? axis_way::lines : axis_way::line_tiles;
            }
        }
        const geometry::dimension next = arguments_.geometry.fastest();
        const bool turned = std::abs(arguments_.geometry.out_stride) < std::abs(next.out_stride);
        if (turned && (many || length() <= turned_up_to_length)) {
            if (can_chunks()) return axis_way::chunked_lanes;
            if (can_lanes<lane_copies::turned>() && length() >= turned_from_length)
                return axis_way::turned_lanes;
        }
        // A sequence of one row needs no sums.
        const bool one_row = length() <= core::row_size;
        // A lane with several sequences, or with maps to compose, has as much more to do for each position.
        constexpr std::uint64_t each =
            lane_shape<Types, lane_copies::words>::width * std::uint64_t(std::same_as<Op, affine> ? 2 : 1);
        if (!one_row && sequences() >= each * lanes_from_sequences * multiprocessors() && can_words())
            return axis_way::word_lanes;
        if (many && !one_row && lane_shape<Types, lane_copies::own>::ahead && can_lanes<lane_copies::own>())
            return axis_way::lanes;
        return prefers_columns() ? axis_way::columns : axis_way::rows;
    }
    void check_way(axis_way way) const {
        const bool by_lines = way == axis_way::lines || way == axis_way::line_tiles ||
                              way == axis_way::lines_ahead || way == axis_way::line_by_line;
        if ((by_lines && !strides_.are_lines()) || (way == axis_way::lines_ahead && !can_go_ahead()) ||
            (way == axis_way::short_lines && !strides_.are_short()) ||
            (way == axis_way::packed_lanes && !can_pack(1)) ||
            (way == axis_way::chunked_lanes && !can_chunks()) ||
            (way == axis_way::word_lanes && !can_words()) || (way == axis_way::columns && !can_columns()) ||
            (way == axis_way::lanes && !can_lanes<lane_copies::own>()) ||
            (way == axis_way::turned_lanes && !can_lanes<lane_copies::turned>())) {
            throw_error(errc::unsupported, std::string("axis_way: these arrays cannot be scanned by ") +
                                               cuda::name(way) + "; choose another or automatic");
        }
    }

    // Whether there are such lanes, and two stages of a block's have room, which the smallest devices lack.
    template <lane_copies Copies>
    [[nodiscard]] bool can_lanes() const {
        using shape = lane_shape<Types, Copies>;
        return shape::exists && shape::shared_bytes(length(), 2) <= ex_.shared_memory();
    }
    [[nodiscard]] bool can_chunks() const {
        return strides_.are_chunks() && can_lanes<lane_copies::chunks>();
    }
    [[nodiscard]] bool can_words() const { return strides_.are_words() && can_lanes<lane_copies::words>(); }
    template <lane_copies Copies>
    void lanes() const {
        using shape = lane_shape<Types, Copies>;
        if constexpr (shape::exists) {
            const int room = ex_.shared_memory();
            prepare_tile_kernel<&scan_lanes_kernel<Types, Exclusive, Copies>>(
                std::min(shape::shared_bytes(shape::piece, shape::most_stages), room));
            const std::uint64_t groups = (sequences() / shape::width + 31) / 32;
            const std::uint64_t blocks = (groups + shape::warps - 1) / shape::warps;
            // More stages where they leave room for all sequences at once.
            int stages = shape::most_stages;
            const auto bytes = [&] { return shape::shared_bytes(length(), stages); };
            while (stages > 2 && (bytes() > room || resident_blocks(bytes()) < blocks)) --stages;
            const int shared = bytes();
            scan_lanes_kernel<Types, Exclusive, Copies>
                <<<unsigned(std::min(blocks, resident_blocks(shared))), shape::threads, shared,
                   ex_.stream()>>>(arguments_, stages, strides_.template are_pairs<Copies>());
        }
    }
    // Blocks of so much shared memory that the device runs at once.
    [[nodiscard]] std::uint64_t resident_blocks(int shared_bytes) const {
        constexpr int reserved = 1024;  // for each block, by the device
        return std::clamp(std::uint64_t(ex_.shared_memory() / (shared_bytes + reserved)), std::uint64_t{1},
                          most_resident_blocks) *
               multiprocessors();
    }

    void short_lines() const {
        using shape = short_shape<Types>;
        if constexpr (shape::exists) {
            const auto runs = unsigned(length() / core::run_size);
            const std::uint64_t lines = (sequences() + 32 / runs - 1) / (32 / runs);
            constexpr int each = shape::warps * shape::batch;
            const std::uint64_t blocks =
                std::min((lines + each - 1) / each, shape::blocks * multiprocessors());
            scan_short_kernel<Types, Exclusive>
                <<<unsigned(blocks), shape::threads, 0, ex_.stream()>>>(arguments_, runs);
        }
    }

    [[nodiscard]] bool can_go_ahead() const { return ahead::can_run(ex_, length(), sequences()); }
    // With so many warps on a multiprocessor, or more.
    [[nodiscard]] bool can_pack(int warps) const {
        return strides_.are_packed() &&
               warps * packed_shape<Types>::warp_bytes(length()) <= ex_.shared_memory();
    }
    void packed_lanes() const {
        using shape = packed_shape<Types>;
        if constexpr (shape::exists) {
            const int warps = std::min(ex_.shared_memory() / shape::warp_bytes(length()), shape::most_warps);
            const std::uint64_t each = std::uint64_t(warps) * shape::together(length());
            const std::uint64_t blocks =
                std::min((sequences() + each - 1) / each, most_resident_blocks * multiprocessors());
            prepare_tile_kernel<&scan_packed_kernel<Types, Exclusive>>(ex_.shared_memory());
            scan_packed_kernel<Types, Exclusive>
                <<<unsigned(blocks), unsigned(32 * warps), warps * shape::warp_bytes(length()),
                   ex_.stream()>>>(arguments_);
        }
    }

    void rows() const {
        if (length() <= core::row_size) return scan_rows({nullptr, 0, 0});
        const scratch_values scratch(ex_, axis_row_folds<Types>::values(length(), sequences()));
        const axis_row_folds<Types> folds(scratch.values, length(), sequences());
        if (folds.rows.count != 0)
            sum_axis_rows_kernel<Types><<<blocks_of(folds.rows.count * sequences(), axis_row_threads),
                                          axis_row_threads, 0, ex_.stream()>>>(arguments_, folds.rows);
        fold_level(folds.rows, axis_row_folds<Types>::row_room(length()), folds.tiles);
        fold_level(folds.tiles, axis_row_folds<Types>::tile_room(length()), folds.supers);
        fold_supers(folds.supers);
        scan_rows(folds);
    }
    void scan_rows(const axis_row_folds<Types>& folds) const {
        scan_axis_rows_kernel<Types, Exclusive>
            <<<blocks_of(axis_row_folds<Types>::row_room(length()) * sequences(), axis_row_threads),
               axis_row_threads, 0, ex_.stream()>>>(arguments_, folds);
    }

    // Whether columns go into shared memory, in units that 31 bits count.
    [[nodiscard]] bool can_columns() const {
        if constexpr (column_shape<Types>::exists) {
            const column_plan plan = plan_columns(arguments_, ex_.shared_memory());
            return plan.units < 0x80000000u &&
                   column_shape<Types>::control_bytes + plan.unit_bytes <= ex_.shared_memory();
        }
        return false;
    }
    // Whether columns are neighbours in all arrays, and copies go on while warps do something else.
    [[nodiscard]] bool prefers_columns() const {
        const geometry::dimension next = arguments_.geometry.fastest();
        if (detail::axis_input_bytes < Types >> columns_up_to_bytes || length() < columns_from_length ||
            next.extent < 2 || next.in_stride != 1 || next.second_stride != 1 || next.out_stride != 1 ||
            ex_.compute_capability() < 80 || !can_columns())
            return false;
        if (lane_shape<Types, lane_copies::own>::ahead) return true;
        const column_plan plan = plan_columns(arguments_, ex_.shared_memory());
        return plan.in[0] != column_copies::elements && plan.in[1] != column_copies::elements;
    }
    void columns() const {
        using shape = column_shape<Types>;
        if constexpr (shape::exists) {
            const column_plan plan = plan_columns(arguments_, ex_.shared_memory());
            constexpr auto kernel = &scan_columns_kernel<Types, Exclusive>;
            prepare_tile_kernel<kernel>(ex_.shared_memory());
            const int room =
                std::min((ex_.shared_memory() - shape::control_bytes) / plan.unit_bytes, shape::most_warps);
            // Few units are spread over all multiprocessors.
            const std::uint64_t each = (plan.units + multiprocessors() - 1) / multiprocessors();
            const int teams = int(std::min(each, std::uint64_t(room / plan.team))), warps = teams * plan.team;
            const std::uint64_t blocks = (plan.units + std::uint64_t(teams) - 1) / std::uint64_t(teams);
            const std::uint64_t words = shape::published_words(length(), sequences());
            held_scratch scratch(ex_, ex_.take_scratch(detail::tagged_bytes(words)));
            kernel<<<unsigned(std::min(blocks, multiprocessors())), unsigned(32 * warps),
                     shape::control_bytes + warps * plan.unit_bytes, ex_.stream()>>>(
                arguments_, plan, reinterpret_cast<launch_state*>(scratch.data()),
                reinterpret_cast<unsigned long long*>(scratch.data() + launch_state_bytes),
                ex_.tagged_words());
            scratch.release();
        }
    }

    // The lines' arguments: from their first elements in memory on.
    [[nodiscard]] axis_arguments<Types> in_memory() const {
        axis_arguments<Types> lines = arguments_;
        const bool backwards = arguments_.geometry.in_stride < 0;
        if (backwards) {
            for (int k = 0; k < Types::inputs; ++k)
                lines.scan.in[k] = static_cast<const char*>(lines.scan.in[k]) -
                                   (length() - 1) * std::uint64_t(Types::element_size[k]);
            lines.scan.out -= length() - 1;
        }
        lines.scan.keeps_sides = !arguments_.scan.reverse;
        lines.scan.reverse = backwards;
        return lines;
    }
    void lines() const {
        prepare_tile_kernel<&scan_lines_kernel<Types, Exclusive>>(tiles::shared_bytes);
        const auto blocks = unsigned(std::min<std::uint64_t>(sequences(), 0x7fffffff));
        scan_lines_kernel<Types, Exclusive>
            <<<blocks, tiles::threads, tiles::shared_bytes, ex_.stream()>>>(in_memory());
    }
    void line_tiles() const {
        prepare_tile_kernel<&sum_line_tiles_kernel<Types>>(tiles::shared_bytes);
        prepare_tile_kernel<&scan_line_tiles_kernel<Types, Exclusive>>(tiles::shared_bytes);
        const axis_arguments<Types> lines = in_memory();
        const std::uint64_t room = tiles::tile_count(length());
        const std::uint64_t full = length() / Types::tile;
        const scratch_values scratch(ex_, (room + full / 32) * sequences());
        const axis_level<Acc> totals{scratch.values, full};
        const axis_level<Acc> supers{scratch.values + room * sequences(), full / 32};
        if (full != 0)
            sum_line_tiles_kernel<Types>
                <<<blocks_of(full * sequences(), 1), tiles::threads, tiles::shared_bytes, ex_.stream()>>>(
                    lines, totals);
        fold_level(totals, room, supers);
        fold_supers(supers);
        scan_line_tiles_kernel<Types, Exclusive>
            <<<blocks_of(room * sequences(), 1), tiles::threads, tiles::shared_bytes, ex_.stream()>>>(
                lines, totals.values, supers.values);
    }
    void line_by_line() const {
        const axis_arguments<Types> lines = in_memory();
        scan_arguments<Types> line = lines.scan;
        for (std::uint64_t sequence = 0; sequence < sequences(); ++sequence) {
            const auto begin = lines.geometry.begin(sequence);
            for (int k = 0; k < Types::inputs; ++k)
                line.in[k] = static_cast<const char*>(lines.scan.in[k]) +
                             (k == 0 ? begin.in : begin.second) * std::int64_t(Types::element_size[k]);
            line.out = lines.scan.out + begin.out;
            scan_launch<Types, Exclusive>(ex_, line).run();
        }
    }

    void fold_level(const axis_level<Acc>& children, std::uint64_t room,
                    const axis_level<Acc>& parents) const {
        if (children.count == 0) return;
        fold_axis_level_kernel<Types>
            <<<blocks_of((children.count + 31) / 32 * sequences(), 256), 256, 0, ex_.stream()>>>(
                arguments_.scan, children, room, parents, sequences());
    }
    void fold_supers(const axis_level<Acc>& supers) const {
        if (supers.count == 0) return;
        fold_axis_supers_kernel<Types>
            <<<blocks_of(sequences(), 64), 64, 0, ex_.stream()>>>(arguments_.scan, supers, sequences());
    }

    // Values in the executor's scratch, which is left as it was found: zero, but for the launch state.
    struct scratch_values {
        executor& ex;
        held_scratch taken;
        std::size_t bytes;
        Acc* values;

        scratch_values(executor& owner, std::uint64_t count)
            : ex(owner),
              taken(owner, owner.take_scratch(launch_state_bytes + std::size_t(count) * sizeof(Acc))),
              bytes(std::size_t(count) * sizeof(Acc)),
              values(reinterpret_cast<Acc*>(taken.data() + launch_state_bytes)) {}
        ~scratch_values() {
            // A failure is found by the check behind the launches.
            static_cast<void>(cudaMemsetAsync(values, 0, bytes, ex.stream()));
        }
        scratch_values(const scratch_values&) = delete;
        scratch_values& operator=(const scratch_values&) = delete;
    };

    [[nodiscard]] static unsigned blocks_of(std::uint64_t items, std::uint64_t per_block) {
        const std::uint64_t blocks = (items + per_block - 1) / per_block;
        if (blocks > 0x7fffffffu)
            throw_error(errc::unsupported, "in: this shape needs more blocks than a launch can have");
        return unsigned(blocks);
    }
    template <auto Kernel>
    void prepare_tile_kernel(int shared_bytes) const {
        if (detail::prepare<Kernel>(ex_, shared_bytes, 0) != detail::readiness::ready) {
            throw_error(errc::unsupported, "an element of this type needs " + std::to_string(shared_bytes) +
                                               " bytes of shared memory in a block, but device " +
                                               std::to_string(ex_.device()) + " has " +
                                               std::to_string(ex_.shared_memory()));
        }
    }

    executor& ex_;
    const axis_arguments<Types>& arguments_;
    const axis_strides<Types> strides_;
};

}  // namespace upsweep::cuda
