// Lengths of segments, as results of them (segment_results.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/heads.hpp"
#include "upsweep/cpu/kernels.hpp"
#include "upsweep/cpu/segment_results.hpp"

namespace upsweep::cpu {

// How many elements there are.
template <class Results>
class segment_lengths {
  public:
    static constexpr std::size_t piece_elements = core::tile_size;
    static constexpr bool takes_places = false;
    static constexpr bool takes_numbers = true;
    struct state {
        std::size_t begin = 0;  // of the segment that goes on
    };
    struct summary {
        std::optional<std::size_t> last_head;
    };

    segment_lengths(const executor& ex, const Results& results)
        : compress_(compress_kernels_for(ex.simd())), results_(results) {}

    [[nodiscard]] std::size_t read_bytes() const { return 0; }

    void summarise(const marked_piece& tile, std::size_t at, summary& made) const {
        if (at == 0) made.last_head.reset();
        if (const auto head = tile.last_head()) made.last_head = tile.first + *head;
    }
    void advance(state& carried, std::size_t, const summary& made) const {
        carried.begin = made.last_head.value_or(carried.begin);
    }
    void scan(const marked_piece& piece, state& carried) const {
        if (piece.begins) carried.begin = piece.first;
        if (piece.end_count <= piece.count / sparse) {
            typename Results::cursor store(results_, piece);
            std::size_t begin = carried.begin;
            for_each_bit(piece.ends, piece.count, [&](std::size_t i) {
                const std::size_t end = piece.first + i + 1;
                store(end - begin);
                begin = end;
            });
            carried.begin = begin;
            return;
        }
        marked_piece part = piece;
        for (std::size_t i = 0; i < piece.count; i += part_elements) {
            part.first = piece.first + i;
            part.count = std::min(part_elements, piece.count - i);
            part.ends = piece.ends + i / 64;
            part.end_count = compress_.count(part.ends, words_of(part.count));
            if (part.end_count == 0) continue;
            store(part, carried);
            part.segment += part.end_count;
        }
    }

  private:
    static constexpr std::size_t sparse = 16;  // elements a segment from which each is looked at by itself
    static constexpr std::size_t part_elements = 1024;
    // 1, 2, 3, ...
    alignas(64) static constexpr auto behind = [] {
        std::array<std::uint32_t, part_elements> places{};
        for (std::size_t i = 0; i < part_elements; ++i) places[i] = static_cast<std::uint32_t>(i + 1);
        return places;
    }();

    // Of the places behind the ends, what it is from each to the next.
    void store(const marked_piece& part, state& carried) const {
        std::uint32_t places[part_elements];
        std::size_t lengths[part_elements];
        compress_.compress[2](places, part.end_count, behind.data(), part.ends, part.count);
        lengths[0] = part.first + places[0] - carried.begin;
        for (std::size_t k = 1; k < part.end_count; ++k) lengths[k] = places[k] - places[k - 1];
        results_.put(part, lengths);
        carried.begin = part.first + places[part.end_count - 1];
    }

    const compress_kernels& compress_;
    Results results_;
};

}  // namespace upsweep::cpu
