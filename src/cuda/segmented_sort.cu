// Sorts of segments: tiles of short ones, then what is longer than a tile.
#include <algorithm>
#include <cstdint>

#include "record_sort.hpp"
#include "segment_windows.cuh"
#include "sort_orders.cuh"
#include "sort_scratch.hpp"
#include "upsweep/cuda/held_scratch.hpp"
#include "upsweep/cuda/launch.cuh"
#include "upsweep/cuda/segment_heads.cuh"

namespace upsweep::cuda {
namespace detail {
namespace {

// Where arrays lie in scratch: of every sort, and of those that may have segments longer than a tile.
struct segment_layout {
    std::uint64_t windows;
    std::size_t heads_at, made_at, copy_at, told_at, windows_at, parts_at, keys_at, segments_at, order_at,
        followed_at, sorts_at, bytes;

    // `moves_copy`: values are sorted in place. `value_bytes` is 0 where only keys are.
    segment_layout(std::uint64_t n, std::size_t key_bytes, std::size_t value_bytes, bool makes_keys,
                   bool moves_copy, unsigned window, bool has_long)
        : windows((n - 1) / window + 1) {
        heads_at = 0;
        made_at = aligned(marked_heads::count(n) * sizeof(std::uint32_t));
        copy_at = made_at + (makes_keys ? aligned(n * key_bytes) : 0);
        told_at = copy_at + (moves_copy ? aligned(n * value_bytes) : 0);
        bytes = windows_at = parts_at = keys_at = segments_at = order_at = followed_at = sorts_at = told_at;
        if (!has_long) return;
        windows_at = told_at + 256;
        parts_at = windows_at + aligned(windows * sizeof(segment_window));
        keys_at = parts_at + aligned(windows * sizeof(window_part));
        segments_at = keys_at + aligned(n * key_bytes);
        order_at = segments_at + aligned(n * sizeof(std::uint32_t));
        const bool by_order = value_bytes != 0;
        const std::size_t along = by_order ? index_bytes(n) : sizeof(std::uint32_t);
        followed_at = order_at + (by_order ? aligned(n * along) : 0);
        sorts_at = followed_at + (by_order ? aligned(n * sizeof(std::uint32_t)) : 0);
        bytes = sorts_at +
                aligned(std::max(sort_scratch_bytes(n, key_bytes, along),
                                 sort_scratch_bytes(n, sizeof(std::uint32_t), by_order ? along : key_bytes)));
    }
};

// What is told in scratch of long segments.
struct told_lengths {
    std::uint64_t total;  // elements
    unsigned any;
};

template <class Order>
class segmented_sort {
    using Key = typename Order::Key;
    using shape = segment_tile_shape<Key>;

  public:
    segmented_sort(executor& ex, const core::key_order& order, const segmented_records& all)
        : ex_(ex),
          order_(order),
          all_(all),
          at_(all.n, sizeof(Key), value_bytes(), all.make_keys != nullptr, moves_copy(), shape::window,
              has_long()) {}

    [[nodiscard]] std::size_t bytes() const { return at_.bytes; }
    // In scratch of so many bytes.
    void run(char* scratch) {
        scratch_ = scratch;
        auto* const heads = at<std::uint32_t>(at_.heads_at);
        all_.make_heads(all_.heads_maker, heads);
        if (all_.make_keys != nullptr) {
            all_.make_keys(all_.maker, scratch_ + at_.made_at);
            all_.keys = scratch_ + at_.made_at;
        }
        if (moves_copy()) {
            check(cudaMemcpyAsync(scratch_ + at_.copy_at, all_.values, all_.n * all_.value_bytes,
                                  cudaMemcpyDeviceToDevice, ex_.stream()),
                  "copying what is sorted in place");
            all_.values = scratch_ + at_.copy_at;
        }
        sort_tiles(heads);
        if (has_long()) sort_long();
        check(cudaGetLastError(), "launching a sort of segments");
    }

  private:
    [[nodiscard]] std::size_t value_bytes() const {
        return all_.what == records::kind::keys ? 0 : all_.value_bytes;
    }
    [[nodiscard]] bool moves_copy() const {
        return all_.what == records::kind::values && all_.values == all_.values_out;
    }
    [[nodiscard]] bool has_long() const {
        return std::min(all_.n, all_.longest) > std::uint64_t(shape::tile);
    }
    template <class T>
    [[nodiscard]] T* at(std::size_t offset) const {
        return reinterpret_cast<T*>(scratch_ + offset);
    }
    [[nodiscard]] Key* keys_out() const { return static_cast<Key*>(all_.keys_out); }
    [[nodiscard]] moved_values values() const {
        if (all_.what == records::kind::keys) return {};
        const auto bytes = static_cast<unsigned>(all_.value_bytes);
        if (all_.what == records::kind::indices)
            return {nullptr, all_.values_out, bytes, 1, all_.from_segment};
        const auto bits = reinterpret_cast<std::uintptr_t>(all_.values) |
                          reinterpret_cast<std::uintptr_t>(all_.values_out) | all_.value_bytes | 16;
        const auto piece = static_cast<unsigned>(bits & (0 - bits));
        return {all_.values, all_.values_out, piece, bytes / piece, false};
    }

    void sort_tiles(const std::uint32_t* heads) const {
        using arguments = segment_tile_arguments<Order>;
        auto* const told = at<told_lengths>(at_.told_at);
        if (has_long())
            check(cudaMemsetAsync(told, 0, sizeof *told, ex_.stream()), "clearing what a sort tells");
        constexpr auto kernel = &segment_tile_kernel<arguments>;
        prepare<kernel>(ex_, shape::shared_bytes, 0);
        kernel<<<static_cast<unsigned>(at_.windows), shape::threads, shape::shared_bytes, ex_.stream()>>>(
            {static_cast<const Key*>(all_.keys), keys_out(), values(), extent(), heads,
             has_long() ? at<segment_window>(at_.windows_at) : nullptr, &told->any,
             kernel_order<Order>(order_)});
    }
    [[nodiscard]] array_extent extent() const { return {all_.n, all_.length}; }

    void sort_long() const {
        auto* const told = at<told_lengths>(at_.told_at);
        auto* const parts = at<window_part>(at_.parts_at);
        const windows_view all{at<segment_window>(at_.windows_at), parts, at_.windows, shape::window,
                               extent()};
        plan_windows_kernel<<<1, plan_threads, 0, ex_.stream()>>>(all, parts, &told->any, &told->total);
        auto* const keys = at<Key>(at_.keys_at);
        auto* const segments = at<std::uint32_t>(at_.segments_at);
        gather_segments_kernel<Key><<<blocks_of(at_.windows), window_threads, 0, ex_.stream()>>>(
            all, &told->total, static_cast<const Key*>(all_.keys), keys, segments);
        if (all_.what == records::kind::keys)
            sort_keys(all, &told->total, keys, segments);
        else if (index_bytes(all_.n) == 4)
            sort_records_by_order<std::uint32_t>(all, &told->total, keys, segments);
        else
            sort_records_by_order<std::uint64_t>(all, &told->total, keys, segments);
    }
    void sort_keys(const windows_view& all, const std::uint64_t* total, Key* keys,
                   std::uint32_t* segments) const {
        records by_key = sequence(total, records::kind::values);
        by_key.keys = by_key.keys_out = keys;
        by_key.values = by_key.values_out = segments;
        by_key.value_bytes = sizeof *segments;
        sort_records_in(ex_, order_, by_key, scratch_ + at_.sorts_at);
        sort_by_segments(total, segments, keys, sizeof(Key));
        return_keys_kernel<Key>
            <<<blocks_of(at_.windows), window_threads, 0, ex_.stream()>>>(all, total, keys, keys_out());
    }
    template <class Index>
    void sort_records_by_order(const windows_view& all, const std::uint64_t* total, const Key* keys,
                               const std::uint32_t* segments) const {
        auto* const order = at<Index>(at_.order_at);
        auto* const followed = at<std::uint32_t>(at_.followed_at);
        records by_key = sequence(total, records::kind::indices);
        by_key.keys = keys;
        by_key.values_out = order;
        by_key.value_bytes = sizeof *order;
        sort_records_in(ex_, order_, by_key, scratch_ + at_.sorts_at);
        follow_order_kernel<Index><<<blocks_of(all_.n / window_threads), window_threads, 0, ex_.stream()>>>(
            total, order, segments, followed);
        sort_by_segments(total, followed, order, sizeof *order);
        return_records_kernel<Key, Index><<<blocks_of(at_.windows), window_threads, 0, ex_.stream()>>>(
            all, total, order, keys, keys_out(), values());
    }
    // Stably, what goes along with the segments.
    void sort_by_segments(const std::uint64_t* total, std::uint32_t* segments, void* along,
                          std::size_t bytes) const {
        records by_segment = sequence(total, records::kind::values);
        by_segment.keys = segments;
        by_segment.values = by_segment.values_out = along;
        by_segment.value_bytes = bytes;
        sort_records_in(ex_, core::order_of<std::uint32_t>(false), by_segment, scratch_ + at_.sorts_at);
    }
    [[nodiscard]] records sequence(const std::uint64_t* total, records::kind what) const {
        records made;
        made.what = what;
        made.n = all_.n;
        made.length = total;
        return made;
    }
    [[nodiscard]] unsigned blocks_of(std::uint64_t count) const {
        return static_cast<unsigned>(
            std::clamp<std::uint64_t>(count, 1, std::uint64_t(ex_.multiprocessors()) * 8));
    }

    executor& ex_;
    core::key_order order_;
    segmented_records all_;
    segment_layout at_;
    char* scratch_ = nullptr;
};

}  // namespace

void sort_segments_in(executor& ex, const core::key_order& order, const segmented_records& all,
                      char* scratch) {
    use_keys(order, [&](auto key) { segmented_sort<decltype(key)>(ex, order, all).run(scratch); });
}

}  // namespace detail

void sort_segments(executor& ex, const core::key_order& order, const segmented_records& all) {
    if (all.n == 0) return;
    detail::use_keys(order, [&](auto key) {
        detail::segmented_sort<decltype(key)> sort(ex, order, all);
        held_scratch taken(ex, ex.take_plain_scratch(sort.bytes()));
        sort.run(taken.data());
        taken.release();
    });
}

std::uint64_t sort_tile_records(std::size_t key_bytes) {
    return key_bytes == 8 ? detail::segment_tile_shape<std::uint64_t>::tile
                          : detail::segment_tile_shape<std::uint32_t>::tile;
}

std::size_t segmented_sort_scratch_bytes(std::uint64_t n, std::size_t key_bytes, std::size_t value_bytes) {
    if (n == 0) return 0;
    core::key_order order{};
    order.bytes = key_bytes;
    return detail::use_keys(order, [&](auto key) {
        using shape = detail::segment_tile_shape<typename decltype(key)::Key>;
        return detail::segment_layout(n, key_bytes, value_bytes, false, value_bytes != 0, shape::window,
                                      n > std::uint64_t(shape::tile))
            .bytes;
    });
}

}  // namespace upsweep::cuda
