// Where keys are that may be among the first k of an order.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "src/cpu/key_interval.hpp"
#include "src/cpu/sort_scratch.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/tasks.hpp"
#include "upsweep/cpu/tuning.hpp"

namespace upsweep::cpu {

// Of a sample of keys, one a stride of n / sample_size keys, each from somewhere in its stride: no period of
// the input meets it.
inline std::size_t sample_size(std::size_t n) {
    constexpr double times = 2;
    constexpr std::size_t most = 4096;
    return std::min({n, most, static_cast<std::size_t>(times * std::sqrt(static_cast<double>(n)))});
}
inline std::size_t sample_place(std::size_t i, std::size_t stride) {
    // A permutation that scatters (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
    // 2014).
    std::uint64_t bits = (i + 1) * 0x9e3779b97f4a7c15;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
    __extension__ using wide = unsigned __int128;
    return i * stride + static_cast<std::size_t>(wide{bits ^ bits >> 31} * stride >> 64);
}

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

template <class Word, bool Floating>
class candidates {
    using words = keys_in_order<Word, Floating>;

  public:
    // Finds k <= n of them or more, none of which is behind one that is left out.
    candidates(executor& ex, const key_order& order, const Word* in, std::size_t n, std::size_t k)
        : candidates(ex, ex.helpers_for(n * sizeof(Word) * tuning::top_k_cost), order, in, n, k) {}
    [[nodiscard]] std::size_t size() const { return count_; }
    // In ascending order.
    [[nodiscard]] std::size_t place(std::size_t i) const { return places_.data()[i]; }

  private:
    // The input is looked through in stretches, of fewer than 2^32 keys.
    static constexpr std::size_t least_stretch = 4096, most_stretch = std::size_t{1} << 31;
    static constexpr std::size_t stretches_per_thread = 4;
    // Keys that are looked through before the bound is asked for again.
    static constexpr std::size_t step = 16384;
    static constexpr std::size_t surplus = 1024;

    candidates(executor& ex, std::size_t helpers, const key_order& order, const Word* in, std::size_t n,
               std::size_t k)
        : words_(order),
          find_(find_keys_for<Word, Floating>(ex.simd())),
          in_(in),
          n_(n),
          k_(k),
          length_(length_of_stretches(helpers)),
          stretches_((n - 1) / length_ + 1),
          room_(std::min(length_, 2 * k + surplus) + found_at_once),
          counts_(stretches_),
          found_(stretches_ * room_),
          places_(find(ex, helpers)) {
        gather();
    }
    [[nodiscard]] std::size_t length_of_stretches(std::size_t helpers) const {
        const std::size_t wanted = helpers == 0 ? 1 : stretches_per_thread * (helpers + 1);
        return std::min(std::max({least_stretch, 2 * k_, n_ / wanted + 1}), most_stretch);
    }

    // Returns how many there are.
    std::size_t find(executor& ex, std::size_t helpers) {
        for (std::size_t wide = 1;; wide *= 8) {
            bound_.store(sampled_bound(wide), std::memory_order_relaxed);
            for_each_task(ex, helpers, stretches_, [&](std::size_t at) { look_through(at); });
            count_ = std::accumulate(counts_.data(), counts_.data() + stretches_, std::size_t{0});
            if (count_ >= k_) return count_;
        }
    }
    // A key of a sample that is hardly ever in front of the k-th; less often the larger `wide` is. One that
    // has k - 1 of the sample in front never is.
    [[nodiscard]] Word sampled_bound(std::size_t wide) const {
        const std::size_t size = sample_size(n_), stride = n_ / size;
        const double expected = static_cast<double>(k_) * static_cast<double>(size) / static_cast<double>(n_);
        const double rank = std::min(static_cast<double>(k_ - 1),
                                     static_cast<double>(wide) * (expected + 4 * std::sqrt(expected) + 4));
        if (rank >= static_cast<double>(size) / 2) return words::last;
        scratch<Word> sample(size);
        for (std::size_t i = 0; i < size; ++i) sample.data()[i] = words_(in_[sample_place(i, stride)]);
        Word* const at = sample.data() + static_cast<std::size_t>(rank);
        std::nth_element(sample.data(), at, sample.data() + size);
        return *at;
    }

    void look_through(std::size_t stretch) {
        const Word* const from = in_ + stretch * length_;
        const std::size_t n = std::min(length_, n_ - stretch * length_);
        std::uint32_t* const places = found_.data() + stretch * room_;
        std::size_t& count = counts_.data()[stretch];
        count = 0;
        Word own = words::last;
        for (std::size_t i = 0; i < n;) {
            const auto within = words_.up_to(std::min(own, bound_.load(std::memory_order_relaxed)));
            if (!within) return;
            const found_keys some = find_(from + i, std::min(n - i, step), *within,
                                          static_cast<std::uint32_t>(i), places + count, room_ - count);
            i += some.examined;
            count += some.found;
            if (i == n || room_ - count >= found_at_once) continue;
            const Word last = keep_first(words_, from, places, count, k_);
            count = k_;
            // Others that are equal to the last go behind it, if they are behind it in the input as well.
            tighten(last);
            if (last == 0) return;
            own = static_cast<Word>(last - 1);
        }
    }
    void tighten(Word last) {
        Word seen = bound_.load(std::memory_order_relaxed);
        while (last < seen && !bound_.compare_exchange_weak(seen, last, std::memory_order_relaxed)) {
        }
    }

    void gather() {
        std::size_t* to = places_.data();
        for (std::size_t stretch = 0; stretch < stretches_; ++stretch) {
            const std::uint32_t* const from = found_.data() + stretch * room_;
            to = std::transform(from, from + counts_.data()[stretch], to,
                                [&](std::uint32_t place) { return stretch * length_ + place; });
        }
        constexpr std::size_t few = 32;
        if (count_ <= std::max(few, 2 * k_)) return;
        keep_first(words_, in_, places_.data(), count_, k_);
        count_ = k_;
    }

    words words_;
    find_keys<Word> find_;
    const Word* in_;
    std::size_t n_, k_, length_, stretches_, room_;
    std::atomic<Word> bound_{};
    std::size_t count_ = 0;
    scratch<std::size_t> counts_;   // of keys found in each stretch
    scratch<std::uint32_t> found_;  // where they are in it, room_ for each
    scratch<std::size_t> places_;   // where they are in the input
};

}  // namespace upsweep::cpu
