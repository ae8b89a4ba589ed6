// The search for keys that may be among the first k of an order: a bound by a sample, and stretches of the
// input.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "src/cpu/key_interval.hpp"
#include "src/cpu/sort_scratch.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/tasks.hpp"
#include "upsweep/cpu/tuning.hpp"

namespace upsweep::cpu {

// Of a sample of keys: of few, eight neighbours from each of eight places; of more, one a stride of
// n / sample_size keys, each from somewhere in its stride, so that no period of the input meets it.
inline constexpr std::size_t few_sampled = 4096;
inline std::size_t sample_size(std::size_t n) {
    constexpr double times = 2;
    constexpr std::size_t most = 4096;
    if (n <= few_sampled) return std::min(n, std::size_t{64});
    return std::min(most, static_cast<std::size_t>(times * std::sqrt(static_cast<double>(n))));
}
inline std::size_t sample_place(std::size_t i, std::size_t size, std::size_t n) {
    if (n <= few_sampled) return i / 8 * (n / 8) + i % 8;
    // A permutation that scatters (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
    // 2014).
    const std::size_t stride = n / size;
    std::uint64_t bits = (i + 1) * 0x9e3779b97f4a7c15;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
    __extension__ using wide = unsigned __int128;
    return i * stride + static_cast<std::size_t>(wide{bits ^ bits >> 31} * stride >> 64);
}

// Puts integers in order, without a branch that depends on them; false, and nothing is done, where there is
// no kernel for as many.
inline constexpr std::size_t most_by_network = 256;
template <class Word>
bool sort_by_network(simd_level level, Word* words, std::size_t n) {
    const auto& kernels = sort_kernels_for<Word, integer_order<Word>>(level);
    if (n > std::min(most_by_network, kernels.most_sorted)) return false;
    kernels.sort(words, words, n, integer_order<Word>({sizeof(Word), false, false, 0, false}));
    return true;
}

// The search of n keys for those that may be among the first k, in stretches of fewer than 2^32 keys each.
template <class Word, bool Floating>
class key_search {
    using words = keys_in_order<Word, Floating>;

  public:
    key_search(executor& ex, const key_order& order, const Word* in, std::size_t n, std::size_t k)
        : ex_(ex),
          helpers_(ex.helpers_for(n * sizeof(Word) * tuning::top_k_cost)),
          words_(order),
          find_(find_keys_for<Word, Floating>(ex.simd())),
          in_(in),
          n_(n),
          k_(k),
          length_(length_of_stretches()) {}

    [[nodiscard]] std::size_t stretches() const { return (n_ - 1) / length_ + 1; }
    [[nodiscard]] std::size_t length() const { return length_; }
    [[nodiscard]] std::size_t begin(std::size_t stretch) const { return stretch * length_; }
    [[nodiscard]] std::size_t size(std::size_t stretch) const {
        return std::min(length_, n_ - begin(stretch));
    }
    [[nodiscard]] const Word* keys(std::size_t stretch) const { return in_ + begin(stretch); }
    [[nodiscard]] const words& order() const { return words_; }

    // look_through(stretch) of every stretch, with bounds that are looser each time until count() says that k
    // keys have been found. Returns how many were.
    template <class LookThrough, class Count>
    std::size_t run(const LookThrough& look_through, const Count& count) {
        for (std::size_t wide = 1;; wide *= 8) {
            bound_.store(sampled_bound(wide), std::memory_order_relaxed);
            for_each_task(ex_, helpers_, stretches(), look_through);
            const std::size_t found = count();
            if (found >= k_) return found;
        }
    }
    // Keys of the stretch from `at` on, as many as that of `ahead`, that are at most `own` and the bound of
    // all; where they are in it goes to `places`. None are examined if there can be no more.
    [[nodiscard]] found_keys find(std::size_t stretch, std::size_t at, std::size_t ahead, Word own,
                                  std::uint32_t* places, std::size_t room) const {
        const auto within = words_.up_to(std::min(own, bound_.load(std::memory_order_relaxed)));
        if (!within) return {0, 0};
        return find_(keys(stretch) + at, ahead, *within, static_cast<std::uint32_t>(at), places, room);
    }
    // k keys are at most `last`.
    void tighten(Word last) {
        Word seen = bound_.load(std::memory_order_relaxed);
        while (last < seen && !bound_.compare_exchange_weak(seen, last, std::memory_order_relaxed)) {
        }
    }

  private:
    static constexpr std::size_t least_stretch = 4096, most_stretch = std::size_t{1} << 31;
    static constexpr std::size_t stretches_per_thread = 4;
    static constexpr std::size_t least_sampled = 256;

    [[nodiscard]] std::size_t length_of_stretches() const {
        const std::size_t wanted = helpers_ == 0 ? 1 : stretches_per_thread * (helpers_ + 1);
        return std::min(std::max({least_stretch, 2 * k_, n_ / wanted + 1}), most_stretch);
    }
    // A key of a sample that is hardly ever in front of the k-th; less often the larger `wide` is. One that
    // has k - 1 of the sample in front never is.
    [[nodiscard]] Word sampled_bound(std::size_t wide) const {
        if (n_ < least_sampled) return words::last;
        const std::size_t size = sample_size(n_);
        const double expected = static_cast<double>(k_) * static_cast<double>(size) / static_cast<double>(n_);
        const double rank = std::min(static_cast<double>(k_ - 1),
                                     static_cast<double>(wide) * (expected + 4 * std::sqrt(expected) + 4));
        if (rank >= static_cast<double>(size) / 2) return words::last;
        scratch<Word> sample(size);
        for (std::size_t i = 0; i < size; ++i) sample.data()[i] = words_(in_[sample_place(i, size, n_)]);
        const auto at = static_cast<std::size_t>(rank);
        if (!sort_by_network(ex_.simd(), sample.data(), size))
            std::nth_element(sample.data(), sample.data() + at, sample.data() + size);
        return sample.data()[at];
    }

    executor& ex_;
    std::size_t helpers_;
    words words_;
    find_keys<Word> find_;
    const Word* in_;
    std::size_t n_, k_, length_;
    std::atomic<Word> bound_{};
};

}  // namespace upsweep::cpu
