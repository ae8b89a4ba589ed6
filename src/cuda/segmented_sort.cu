// Sorts of segments: tiles of short ones, then what is longer than a tile.
#include <algorithm>
#include <cstdint>

#include "record_sort.hpp"
#include "segment_merge.cuh"
#include "segment_parts.cuh"
#include "segment_sorter.cuh"
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
    std::size_t heads_at, made_at, copy_at, told_at, left_at, windows_at, parts_at, moves_at, keys_at,
        other_keys_at, indices_at, other_indices_at, bytes;

    // `moves_copy`: values are sorted in place. `value_bytes` is 0 where only keys are; `keeps_keys`: their
    // results have an array.
    segment_layout(std::uint64_t n, std::size_t key_bytes, std::size_t value_bytes, bool makes_keys,
                   bool moves_copy, bool keeps_keys, unsigned window, bool has_long)
        : windows((n - 1) / window + 1) {
        heads_at = 0;
        made_at = aligned(marked_heads::count(n) * sizeof(std::uint32_t));
        copy_at = made_at + (makes_keys ? aligned(n * key_bytes) : 0);
        told_at = copy_at + (moves_copy ? aligned(n * value_bytes) : 0);
        left_at = told_at + aligned(sizeof(told_segments));
        windows_at = left_at + aligned(windows);
        bytes = parts_at = moves_at = keys_at = other_keys_at = indices_at = other_indices_at = windows_at;
        if (!has_long) return;
        parts_at = windows_at + aligned(windows * sizeof(segment_window));
        moves_at = parts_at + aligned(windows * sizeof(window_parts));
        keys_at = moves_at + aligned(windows * sizeof(unsigned));
        other_keys_at = keys_at + (keeps_keys ? 0 : aligned(n * key_bytes));
        indices_at = other_keys_at + aligned(n * key_bytes);
        const std::size_t indices = value_bytes != 0 ? aligned(n * index_bytes(n)) : 0;
        other_indices_at = indices_at + indices;
        bytes = other_indices_at + indices;
    }
};

// Of keys alone.
using no_index = std::uint8_t;

template <class Order>
class segmented_sort {
    using Key = typename Order::Key;
    using shape = segment_tile_shape<Key>;

  public:
    segmented_sort(executor& ex, const core::key_order& order, const segmented_records& all)
        : ex_(ex),
          order_(order),
          all_(all),
          at_(all.n, sizeof(Key), value_bytes(), all.make_keys != nullptr, moves_copy(),
              all.keys_out != nullptr, shape::window, has_long()) {}

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
        if (all_.what == records::kind::keys)
            sort<key_sorter<Order>, no_index>(heads);
        else if (index_bytes(all_.n) == 4)
            sort<record_sorter<Order>, std::uint32_t>(heads);
        else
            sort<record_sorter<Order>, std::uint64_t>(heads);
        check(cudaGetLastError(), "launching a sort of segments");
    }

  private:
    [[nodiscard]] std::size_t value_bytes() const {
        return all_.what == records::kind::keys ? 0 : all_.value_bytes;
    }
    [[nodiscard]] bool moves_copy() const {
        return all_.what == records::kind::values && all_.values == all_.values_out;
    }
    [[nodiscard]] bool keeps_keys() const { return all_.keys_out != nullptr; }
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

    [[nodiscard]] array_extent extent() const { return {all_.n, all_.length}; }

    template <class Sorter, class Index>
    void sort(const std::uint32_t* heads) const {
        using given_type = segment_tile_arguments<Order>;
        using arguments = long_arguments<given_type, Index>;
        constexpr bool may_leave = !Sorter::has_places && Order::is_floating;
        auto* const told = at<told_segments>(at_.told_at);
        if (has_long() || may_leave)
            check(cudaMemsetAsync(told, 0, sizeof *told, ex_.stream()), "clearing what a sort tells");
        const given_type given{static_cast<const Key*>(all_.keys),
                               keys_out(),
                               values(),
                               extent(),
                               heads,
                               has_long() ? at<segment_window>(at_.windows_at) : nullptr,
                               told,
                               may_leave ? at<std::uint8_t>(at_.left_at) : nullptr,
                               kernel_order<Order>(order_)};
        const auto windows = static_cast<unsigned>(at_.windows);
        launch<&segment_tile_kernel<Sorter, given_type>, Sorter>(windows, given);
        arguments all{given, windows, at<unsigned>(at_.moves_at), at<window_parts>(at_.parts_at), {}};
        all.moved.keys[0] = keeps_keys() ? keys_out() : at<Key>(at_.keys_at);
        all.moved.keys[1] = at<Key>(at_.other_keys_at);
        if constexpr (Sorter::has_places) {
            all.moved.indices[0] = at<Index>(at_.indices_at);
            all.moved.indices[1] = at<Index>(at_.other_indices_at);
        }
        if (has_long()) launch<&sort_parts_kernel<Sorter, arguments>, Sorter>(blocks_of(Sorter::blocks), all);
        if constexpr (may_leave) {
            using other = record_sorter<Order>;
            launch<&sort_left_kernel<other, arguments>, other>(blocks_of(other::blocks), all);
        }
        if (has_long()) merge(all);
    }
    template <auto Kernel, class Sorter, class Arguments>
    void launch(unsigned blocks, const Arguments& given) const {
        constexpr int shared_bytes = segment_tile_memory<Sorter>::bytes;
        prepare<Kernel>(ex_, shared_bytes, 0);
        Kernel<<<blocks, Sorter::threads, shared_bytes, ex_.stream()>>>(given);
    }
    template <class Arguments>
    void merge(const Arguments& all) const {
        constexpr auto kernel = &merge_parts_kernel<Arguments>;
        using memory = merge_memory<Key>;
        prepare<kernel>(ex_, memory::bytes, 0);
        cudaLaunchAttribute together{};
        together.id = cudaLaunchAttributeCooperative;
        together.val.cooperative = 1;
        cudaLaunchConfig_t config{};
        config.gridDim = blocks_of(
            static_cast<unsigned>(blocks_of_multiprocessor<kernel>(ex_, memory::threads, memory::bytes)));
        config.blockDim = memory::threads;
        config.dynamicSmemBytes = memory::bytes;
        config.stream = ex_.stream();
        config.attrs = &together;
        config.numAttrs = 1;
        check(cudaLaunchKernelEx(&config, kernel, all), "launching what merges long segments");
    }
    // So many a multiprocessor, if there are as many windows.
    [[nodiscard]] unsigned blocks_of(unsigned of_multiprocessor) const {
        return static_cast<unsigned>(
            std::min<std::uint64_t>(at_.windows, std::uint64_t(ex_.multiprocessors()) * of_multiprocessor));
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
        return detail::segment_layout(n, key_bytes, value_bytes, false, value_bytes != 0, false,
                                      shape::window, n > std::uint64_t(shape::tile))
            .bytes;
    });
}

}  // namespace upsweep::cuda
