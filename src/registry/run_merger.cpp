// Runs and windows of a run-time type: where a window ends in each part, and its sort.
#include "registry/run_merger.hpp"

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstring>
#include <type_traits>

#include "registry/order.hpp"
#include "registry/sorter.hpp"
#include "src/cpu/sort_order.hpp"
#include "upsweep/core/key_order.hpp"
#include "upsweep/sort.hpp"

namespace upsweep::registry {
namespace {

// A key's place among all of its type: equal for equal keys, less where one goes before the other.
template <class Key>
class place_of_key {
  public:
    using word = upsweep::detail::word_of_bytes<sizeof(Key)>;

    explicit place_of_key(bool descending) : order_(core::order_of<Key>(descending)) {}
    word operator()(const Key& key) const {
        const auto bits = std::bit_cast<word>(key);
        if constexpr (std::integral<Key>)
            return order_(bits);
        else
            return order_(cpu::ascending_bits(bits));
    }

  private:
    std::conditional_t<std::integral<Key>, cpu::integer_order<word>, cpu::floating_order<word>> order_;
};

// How many of n keys in order go before the bound, or are equal to it where that is wanted.
template <class Key, class Place>
std::size_t count_within(const Key* keys, std::size_t n, const Place& place, typename Place::word bound,
                         bool with_equal) {
    const auto is_within = [&](const Key& key) {
        return with_equal ? place(key) <= bound : place(key) < bound;
    };
    return static_cast<std::size_t>(std::partition_point(keys, keys + n, is_within) - keys);
}

// Sets how many are taken of each part.
template <class Key>
void find_window(std::span<run_part> parts, bool descending) {
    const place_of_key<Key> place(descending);
    const auto keys_of = [](const run_part& part) { return static_cast<const Key*>(part.keys); };
    const run_part* used_up = nullptr;
    typename place_of_key<Key>::word bound = 0;
    for (const run_part& part : parts) {
        if (part.is_last) continue;
        const auto end = place(keys_of(part)[part.count - 1]);
        if (used_up != nullptr && end >= bound) continue;
        used_up = &part;
        bound = end;
    }
    for (run_part& part : parts) {
        part.taken = used_up == nullptr
                         ? part.count
                         : count_within(keys_of(part), part.count, place, bound, &part <= used_up);
    }
}

// The elements of the pieces one behind the other; returns of how many parts there are any.
std::size_t gather(std::span<const run_part> parts, std::size_t key_bytes, void* keys,
                   std::int64_t* indices) {
    auto* to = static_cast<std::byte*>(keys);
    std::size_t pieces = 0;
    for (const run_part& part : parts) {
        if (part.taken == 0) continue;
        ++pieces;
        std::memcpy(to, part.keys, part.taken * key_bytes);
        to += part.taken * key_bytes;
        if (indices == nullptr) continue;
        std::copy_n(part.indices, part.taken, indices);
        indices += part.taken;
    }
    return pieces;
}

}  // namespace

void sort_run(const device& where, dtype type, void* keys, std::int64_t* indices, std::size_t n,
              std::int64_t first, bool descending) {
    if (indices == nullptr) return sort(where, type, keys, keys, n, descending);
    with_order(where, type, [&]<class Key>(std::type_identity<Key>) {
        auto* const to = static_cast<Key*>(keys);
        upsweep::detail::sort_with_indices<Key>(
            {where.executor(), descending}, n, [=](std::size_t i) { return to[i]; },
            [=](std::size_t i, Key key, std::uint64_t at) {
                to[i] = key;
                indices[i] = first + static_cast<std::int64_t>(at);
            });
    });
}

std::size_t merge_window(const device& where, dtype type, std::span<run_part> parts, void* keys,
                         std::int64_t* indices, bool descending) {
    std::size_t n = 0;
    with_order(where, type, [&]<class Key>(std::type_identity<Key>) {
        find_window<Key>(parts, descending);
        for (const run_part& part : parts) n += part.taken;
        if (gather(parts, sizeof(Key), keys, indices) < 2) return;
        const std::span window(static_cast<Key*>(keys), n);
        if (indices == nullptr) {
            upsweep::sort(where.executor(), window, window, {.descending = descending});
        } else {
            const std::span places(indices, n);
            upsweep::sort_by_key(where.executor(), window, places, window, places,
                                 {.descending = descending});
        }
    });
    return n;
}

std::size_t run_element_bytes(dtype type, bool with_indices) {
    const std::size_t size = size_of(type);
    if (!with_indices) return 2 * size;
    return size + sizeof(std::int64_t) + static_cast<std::size_t>(sort_indices_scratch_bytes(type, 1));
}
std::size_t window_element_bytes(dtype type, bool with_indices) {
    const std::size_t size = size_of(type);
    if (!with_indices) return 2 * size;
    return size + sizeof(std::int64_t) + 2 * 16;  // two records of a key and an index
}

}  // namespace upsweep::registry
