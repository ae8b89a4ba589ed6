// Sorting kernels: bounds of keys, a few of them in order, and keys alone.

#if defined(UPSWEEP_SORT_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_SORT_KERNELS_INL_HPP
#undef UPSWEEP_SORT_KERNELS_INL_HPP
#else
#define UPSWEEP_SORT_KERNELS_INL_HPP
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "src/cpu/key_sort-inl.hpp"
#include "src/cpu/portable_sort.hpp"
#include "src/cpu/vector-inl.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

// place + 1 where a < b.
template <class V>
HWY_INLINE V count_less(V place, V a, V b) {
    const hn::DFromV<V> d;
    if constexpr (sizeof(V) == 64)
        return hn::IfThenElse(hn::Lt(a, b), hn::Add(place, hn::Set(d, 1)), place);
    else
        return hn::Sub(place, hn::VecFromMask(d, hn::Lt(a, b)));
}

// places[i] = how many of n keys go before key i: those that are less, and those in front that are equal.
// Keys and places have room for whole vectors.
template <class Key, class Place>
HWY_ATTR void find_places(const Key* keys, std::size_t n, Place* places) {
    const full<Key> d;
    constexpr std::size_t step = lanes<Key>;
    const auto lane = hn::LoadU(d, numbers_from_0<Key>.data());
    for (std::size_t i = 0; i < n; i += step) {
        const auto own = hn::LoadU(d, keys + i);
        // Lanes of a mask that are set count as -1.
        auto place = hn::Set(d, static_cast<Key>(i));
        std::size_t j = 0;
        for (; j < i; ++j) place = hn::Add(place, hn::VecFromMask(d, hn::Lt(own, hn::Set(d, keys[j]))));
        const std::size_t end = i + step < n ? i + step : n;
        for (; j < end; ++j) {
            const auto other = hn::Set(d, keys[j]);
            const auto behind = hn::Lt(hn::Set(d, static_cast<Key>(j - i)), lane);
            const auto before = hn::Or(hn::Lt(other, own), hn::And(behind, hn::Eq(other, own)));
            place = hn::Sub(place, hn::VecFromMask(d, before));
        }
        for (; j < n; ++j) place = count_less(place, hn::Set(d, keys[j]), own);
        hn::StoreU(hn::BitCast(full<Place>(), place), full<Place>(), places + i);
    }
}
// Has a compiler load single elements of what vectors have stored, rather than take vectors apart.
HWY_INLINE void keep_in_memory(const void* p) { asm volatile("" : : "r"(p) : "memory"); }

// Bits of records, as many as there are 32-bit (64-bit) lanes.
template <class Word>
HWY_INLINE auto load_bits(const Word* records) {
    if constexpr (sizeof(Word) >= 4)
        return hn::LoadU(full<Word>(), records);
    else
        return hn::PromoteTo(full<std::uint32_t>(),
                             hn::LoadU(hn::Rebind<Word, full<std::uint32_t>>(), records));
}
template <class Word>
HWY_INLINE vector<Word> load_bits(const keyed<Word>* records) {
    vector<Word> bits, values;
    hn::LoadInterleaved2(full<Word>(), &records->bits, bits, values);
    return bits;
}

template <class Record, class Order>
struct sorting {
    using word = typename Order::word;
    // Vectors compare signed integers, of 32 or 64 bits.
    using place = std::conditional_t<sizeof(word) == 8, std::uint64_t, std::uint32_t>;
    using ranked = std::make_signed_t<place>;

    static HWY_ATTR key_bounds<word> bounds(const Record* records, std::size_t n, const Order& order) {
        const Order own = order;
        word lo = std::numeric_limits<word>::max(), hi = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const word key = own(bits_of(records[i]));
            lo = key < lo ? key : lo;
            hi = key > hi ? key : hi;
        }
        return {lo, hi};
    }
    static HWY_ATTR bool in_order(const Record* records, std::size_t n, const Order& order) {
        const Order own = order;
        return are_in_order(n, [=](std::size_t i) { return own(bits_of(records[i])); });
    }
    static HWY_ATTR void rank(const Record* from, std::size_t readable, Record* to, std::size_t n,
                              const Order& order) {
        if constexpr (is_key) {
            const auto flip = static_cast<word>(order.flip ^ top_bit<word>);
            key_pieces<word>::sort(from, readable, to, n, flip, flip);
        } else {
            rank_few(from, readable, to, n, order);
        }
    }
    // A window of records from the first one of a part on, with what follows: records behind the part have
    // all the greatest key that one of the part can have. Followed by where they are, keys are all different,
    // and those of the part less, so one comparison does, and how many there are in the part is no branch.
    static HWY_ATTR void rank_parts(const Record* from, Record* to, std::size_t n, const Order& order,
                                    const part_ends<word>& parts) {
        std::size_t begin = 0;
        for (std::size_t part = 0; part < parts.count; ++part) {
            const std::size_t end = parts.ends[part], size = end - begin;
            if (size > 1 && size <= most_ranked) {
                constexpr std::size_t half = most_ranked / 2;
                const auto base = static_cast<word>(parts.lo + static_cast<word>(part << parts.shift));
                if (!is_plain || begin + most_ranked > n)
                    rank(from + begin, n - begin, to + begin, size, order);
                else if (size <= half)
                    rank_window<half>(from + begin, to + begin, order, base, parts.shift);
                else
                    rank_window<most_ranked>(from + begin, to + begin, order, base, parts.shift);
            } else if (size == 1) {
                to[begin] = from[begin];
            }
            begin = end;
        }
    }

  private:
    // The order is that of the bits, but for some that are flipped.
    static constexpr bool is_plain = std::is_same_v<Order, integer_order<word>>;
    // Nothing but a key, of lanes' size.
    static constexpr bool is_key = is_plain && std::is_same_v<Record, word> && sizeof(word) >= 4;
    static constexpr std::size_t step = lanes<place>;
    static_assert(most_ranked % step == 0);

    static HWY_ATTR void rank_few(const Record* from, std::size_t readable, Record* to, std::size_t n,
                                  const Order& order) {
        few own;
        const std::size_t whole = own.copy(from, readable, n);
        const full<place> d;
        if constexpr (is_plain) {
            const auto flip = hn::Set(d, order.flip ^ top_bit<place>);
            for (std::size_t i = 0; i < whole; i += step)
                hn::StoreU(hn::Xor(load_bits(own.records + i), flip), d, own.keys + i);
        } else {
            for (std::size_t i = 0; i < n; ++i) own.keys[i] = order(bits_of(own.records[i])) ^ top_bit<place>;
            for (std::size_t i = n; i < whole; ++i) own.keys[i] = 0;
        }
        find_places(reinterpret_cast<const ranked*>(own.keys), n, own.places);
        own.move(to, n);
    }
    template <std::size_t Window>
    static HWY_INLINE void rank_window(const Record* from, Record* to, const Order& order, word base,
                                       int shift) {
        if constexpr (is_plain) {
            const full<place> d;
            const full<ranked> di;
            few own;
            own.copy_whole(from, Window);
            const auto flip = hn::Set(d, order.flip), least = hn::Set(d, base);
            const auto behind = hn::Set(d, static_cast<place>((place{1} << shift) - 1));
            for (std::size_t i = 0; i < Window; i += step) {
                const auto offset = hn::Min(hn::Sub(hn::Xor(load_bits(from + i), flip), least), behind);
                const auto lane = hn::LoadU(d, numbers_from_0<place>.data() + i);
                hn::StoreU(hn::Or(hn::ShiftLeft<5>(offset), lane), d, own.keys + i);
            }
            keep_in_memory(own.keys);
            const auto* const keys = reinterpret_cast<const ranked*>(own.keys);
            for (std::size_t i = 0; i < Window; i += step) {
                const auto key = hn::Load(di, keys + i);
                auto before = hn::Zero(di), more = before;
                for (std::size_t j = 0; j < Window; j += 2) {
                    before = count_less(before, hn::Set(di, keys[j]), key);
                    more = count_less(more, hn::Set(di, keys[j + 1]), key);
                }
                hn::Store(hn::BitCast(d, hn::Add(before, more)), d, own.places + i);
            }
            keep_in_memory(own.places);
            own.move(to, Window);
        }
    }

    struct few {
        // By whole vectors where those can be read: what is stored element by element and loaded as a vector
        // has to wait. Returns how many there are room and keys for.
        HWY_INLINE std::size_t copy(const Record* from, std::size_t readable, std::size_t n) {
            const std::size_t whole = (n + step - 1) / step * step;
            if (whole <= readable && sizeof(Record) * step >= 16) {
                copy_whole(from, whole);
            } else {
                std::memcpy(records, from, n * sizeof(Record));
                std::memset(static_cast<void*>(records + n), 0, (whole - n) * sizeof(Record));
            }
            return whole;
        }
        HWY_INLINE void copy_whole(const Record* from, std::size_t whole) {
            const hn::Full128<std::uint8_t> d;
            const auto* source = reinterpret_cast<const std::uint8_t*>(from);
            auto* to = reinterpret_cast<std::uint8_t*>(records);
            for (std::size_t i = 0; i < whole * sizeof(Record); i += 16)
                hn::StoreU(hn::LoadU(d, source + i), d, to + i);
        }
        HWY_INLINE void move(Record* to, std::size_t n) const {
            for (std::size_t i = 0; i < n; ++i) to[places[i]] = records[i];
        }

        HWY_ALIGN place keys[most_ranked];
        HWY_ALIGN place places[most_ranked];
        HWY_ALIGN Record records[most_ranked];
    };

    static constexpr auto table_of_level() {
        if constexpr (is_key)
            return sort_kernels<Record, Order>{&bounds,
                                               &in_order,
                                               &rank,
                                               &rank_parts,
                                               &key_sort<word>::sort,
                                               key_sort<word>::most,
                                               key_sort<word>::split_kernel()};
        else
            return sort_kernels<Record, Order>{&bounds, &in_order, &rank, &rank_parts};
    }

  public:
    static constexpr sort_kernels<Record, Order> table = table_of_level();
};

template <class Record>
struct floating {
    using order = typename floating_kernels<Record>::order;

    static HWY_ATTR bool enter(const Record* from, Record* to, std::size_t n, const order& by) {
        const order own = by;
        typename order::word specials = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const Record record = from[i];
            const auto bits = ascending_bits(bits_of(record));
            specials |= own.is_special(bits) ? 1 : 0;
            to[i] = with_bits(record, bits);
        }
        return specials != 0;
    }
    static HWY_ATTR void leave(Record* records, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i)
            records[i] = with_bits(records[i], floating_bits(bits_of(records[i])));
    }
    static HWY_ATTR bool in_order(const Record* records, std::size_t n, const order& by) {
        const order own = by;
        return are_in_order(n, [=](std::size_t i) { return own(ascending_bits(bits_of(records[i]))); });
    }
    static constexpr floating_kernels<Record> table{&enter, &leave, &in_order};
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // include guard
