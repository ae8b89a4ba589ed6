// A few keys of an order, kept in it while they are looked for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "src/cpu/key_search.hpp"
#include "src/cpu/sort_scratch.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/top_k.hpp"

namespace upsweep::cpu {

// The first of a few keys, which are kept in order.
template <class Word>
class ranking {
  public:
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] Word word(std::size_t i) const { return words_[i]; }
    [[nodiscard]] std::size_t place(std::size_t i) const { return places_[i]; }
    // Behind those that are equal; unless k keys are in front.
    void insert(Word word, std::size_t place, std::size_t k) {
        if (size_ == k) {
            if (word >= words_[k - 1]) return;
            --size_;
        }
        std::size_t at = size_++;
        for (; at != 0 && word < words_[at - 1]; --at) {
            words_[at] = words_[at - 1];
            places_[at] = places_[at - 1];
        }
        words_[at] = word;
        places_[at] = place;
    }

  private:
    std::size_t size_ = 0;
    std::array<Word, few_of_top> words_;
    std::array<std::size_t, few_of_top> places_;
};

// places = those of the first k <= few_of_top of n keys, in order: each key that is found is ranked at
// once, and what is looked for are keys in front of the last.
template <class Word, bool Floating>
class few_first {
  public:
    few_first(executor& ex, const key_order& order, const Word* in, std::size_t n, std::size_t k)
        : search_(ex, order, in, n, k), k_(k), rankings_(search_.stretches()) {
        search_.run([&](std::size_t at) { look_through(at); },
                    [&] {
                        for (std::size_t at = 1; at < search_.stretches(); ++at) merge(rankings_.data()[at]);
                        return rankings_.data()[0].size();
                    });
    }
    [[nodiscard]] std::size_t place(std::size_t i) const { return rankings_.data()[0].place(i); }

  private:
    // One of a stretch behind the first.
    void merge(const ranking<Word>& other) {
        for (std::size_t i = 0; i < other.size(); ++i)
            rankings_.data()[0].insert(other.word(i), other.place(i), k_);
    }
    void look_through(std::size_t stretch) {
        ranking<Word> own;
        const Word* const keys = search_.keys(stretch);
        const std::size_t n = search_.size(stretch), begin = search_.begin(stretch);
        std::array<std::uint32_t, found_at_once> places;
        Word bound = std::numeric_limits<Word>::max();
        for (std::size_t i = 0; i < n;) {
            // Ends with the first group of keys that has any.
            const found_keys some = search_.find(stretch, i, n - i, bound, places.data(), places.size());
            if (some.examined == 0) break;
            i += some.examined;
            for (std::size_t each = 0; each < some.found; ++each)
                own.insert(search_.order()(keys[places[each]]), begin + places[each], k_);
            if (own.size() != k_) continue;
            const Word last = own.word(k_ - 1);
            if (last == 0) break;
            bound = static_cast<Word>(last - 1);
        }
        rankings_.data()[stretch] = own;
    }

    key_search<Word, Floating> search_;
    std::size_t k_;
    scratch<ranking<Word>> rankings_;  // of each stretch
};

}  // namespace upsweep::cpu
