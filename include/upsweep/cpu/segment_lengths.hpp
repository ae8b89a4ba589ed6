// Lengths of segments, as results of them (segment_results.hpp).
#pragma once

#include <cstddef>
#include <optional>

#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/heads.hpp"
#include "upsweep/cpu/segment_results.hpp"

namespace upsweep::cpu {

// How many elements there are.
template <class Results>
class segment_lengths {
  public:
    static constexpr std::size_t piece_elements = core::tile_size;
    struct state {
        std::size_t begin = 0;  // of the segment that goes on
    };
    struct summary {
        std::optional<std::size_t> last_head;
    };

    explicit segment_lengths(const Results& results) : results_(results) {}

    [[nodiscard]] std::size_t read_bytes() const { return 0; }

    void summarise(const marked_piece& tile, std::size_t at, summary& made) const {
        if (at == 0) made.last_head.reset();
        if (const auto head = tile.last_head()) made.last_head = tile.first + *head;
    }
    void advance(state& carried, std::size_t, const summary& made) const {
        carried.begin = made.last_head.value_or(carried.begin);
    }
    void scan(const marked_piece& piece, state& carried) const {
        typename Results::cursor store(results_, piece);
        std::size_t begin = (piece.heads[0] & 1) != 0 ? piece.first : carried.begin;
        for_each_bit(piece.ends, piece.count, [&](std::size_t i) {
            const std::size_t end = piece.first + i + 1;
            store(end - begin);
            begin = end;
        });
        carried.begin = begin;
    }

  private:
    Results results_;
};

}  // namespace upsweep::cpu
