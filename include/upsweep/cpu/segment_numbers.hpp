// The number of each element's segment, as what is made of segments (segment_results.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/segment_results.hpp"

namespace upsweep::cpu {

// out[i] = how many segments begin at elements 1 to i.
template <class Integer>
class segment_numbers {
  public:
    static constexpr std::size_t piece_elements = core::tile_size;
    static constexpr bool takes_places = false;
    static constexpr bool takes_numbers = true;
    struct state {};
    struct summary {};

    explicit segment_numbers(Integer* out) : out_(out) {}

    [[nodiscard]] std::size_t read_bytes() const { return 0; }
    void summarise(const marked_piece&, std::size_t, summary&) const {}
    void advance(state&, std::size_t, const summary&) const {}

    void scan(const marked_piece& piece, state&) const {
        // The first element's, unless it begins one: that is counted below.
        auto number = static_cast<Integer>(piece.segment - (piece.heads[0] & 1));
        for (std::size_t i = 0; i < piece.count; i += 64) {
            const std::size_t count = std::min<std::size_t>(64, piece.count - i);
            const std::uint64_t heads = piece.heads[i / 64];
            Integer* const to = out_ + piece.first + i;
            if (heads == 0) {
                std::fill_n(to, count, number);
                continue;
            }
            for (std::size_t k = 0; k < count; ++k) {
                number += static_cast<Integer>(heads >> k & 1);
                to[k] = number;
            }
        }
    }

  private:
    Integer* out_;
};

}  // namespace upsweep::cpu
