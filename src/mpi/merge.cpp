#include "upsweep/mpi/merge.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "src/mpi/merge_kernels.hpp"
#include "src/mpi/ordered_keys.hpp"
#include "upsweep/cpu/tasks.hpp"

namespace upsweep::mpi {
namespace {

constexpr std::size_t piece_size = 32768;  // keys that a thread merges at once

using value_merge = void (*)(const std::byte*, const std::byte*, std::byte*, const std::uint8_t*, std::size_t,
                             std::size_t);
value_merge merge_of_values(std::size_t bytes) {
    switch (bytes) {
        case 1:
            return &merge_values<1>;
        case 2:
            return &merge_values<2>;
        case 4:
            return &merge_values<4>;
        case 8:
            return &merge_values<8>;
        default:
            return &merge_values<0>;
    }
}

std::byte* at(void* elements, std::size_t i, std::size_t element_bytes) {
    return static_cast<std::byte*>(elements) + i * element_bytes;
}

// Calls body(first, end) for pieces of [0, n), on the rank's threads.
template <class Body>
void for_each_piece(cpu::executor& ex, std::size_t n, std::size_t element_bytes, const Body& body) {
    cpu::for_each_task(
        ex, ex.helpers_for(2 * n * element_bytes), (n + piece_size - 1) / piece_size,
        [&](std::size_t task) { body(task * piece_size, std::min(n, (task + 1) * piece_size)); });
}

}  // namespace

template <class InOrder>
void runs::merge_in_order(cpu::executor& ex, const InOrder& in_order, array keys, array values) {
    using word = typename InOrder::word;
    const auto n = static_cast<std::size_t>(size());
    const std::size_t bytes = sizeof(word) + values.element_bytes;
    const value_merge merge_more = merge_of_values(values.element_bytes);
    // What the merge of the runs [begin, middle) and [middle, end) has from place `first` to `last`.
    const auto merge_piece = [&](std::size_t begin, std::size_t middle, std::size_t end, std::size_t first,
                                 std::size_t last) {
        const auto* const all = static_cast<const word*>(keys.elements);
        const two_runs<word> both{all + begin, all + middle, middle - begin, end - middle};
        const two_runs<word> part = both.part(first - begin, last - begin, in_order);
        std::array<std::uint8_t, piece_size> from_b;
        word* const out = static_cast<word*>(keys.spare) + first;
        if (values.elements == nullptr) return merge_two<false>(part, out, from_b.data(), in_order);
        merge_two<true>(part, out, from_b.data(), in_order);
        const std::size_t size = values.element_bytes;
        merge_more(at(values.elements, static_cast<std::size_t>(part.a - all), size),
                   at(values.elements, static_cast<std::size_t>(part.b - all), size),
                   at(values.spare, first, size), from_b.data(), last - first, size);
    };
    bool is_in_spare = false;
    for (; ends_.size() > 1; is_in_spare = !is_in_spare) {
        for_each_piece(ex, n, bytes, [&](std::size_t first, std::size_t last) {
            auto run =
                static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), first) - ends_.begin());
            for (run -= run % 2; first < last; run += 2) {
                const auto begin = static_cast<std::size_t>(run == 0 ? 0 : ends_[run - 1]);
                const auto middle = static_cast<std::size_t>(ends_[run]);
                const auto end = static_cast<std::size_t>(ends_[std::min(run + 1, ends_.size() - 1)]);
                const std::size_t stop = std::min(last, end);
                if (first < stop) merge_piece(begin, middle, end, first, stop);
                first = std::max(first, stop);
            }
        });
        for (std::size_t run = 1; run < ends_.size(); run += 2) ends_[run / 2] = ends_[run];
        if (ends_.size() % 2 == 1) ends_[ends_.size() / 2] = ends_.back();
        ends_.resize((ends_.size() + 1) / 2);
        std::swap(keys.elements, keys.spare);
        std::swap(values.elements, values.spare);
    }
    if (!is_in_spare) return;
    for_each_piece(ex, n, bytes, [&](std::size_t first, std::size_t last) {
        for (const array& each : {keys, values}) {
            if (each.elements != nullptr)
                std::memcpy(at(each.spare, first, each.element_bytes),
                            at(each.elements, first, each.element_bytes),
                            (last - first) * each.element_bytes);
        }
    });
}

void runs::merge(cpu::executor& ex, const core::key_order& order, const array& keys, const array* values) {
    with_order(order, [&](const auto& in_order) {
        merge_in_order(ex, in_order, keys, values == nullptr ? array{nullptr, nullptr, 0} : *values);
    });
}

}  // namespace upsweep::mpi
