#include "upsweep/mpi/splits.hpp"

#include <algorithm>
#include <cstring>

#include "src/mpi/ordered_keys.hpp"
#include "upsweep/mpi/counts.hpp"

namespace upsweep::mpi {
namespace {

// With eight the searches of two ranks took twice as long (1000 to 10^6 keys, Open MPI within a machine);
// with four 0.6 to 0.9 times as long, but half as many rounds again.
constexpr int most_bits_of_a_round = 6;

// How many bits to look at, of `left`, for so many places and about so many counts.
int bits_of_round(std::size_t places, std::size_t counts, int left) {
    int bits = 1;
    while (bits < std::min(left, most_bits_of_a_round) && ((std::size_t{2} << bits) - 1) * places <= counts)
        ++bits;
    return bits;
}

}  // namespace

exact_splits::exact_splits(const executor& ex, std::size_t counts_of_a_round)
    : ex_(ex), counts_of_a_round_(counts_of_a_round) {
    const auto size = static_cast<std::size_t>(ex.size());
    places_.reserve(size);
    counts_.resize(std::max(size, counts_of_a_round));
    sums_.resize(counts_.size());
    splits_.resize(size + 1);
    own_.reserve(size);
}

// word_at(i) is the i-th key of this rank in order, as a word of so many bits.
template <class WordAt>
void exact_splits::narrow(const WordAt& word_at, int bits) {
    // This rank's keys below `value`, of those from `first` to `end`.
    const auto below = [&](std::uint64_t first, std::uint64_t end, std::uint64_t value) {
        while (first < end) {
            const std::uint64_t middle = first + (end - first) / 2;
            if (word_at(middle) < value)
                first = middle + 1;
            else
                end = middle;
        }
        return first;
    };
    const auto is_decided = [](const undecided& each) { return each.below == each.place; };
    for (int left = bits; left != 0 && !std::all_of(places_.begin(), places_.end(), is_decided);) {
        const int now = bits_of_round(places_.size(), counts_of_a_round_, left);
        left -= now;
        const std::size_t values = (std::size_t{1} << now) - 1;  // but for the lowest one
        std::uint64_t* count = counts_.data();
        for (const undecided& each : places_) {
            std::uint64_t first = each.first;
            for (std::uint64_t k = 1; k <= values; ++k)
                *count++ = first = below(first, each.end, each.prefix | k << left);
        }
        std::copy(counts_.data(), count, sums_.data());
        sum_over_ranks(ex_, sums_.data(), places_.size() * values);
        const std::uint64_t* own = counts_.data();
        const std::uint64_t* sum = sums_.data();
        for (undecided& each : places_) {
            const auto k = static_cast<std::size_t>(std::upper_bound(sum, sum + values, each.place) - sum);
            if (k != values) each.end = own[k];
            if (k != 0) {
                each.first = own[k - 1];
                each.below = sum[k - 1];
                each.prefix |= std::uint64_t{k} << left;
            }
            own += values;
            sum += values;
        }
    }
}

// Of the keys from first to end, which are equal on all ranks, the first `place - below` belong in front of a
// place.
void exact_splits::cut_equal_ones(std::span<const std::uint64_t> cuts, std::size_t n) {
    for (std::size_t k = 0; k < places_.size(); ++k) counts_[k] = places_[k].end - places_[k].first;
    sum_over_earlier_ranks(ex_, counts_.data(), places_.size());
    std::size_t k = 0;
    for (std::size_t rank = 0; rank < splits_.size(); ++rank) {
        if (cuts[rank] == 0 || cuts[rank] == cuts.back()) {
            splits_[rank] = cuts[rank] == 0 ? 0 : n;
            continue;
        }
        const undecided& each = places_[k];
        const std::uint64_t wanted = each.place - each.below;
        const std::uint64_t left = wanted - std::min(wanted, counts_[k]);
        splits_[rank] = each.first + std::min(left, each.end - each.first);
        ++k;
    }
}

void exact_splits::find(const core::key_order& order, const void* keys, std::size_t n,
                        std::span<const std::uint64_t> cuts) {
    places_.clear();
    for (const std::uint64_t cut : cuts)
        if (cut != 0 && cut != cuts.back()) places_.push_back({cut, 0, 0, 0, n});
    with_order(order, [&]<class Order>(const Order& in_order) {
        using word = typename Order::word;
        narrow(
            [&](std::uint64_t i) -> std::uint64_t {
                word bits;
                std::memcpy(&bits, static_cast<const std::byte*>(keys) + i * sizeof bits, sizeof bits);
                return in_order(bits);
            },
            static_cast<int>(8 * sizeof(word)));
    });
    cut_equal_ones(cuts, n);

    const std::size_t size = splits_.size() - 1;
    for (std::size_t rank = 0; rank < size; ++rank) counts_[rank] = splits_[rank + 1] - splits_[rank];
    sum_over_earlier_ranks(ex_, counts_.data(), size);
    own_.clear();
    for (std::size_t rank = 0; rank < size; ++rank) {
        const std::uint64_t own = splits_[rank + 1] - splits_[rank];
        if (own != 0) own_.push_back({cuts[rank] + counts_[rank], own});
    }
}

}  // namespace upsweep::mpi
