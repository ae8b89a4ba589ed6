// What the strides, extents and addresses of an axis scan permit: which ways it can be done.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "upsweep/concepts.hpp"
#include "upsweep/cuda/axis_arguments.cuh"
#include "upsweep/cuda/axis_lane_shape.cuh"
#include "upsweep/cuda/axis_packed.cuh"
#include "upsweep/cuda/axis_short.cuh"

namespace upsweep::cuda {

template <class Types>
class axis_strides {
  public:
    explicit axis_strides(const axis_arguments<Types>& arguments)
        : arguments_(arguments), geometry_(arguments.geometry), next_(geometry_.fastest()) {}

    // Whether sequences lie in memory one element after the other, in a direction in which a tile can be
    // scanned: any but forwards with operands that change sides.
    [[nodiscard]] bool are_lines() const {
        return are_neighbours() &&
               (geometry_.in_stride < 0 || !arguments_.scan.reverse || is_commutative<typename Types::Op>);
    }
    // Whether the runs of all lines, from where their scans begin, are aligned for one access each, in all
    // arrays.
    [[nodiscard]] bool are_aligned() const {
        const std::int64_t back = geometry_.in_stride < 0 ? 1 : 0;
        const auto check = [&](const void* array, std::int64_t size, std::int64_t origin, auto stride) {
            std::int64_t bytes = address(array) + (origin + back) * size;
            for (std::size_t k = 0; k < geometry_.other_count; ++k)
                bytes |= geometry_.others[k].*stride * size;
            return bytes % std::min<std::int64_t>(Types::items * size, 16) == 0;
        };
        using of = geometry::dimension;
        bool aligned =
            check(arguments_.scan.out, sizeof(Out), geometry_.origin.out, &of::out_stride) &&
            check(arguments_.scan.in[0], Types::element_size[0], geometry_.origin.in, &of::in_stride);
        if constexpr (Types::inputs == 2)
            aligned = aligned && check(arguments_.scan.in[1], Types::element_size[1], geometry_.origin.second,
                                       &of::second_stride);
        return aligned;
    }
    // Whether neighbouring sequences make whole words, in all arrays.
    [[nodiscard]] bool are_words() const {
        using shape = lane_shape<Types, lane_copies::words>;
        if (!shape::exists || next_.in_stride != 1 || next_.second_stride != 1 || next_.out_stride != 1)
            return false;
        std::int64_t elements = geometry_.in_stride | geometry_.second_stride | geometry_.out_stride |
                                geometry_.origin.in | geometry_.origin.second | geometry_.origin.out |
                                std::int64_t(next_.extent);
        for (std::size_t k = 0; k + 1 < geometry_.other_count; ++k)
            elements |= geometry_.others[k].in_stride | geometry_.others[k].second_stride |
                        geometry_.others[k].out_stride;
        if (elements % shape::width != 0) return false;
        for (const void* in : arguments_.scan.in)
            if (address(in) % 4 != 0) return false;
        return address(arguments_.scan.out) % (shape::width * sizeof(Out)) == 0;
    }
    // Whether the elements of every sequence make whole pieces of 16 bytes, at multiples of 16 bytes.
    [[nodiscard]] bool are_chunks() const {
        if (!lane_shape<Types, lane_copies::chunks>::exists || geometry_.in_stride != 1 ||
            geometry_.second_stride != 1 || geometry_.out_stride != 1)
            return false;
        constexpr std::int64_t size = sizeof(detail::axis_input<Types>);
        std::int64_t elements = std::int64_t(arguments_.scan.n) | geometry_.origin.in |
                                geometry_.origin.second | geometry_.origin.out;
        for (std::size_t k = 0; k < geometry_.other_count; ++k)
            elements |= geometry_.others[k].in_stride | geometry_.others[k].second_stride |
                        geometry_.others[k].out_stride;
        std::int64_t bytes = elements * size;
        for (const void* in : arguments_.scan.in) bytes |= address(in);
        bytes |= address(arguments_.scan.out);
        return bytes % 16 == 0;
    }
    // Whether the neighbouring sequences of two warps are neighbours in all inputs, their rows at multiples
    // of 16 bytes.
    template <lane_copies Copies>
    [[nodiscard]] bool are_pairs() const {
        using shape = lane_shape<Types, Copies>;
        if constexpr (shape::pairs) {
            const bool are_whole =
                geometry_.other_count <= 1 || next_.extent % std::size_t(64 * shape::width) == 0;
            bool are_aligned = true;
            for (int k = 0; k < Types::inputs; ++k) are_aligned = are_aligned && has_aligned_rows(k);
            return are_whole && are_aligned;
        }
        return false;
    }
    // Whether sequences are a few whole runs each, one after the other in memory, in either direction of the
    // scan.
    [[nodiscard]] bool are_short() const {
        using shape = short_shape<Types>;
        constexpr std::uint64_t run = core::run_size;
        const std::uint64_t n = arguments_.scan.n;
        if (!shape::exists || n == 0 || n % run != 0 || n > run * shape::most_runs || !are_dense())
            return false;
        const std::int64_t back = geometry_.in_stride < 0 ? std::int64_t(n) - 1 : 0;
        const auto is_aligned = [&](const void* array, std::int64_t origin, std::size_t size) {
            return (address(array) + (origin - back) * std::int64_t(size)) % std::int64_t(run * size) == 0;
        };
        bool are_aligned = is_aligned(arguments_.scan.out, geometry_.origin.out, sizeof(Out));
        for (int k = 0; k < Types::inputs; ++k)
            are_aligned = are_aligned && is_aligned(arguments_.scan.in[k],
                                                    k == 0 ? geometry_.origin.in : geometry_.origin.second,
                                                    std::size_t(Types::element_size[k]));
        return are_aligned;
    }

    // Whether sequences are short and follow one another in memory, in either direction of the scan.
    [[nodiscard]] bool are_packed() const {
        using shape = packed_shape<Types>;
        return shape::exists && arguments_.scan.n <= shape::most_bytes / shape::size && are_dense();
    }

  private:
    using Out = typename Types::Out;
    using geometry = core::axis_geometry;

    // Whether input k has neighbouring sequences for neighbours, and all of their rows begin at a multiple of
    // 16 bytes.
    [[nodiscard]] bool has_aligned_rows(int k) const {
        const auto of = [&](const geometry::dimension& d) { return k == 0 ? d.in_stride : d.second_stride; };
        std::int64_t elements = k == 0 ? geometry_.in_stride | geometry_.origin.in
                                       : geometry_.second_stride | geometry_.origin.second;
        for (std::size_t d = 0; d + 1 < geometry_.other_count; ++d) elements |= of(geometry_.others[d]);
        return of(next_) == 1 &&
               (elements * Types::element_size[k] | address(arguments_.scan.in[k])) % 16 == 0;
    }

    [[nodiscard]] static std::int64_t address(const void* p) {
        return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(p));
    }
    [[nodiscard]] bool are_neighbours() const {
        return geometry_.in_stride == geometry_.out_stride &&
               geometry_.in_stride == geometry_.second_stride && std::abs(geometry_.in_stride) == 1;
    }

    // Whether they follow one another.
    [[nodiscard]] bool are_dense() const {
        const auto length = std::int64_t(arguments_.scan.n);
        return are_neighbours() &&
               (geometry_.other_count == 0 || (geometry_.other_count == 1 && next_.in_stride == length &&
                                               next_.second_stride == length && next_.out_stride == length));
    }

    const axis_arguments<Types>& arguments_;
    const geometry& geometry_;
    const geometry::dimension next_;
};

}  // namespace upsweep::cuda
