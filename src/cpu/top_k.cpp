// The first k keys of an order on the CPU.
#include "upsweep/cpu/top_k.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/cpu/candidates.hpp"
#include "src/cpu/few_first.hpp"
#include "src/cpu/sort_scratch.hpp"

namespace upsweep::cpu {
namespace {

// Fewer keys than this are sorted, all of them; and so are others of which so large a part is wanted.
constexpr std::size_t least_searched = 256;
// So many keys are sorted by a network with their numbers behind them: to rank them one by one takes longer,
// by branches that are mispredicted, and so does a network of more.
constexpr std::size_t most_numbered = 64;
constexpr std::size_t wanted_keys_part = 4, wanted_places_part = 2;

// Records of keys and of numbers below n, place_of(number) of which is the key's.
template <class Record, class Word, class PlaceOf>
class placed_records {
  public:
    placed_records(const key_order& order, const Word* in, const PlaceOf& place_of, std::size_t* places,
                   std::size_t k)
        : shift_(key_shift(order, sizeof(Record::bits))),
          in_(in),
          place_of_(place_of),
          places_(places),
          k_(k) {}

    [[nodiscard]] record_ends ends() const { return {this, &load, &store, sizeof(Record::bits) == 8}; }

  private:
    using word = decltype(Record::bits);

    static const placed_records& of(const record_ends& ends) {
        return *static_cast<const placed_records*>(ends.context);
    }
    static void load(const record_ends& ends, std::size_t first, std::size_t count, void* records) {
        const placed_records& self = of(ends);
        auto* const to = static_cast<Record*>(records);
        for (std::size_t i = 0; i < count; ++i)
            to[i] = {static_cast<word>(word{self.in_[self.place_of_(first + i)]} << self.shift_),
                     static_cast<word>(first + i)};
    }
    static void store(const record_ends& ends, std::size_t first, std::size_t count, const void* records) {
        const placed_records& self = of(ends);
        const auto* const from = static_cast<const Record*>(records);
        for (std::size_t i = first; i < std::min(self.k_, first + count); ++i)
            self.places_[i] = self.place_of_(from[i - first].value);
    }

    std::size_t shift_;
    const Word* in_;
    const PlaceOf& place_of_;
    std::size_t* places_;
    std::size_t k_;
};

// places = those of the first k of n keys, which are at place_of(0), place_of(1), ...
template <class Word, class PlaceOf>
void sort_places(executor& ex, const key_order& order, const Word* in, std::size_t n, const PlaceOf& place_of,
                 std::size_t* places, std::size_t k) {
    const auto sort = [&]<class Record>(Record) {
        const placed_records<Record, Word, PlaceOf> records(order, in, place_of, places, k);
        run_sort_records(ex, order, records.ends(), n);
    };
    if constexpr (sizeof(Word) <= 4) {
        if (n <= std::size_t{1} << 32) return sort(keyed<std::uint32_t>{});
    }
    sort(keyed<std::uint64_t>{});
}

// The same of few keys that leave room for a number: followed by it, they are all different. False, and
// nothing is done, where they are too many, or too wide.
template <class Word, bool Floating, class PlaceOf>
bool sort_numbered(const executor& ex, const key_order& order, const Word* in, std::size_t n,
                   const PlaceOf& place_of, std::size_t* places, std::size_t k) {
    if constexpr (sizeof(Word) <= 4) {
        if (n > most_numbered) return false;
        alignas(64) std::array<std::uint64_t, most_numbered> keys;
        const keys_in_order<Word, Floating> words(order);
        for (std::size_t i = 0; i < n; ++i) keys[i] = std::uint64_t{words(in[place_of(i)])} << 32 | i;
        if (!sort_by_network(ex.simd(), keys.data(), n)) return false;
        for (std::size_t i = 0; i < k; ++i) places[i] = place_of(keys[i] & 0xffffffff);
        return true;
    }
    return false;
}

template <class Word, bool Floating>
void find_places(executor& ex, const key_order& order, const Word* in, std::size_t n, std::size_t* places,
                 std::size_t k) {
    const auto itself = [](std::size_t i) { return i; };
    if (sort_numbered<Word, Floating>(ex, order, in, n, itself, places, k)) return;
    if (k <= few_of_top) {
        const few_first<Word, Floating> few(ex, order, in, n, k);
        for (std::size_t i = 0; i < k; ++i) places[i] = few.place(i);
        return;
    }
    if (n < least_searched || k > n / wanted_places_part)
        return sort_places(ex, order, in, n, itself, places, k);
    const candidates<Word, Floating> few(ex, order, in, n, k);
    const auto place_of = [&](std::size_t i) { return few.place(i); };
    if (!sort_numbered<Word, Floating>(ex, order, in, few.size(), place_of, places, k))
        sort_places(ex, order, in, few.size(), place_of, places, k);
}

template <class Word, bool Floating>
void find_first(executor& ex, const key_order& order, const Word* in, std::size_t n, Word* out,
                std::size_t k) {
    const auto sort_to_out = [&](const Word* from, Word* to, std::size_t count) {
        run_sort(ex, order, from, to, count);
        std::memcpy(out, to, k * sizeof(Word));
    };
    if (k == n) return run_sort(ex, order, in, out, n);
    if (k <= few_of_top || n <= most_numbered) {
        scratch<std::size_t> places(k);
        find_places<Word, Floating>(ex, order, in, n, places.data(), k);
        for (std::size_t i = 0; i < k; ++i) out[i] = in[places.data()[i]];
        return;
    }
    if (n < least_searched || k > n / wanted_keys_part) {
        scratch<Word> sorted(n);
        return sort_to_out(in, sorted.data(), n);
    }
    const candidates<Word, Floating> few(ex, order, in, n, k);
    scratch<Word> keys(few.size());
    for (std::size_t i = 0; i < few.size(); ++i) keys.data()[i] = in[few.place(i)];
    sort_to_out(keys.data(), keys.data(), few.size());
}

// Calls find(word, floating) of the keys' type.
template <class Find>
void of_keys(const key_order& order, const Find& find) {
    switch (order.bytes) {
        case 1:
            return find.template operator()<std::uint8_t, false>();
        case 2:
            return order.is_floating ? find.template operator()<std::uint16_t, true>()
                                     : find.template operator()<std::uint16_t, false>();
        case 4:
            return order.is_floating ? find.template operator()<std::uint32_t, true>()
                                     : find.template operator()<std::uint32_t, false>();
        default:
            return order.is_floating ? find.template operator()<std::uint64_t, true>()
                                     : find.template operator()<std::uint64_t, false>();
    }
}

}  // namespace

void run_top_k(executor& ex, const key_order& order, const void* in, std::size_t n, void* out,
               std::size_t k) {
    if (k == 0) return;
    of_keys(order, [&]<class Word, bool Floating>() {
        find_first<Word, Floating>(ex, order, static_cast<const Word*>(in), n, static_cast<Word*>(out), k);
    });
}

void run_top_k_places(executor& ex, const key_order& order, const void* in, std::size_t n,
                      std::size_t* places, std::size_t k) {
    if (k == 0) return;
    of_keys(order, [&]<class Word, bool Floating>() {
        find_places<Word, Floating>(ex, order, static_cast<const Word*>(in), n, places, k);
    });
}

}  // namespace upsweep::cpu
