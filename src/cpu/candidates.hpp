// Where keys are that may be among the first k of an order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>

#include "src/cpu/key_search.hpp"
#include "src/cpu/sort_scratch.hpp"
#include "upsweep/cpu/executor.hpp"

namespace upsweep::cpu {

// The first k of `count` places of keys in `from`, in their order, at the front of `places`. Returns the
// greatest integer of a key that is left.
template <class Words, class Word, class Place>
Word keep_first(const Words& words, const Word* from, Place* places, std::size_t count, std::size_t k) {
    scratch<Word> own(count), ranked(count);
    for (std::size_t i = 0; i < count; ++i) own.data()[i] = words(from[places[i]]);
    std::copy_n(own.data(), count, ranked.data());
    Word* const last = ranked.data() + (k - 1);
    std::nth_element(ranked.data(), last, ranked.data() + count);
    const Word bound = *last;
    std::size_t ties = k - static_cast<std::size_t>(
                               std::count_if(ranked.data(), last, [=](Word word) { return word < bound; }));
    std::size_t kept = 0;
    for (std::size_t i = 0; kept < k; ++i) {
        const bool is_tie = own.data()[i] == bound;
        if (own.data()[i] > bound || (is_tie && ties == 0)) continue;
        if (is_tie) --ties;
        places[kept++] = places[i];
    }
    return bound;
}

// Where keys are that may be among the first k.
template <class Word, bool Floating>
class candidates {
  public:
    // Finds k <= n of them or more, none of which is behind one that is left out.
    candidates(executor& ex, const key_order& order, const Word* in, std::size_t n, std::size_t k)
        : search_(ex, order, in, n, k),
          k_(k),
          room_(std::min(search_.length(), 2 * k + surplus) + found_at_once),
          counts_(search_.stretches()),
          found_(search_.stretches() * room_),
          count_(search_.run([&](std::size_t at) { look_through(at); },
                             [&] {
                                 return std::accumulate(counts_.data(), counts_.data() + search_.stretches(),
                                                        std::size_t{0});
                             })),
          places_(count_) {
        gather(in);
    }
    [[nodiscard]] std::size_t size() const { return count_; }
    // In ascending order.
    [[nodiscard]] std::size_t place(std::size_t i) const { return places_.data()[i]; }

  private:
    // Keys that are looked through before the bound is asked for again.
    static constexpr std::size_t step = 16384;
    static constexpr std::size_t surplus = 1024;

    void look_through(std::size_t stretch) {
        const std::size_t n = search_.size(stretch);
        std::uint32_t* const places = found_.data() + stretch * room_;
        std::size_t& count = counts_.data()[stretch];
        count = 0;
        Word own = std::numeric_limits<Word>::max();
        for (std::size_t i = 0; i < n;) {
            const found_keys some =
                search_.find(stretch, i, std::min(n - i, step), own, places + count, room_ - count);
            if (some.examined == 0) return;
            i += some.examined;
            count += some.found;
            if (i == n || room_ - count >= found_at_once) continue;
            const Word last = keep_first(search_.order(), search_.keys(stretch), places, count, k_);
            count = k_;
            // Others that are equal to the last go behind it, if they are behind it in the input as well.
            search_.tighten(last);
            if (last == 0) return;
            own = static_cast<Word>(last - 1);
        }
    }
    void gather(const Word* in) {
        std::size_t* to = places_.data();
        for (std::size_t stretch = 0; stretch < search_.stretches(); ++stretch) {
            const std::uint32_t* const from = found_.data() + stretch * room_;
            to = std::transform(from, from + counts_.data()[stretch], to,
                                [&](std::uint32_t place) { return search_.begin(stretch) + place; });
        }
        if (count_ <= std::max(most_by_network, 2 * k_)) return;
        keep_first(search_.order(), in, places_.data(), count_, k_);
        count_ = k_;
    }

    key_search<Word, Floating> search_;
    std::size_t k_, room_;
    scratch<std::size_t> counts_;   // of keys found in each stretch
    scratch<std::uint32_t> found_;  // where they are in it, room_ for each
    std::size_t count_;
    scratch<std::size_t> places_;  // where they are in the input
};

}  // namespace upsweep::cpu
