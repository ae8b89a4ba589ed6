// From the arrays of a sort to its kernels in a stream, of one width of keys and of values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "sort_block.cuh"
#include "sort_count.cuh"
#include "sort_orders.cuh"
#include "sort_pass.cuh"
#include "sort_scratch.hpp"
#include "upsweep/core/key_order.hpp"
#include "upsweep/cuda/executor.hpp"
#include "upsweep/cuda/launch.cuh"

namespace upsweep::cuda::detail {

// The arrays of a sort whose values are words, or indices, which values == nullptr stands for.
struct sorted_words {
    std::uint64_t n;
    std::uint64_t rows;  // of n records; more than one of those that one block sorts alone
    const std::uint64_t* length;
    const void* keys;
    void* keys_out;  // null: not wanted
    const void* values;
    void* values_out;
};

// Scratch of a sort: what its kernels share, which is cleared first, and arrays between passes.
struct sort_layout {
    std::uint64_t portions;
    digit_counts_layout counts;
    std::size_t tickets_at, counts_at, cleared, keys_at, middle_at, values_at, bytes;

    // `is_apart`: results are other arrays than what they are made of.
    sort_layout(std::uint64_t n, std::size_t key, std::size_t value, int tile, bool keeps_keys, bool is_apart)
        : portions(n == 0 ? 0 : (n - 1) / digit_portion + 1),
          counts((std::min(n, digit_portion) + tile - 1) / tile, key * portions) {
        tickets_at = aligned(sizeof(sort_state));
        counts_at = aligned(tickets_at + key * portions * sizeof(unsigned));
        cleared = keys_at = aligned(counts_at + counts.bytes);
        // An only pass has nothing in between.
        const bool has_other = key > 1 || !is_apart;
        middle_at = aligned(keys_at + (has_other ? n * key : 0));
        // Without an array for the keys' result, more than two passes need one all the same.
        values_at = aligned(middle_at + (keeps_keys || key <= 2 ? 0 : n * key));
        bytes = aligned(values_at + (has_other ? n * value : 0));
    }
};

template <class Order, class Value>
class sort_launch {
    using Key = typename Order::Key;
    using pass_arguments = sort_pass_arguments<Order, Value>;
    using pass_shape = sort_pass_shape<Key, Value>;
    using large_shape = sort_large_shape<Key, Value>;
    using block_shape = sort_block_shape<Key, Value>;
    static constexpr bool has_values = !std::is_same_v<Value, no_value>;

  public:
    static std::size_t scratch_bytes(std::uint64_t n, bool keeps_keys, bool is_apart) {
        // Larger tiles are fewer, and take less.
        return n <= block_shape::tile ? 0 : layout(n, pass_shape::tile, keeps_keys, is_apart).bytes;
    }

    sort_launch(executor& ex, const core::key_order& order, const sorted_words& all)
        : ex_(ex), all_(all), extent_{all.n, all.length}, order_(kernel_order<Order>(order)) {}

    // `scratch` has scratch_bytes().
    void run(char* scratch) const {
        if (all_.n == 0) return;
        if (all_.n <= block_shape::tile)
            sort_in_block();
        else
            sort_by_passes(scratch);
        check(cudaGetLastError(), "launching a sort");
    }

  private:
    static sort_layout layout(std::uint64_t n, int tile, bool keeps_keys, bool is_apart) {
        return {n, sizeof(Key), std::size_t(bytes_of_value<Value>), tile, keeps_keys, is_apart};
    }
    template <class Shape>
    static constexpr auto kernel_of() {
        return &sort_pass_kernel<pass_arguments, Shape>;
    }
    template <class T>
    static const T* read(const void* p) {
        return static_cast<const T*>(p);
    }
    template <class T>
    static T* written(void* p) {
        return static_cast<T*>(p);
    }

    void sort_in_block() const {
        using arguments = sort_block_arguments<Order, Value>;
        constexpr auto kernel = &sort_block_kernel<arguments>;
        prepare<kernel>(ex_, block_shape::shared_bytes, 0);
        kernel<<<static_cast<unsigned>(all_.rows), block_shape::threads, block_shape::shared_bytes,
                 ex_.stream()>>>({read<Key>(all_.keys), written<Key>(all_.keys_out), read<Value>(all_.values),
                                  written<Value>(all_.values_out), extent_, order_});
    }

    void sort_by_passes(char* scratch) const {
        if constexpr (sorts_large_tiles<Key, Value>) {
            constexpr auto kernel = kernel_of<large_shape>();
            if (all_.n / large_shape::tile >=
                    sort_large_tiles<Value> * std::uint64_t(ex_.multiprocessors()) &&
                prepare<kernel>(ex_, large_shape::shared_bytes, sort_large_architecture) == readiness::ready)
                return sort_by_passes_of<large_shape>(scratch);
        }
        sort_by_passes_of<pass_shape>(scratch);
    }
    template <class Shape>
    void sort_by_passes_of(char* scratch) const {
        constexpr unsigned passes = sizeof(Key);
        const bool keeps_keys = all_.keys_out != nullptr;
        const bool keys_stay = all_.keys_out == all_.keys;
        const bool values_stay = has_values && all_.values_out == all_.values;
        const sort_layout at = layout(all_.n, Shape::tile, keeps_keys, !keys_stay && !values_stay);
        check(cudaMemsetAsync(scratch, 0, at.cleared, ex_.stream()), "clearing the counts of a sort");
        auto* const state = reinterpret_cast<sort_state*>(scratch);
        auto* const tickets = reinterpret_cast<unsigned*>(scratch + at.tickets_at);

        pass_arguments made{};
        // An only pass cannot go back to where it comes from.
        const auto source = [&](const void* from, bool stays, void* other, std::size_t bytes) {
            if (passes > 1 || !stays) return from;
            check(cudaMemcpyAsync(other, from, bytes, cudaMemcpyDeviceToDevice, ex_.stream()),
                  "copying what is sorted in place");
            return static_cast<const void*>(other);
        };
        made.keys[sort_in] = const_cast<Key*>(
            read<Key>(source(all_.keys, keys_stay, scratch + at.keys_at, all_.n * sizeof(Key))));
        made.keys[sort_out] = written<Key>(keeps_keys ? all_.keys_out : scratch + at.middle_at);
        made.keys[sort_other] = written<Key>(scratch + at.keys_at);
        if constexpr (has_values) {
            made.values[sort_in] = const_cast<Value*>(read<Value>(
                source(all_.values, values_stay, scratch + at.values_at, all_.n * sizeof(Value))));
            made.values[sort_out] = written<Value>(all_.values_out);
            made.values[sort_other] = written<Value>(scratch + at.values_at);
        }
        made.extent = extent_;
        made.order = order_;
        made.stores_last_keys = keeps_keys;
        made.state = state;

        const sort_needs needs{passes, passes > 1 && (keys_stay || values_stay),
                               passes == 1 || !keys_stay || (has_values && !values_stay)};
        count(made.keys[sort_in], needs, state);
        constexpr auto kernel = kernel_of<Shape>();
        prepare<kernel>(ex_, Shape::shared_bytes, 0);
        for (unsigned pass = 0; pass < passes; ++pass) {
            made.pass = pass;
            for (unsigned portion = 0; portion < at.portions; ++portion) {
                const std::uint64_t launch = pass * at.portions + portion;
                made.portion = portion;
                made.first = portion * digit_portion;
                made.ticket = tickets + launch;
                made.counts = at.counts.at(scratch + at.counts_at, launch);
                const std::uint64_t n = std::min(all_.n - made.first, digit_portion);
                const std::uint64_t tiles = (n - 1) / Shape::tile + 1;
                const auto blocks = static_cast<unsigned>(
                    std::min<std::uint64_t>(tiles, std::uint64_t(ex_.multiprocessors()) * Shape::blocks));
                kernel<<<blocks, Shape::threads, Shape::shared_bytes, ex_.stream()>>>(made);
            }
        }
    }
    void count(const Key* keys, const sort_needs& needs, sort_state* state) const {
        constexpr unsigned log_copies = sizeof(Key) <= 2 ? 4 : sizeof(Key) == 4 ? 3 : 2;
        static_assert(sizeof(Key) * sort_digits << log_copies <= sort_counter_words);
        const std::uint64_t blocks = (all_.n - 1) / count_least_elements + 1;
        count_digits_kernel<Order>
            <<<static_cast<unsigned>(std::min<std::uint64_t>(blocks, std::uint64_t(ex_.multiprocessors()))),
               count_threads, 0, ex_.stream()>>>({keys, extent_, order_, needs, state, log_copies});
    }

    executor& ex_;
    sorted_words all_;
    array_extent extent_;
    Order order_;
};

// Compiled for each width of keys in a file of its own: values of 0, 4, 8 or 16 bytes.
template <class Order>
void sort_with_words(executor& ex, const core::key_order& order, const sorted_words& all,
                     std::size_t value_bytes, char* scratch);
template <class Order>
std::size_t sort_words_bytes(std::uint64_t n, std::size_t value_bytes, bool keeps_keys, bool is_apart);

#define UPSWEEP_SORTED_KEYS(Key, Floating)                                                              \
    template void sort_with_words<ordered_key<Key, Floating>>(executor&, const core::key_order&,        \
                                                              const sorted_words&, std::size_t, char*); \
    template std::size_t sort_words_bytes<ordered_key<Key, Floating>>(std::uint64_t, std::size_t, bool, bool)

}  // namespace upsweep::cuda::detail
