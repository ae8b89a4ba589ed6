// Stable merges of two runs by one thread, without branches on what is compared.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

namespace upsweep::mpi {

// Two sorted runs; of equal keys those of `a` come first.
template <class Word>
struct two_runs {
    const Word* a;
    const Word* b;
    std::size_t a_size, b_size;

    [[nodiscard]] std::size_t size() const { return a_size + b_size; }
    // How many of the first `count` keys of the merged run are of `a`.
    template <class InOrder>
    [[nodiscard]] std::size_t of_a(std::size_t count, const InOrder& in_order) const {
        std::size_t least = count - std::min(count, b_size), most = std::min(count, a_size);
        while (least < most) {
            const std::size_t middle = least + (most - least) / 2;
            if (in_order(b[count - middle - 1]) < in_order(a[middle]))
                most = middle;
            else
                least = middle + 1;
        }
        return least;
    }
    // What the merged run has from `first` to `end`.
    template <class InOrder>
    [[nodiscard]] two_runs part(std::size_t first, std::size_t end, const InOrder& in_order) const {
        const std::size_t a_first = of_a(first, in_order), a_end = of_a(end, in_order);
        return {a + a_first, b + (first - a_first), a_end - a_first, (end - a_end) - (first - a_first)};
    }
};

// `lanes` merges of two runs at once, a key of each in turn, until a run of any of them ends. Where `from_b`
// is told, from_b[k][i] = 1 if out[k][i] is of b, else 0. The runs and outputs are left where they then are.
template <bool tells, std::size_t lanes, class Word, class InOrder>
void merge_in_turns(two_runs<Word>* runs, Word** outs, std::uint8_t** from_bs, const InOrder& in_order) {
    // Copies that no store can change.
    std::array<const Word*, lanes> a, b, a_end, b_end;
    std::array<Word*, lanes> out;
    std::array<std::uint8_t*, lanes> from_b;
    for (std::size_t k = 0; k < lanes; ++k) {
        a[k] = runs[k].a, b[k] = runs[k].b, out[k] = outs[k], from_b[k] = from_bs[k];
        a_end[k] = a[k] + runs[k].a_size, b_end[k] = b[k] + runs[k].b_size;
    }
    for (;;) {
        std::ptrdiff_t steps = std::numeric_limits<std::ptrdiff_t>::max();
        for (std::size_t k = 0; k < lanes; ++k) steps = std::min({steps, a_end[k] - a[k], b_end[k] - b[k]});
        if (steps == 0) break;
        for (std::ptrdiff_t i = 0; i < steps; ++i) {
            for (std::size_t k = 0; k < lanes; ++k) {
                const Word x = *a[k], y = *b[k];
                const bool takes_b = in_order(y) < in_order(x);
                *out[k]++ = takes_b ? y : x;
                if constexpr (tells) from_b[k][i] = static_cast<std::uint8_t>(takes_b);
                b[k] += static_cast<std::ptrdiff_t>(takes_b);  // sums, which compilers make no branches of
                a[k] += static_cast<std::ptrdiff_t>(!takes_b);
            }
        }
        for (std::size_t k = 0; k < lanes; ++k) from_b[k] += tells ? steps : 0;
    }
    for (std::size_t k = 0; k < lanes; ++k) {
        runs[k] = {a[k], b[k], static_cast<std::size_t>(a_end[k] - a[k]),
                   static_cast<std::size_t>(b_end[k] - b[k])};
        outs[k] = out[k], from_bs[k] = from_b[k];
    }
}

// out = both runs merged.
template <bool tells, class Word, class InOrder>
void merge_two(const two_runs<Word>& runs, Word* out, std::uint8_t* from_b, const InOrder& in_order) {
    constexpr std::size_t lanes = 6;
    std::array<two_runs<Word>, lanes> left;
    std::array<Word*, lanes> outs;
    std::array<std::uint8_t*, lanes> from_bs;
    for (std::size_t k = 0; k < lanes; ++k) {
        const std::size_t first = runs.size() * k / lanes, end = runs.size() * (k + 1) / lanes;
        left[k] = runs.part(first, end, in_order);
        outs[k] = out + first;
        from_bs[k] = from_b + first;
    }
    merge_in_turns<tells, lanes>(left.data(), outs.data(), from_bs.data(), in_order);
    for (std::size_t k = 0; k < lanes; ++k) {
        merge_in_turns<tells, 1>(&left[k], &outs[k], &from_bs[k], in_order);
        const bool is_b = left[k].a_size == 0;  // of what is left
        std::copy_n(is_b ? left[k].b : left[k].a, left[k].size(), outs[k]);
        if constexpr (tells) std::fill_n(from_bs[k], left[k].size(), static_cast<std::uint8_t>(is_b));
    }
}

// out = elements of a and b in turn, as from_b says; of Bytes each, or if that is 0 of `bytes`.
template <std::size_t Bytes>
void merge_values(const std::byte* a, const std::byte* b, std::byte* out, const std::uint8_t* from_b,
                  std::size_t count, std::size_t bytes) {
    const std::size_t size = Bytes == 0 ? bytes : Bytes;
    std::array<std::size_t, 2> taken{};  // bytes of a, of b
    for (std::size_t k = 0; k < count; ++k) {
        const std::size_t takes_b = from_b[k];
        const std::array<const std::byte*, 2> from{a, b};
        std::memcpy(out + k * size, from[takes_b] + taken[takes_b], Bytes == 0 ? bytes : Bytes);
        taken[takes_b] += size;
    }
}

}  // namespace upsweep::mpi
