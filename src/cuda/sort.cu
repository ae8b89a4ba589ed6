// Sorting: which kernels take the records, and what goes along that is no word.
#include <algorithm>
#include <cstdint>

#include "record_sort.hpp"
#include "sort_launch.cuh"
#include "sort_orders.cuh"
#include "sort_scratch.hpp"
#include "upsweep/cuda/held_scratch.hpp"
#include "upsweep/cuda/sort_records.hpp"

namespace upsweep::cuda {
namespace detail {
namespace {

constexpr unsigned gather_threads = 256;

// out[i] = in[indices[i]], elements of `pieces` pieces each.
template <class Piece, class Index>
__global__ void __launch_bounds__(gather_threads)
    gather_kernel(const Piece* in, const Index* indices, Piece* out, array_extent extent, unsigned pieces) {
    const std::uint64_t all = extent.size() * pieces;
    const std::uint64_t step = std::uint64_t(gridDim.x) * gather_threads;
    for (std::uint64_t i = std::uint64_t(blockIdx.x) * gather_threads + threadIdx.x; i < all; i += step) {
        const std::uint64_t element = pieces == 1 ? i : i / pieces;
        out[i] = in[std::uint64_t(indices[element]) * pieces + (i - element * pieces)];
    }
}
// Indices of another width.
template <class To, class From>
__global__ void __launch_bounds__(gather_threads)
    convert_kernel(const From* in, To* out, array_extent extent) {
    const std::uint64_t n = extent.size(), step = std::uint64_t(gridDim.x) * gather_threads;
    for (std::uint64_t i = std::uint64_t(blockIdx.x) * gather_threads + threadIdx.x; i < n; i += step)
        out[i] = static_cast<To>(in[i]);
}

unsigned gather_blocks(const executor& ex, std::uint64_t n) {
    const std::uint64_t blocks = (n + gather_threads - 1) / gather_threads;
    return static_cast<unsigned>(std::min<std::uint64_t>(blocks, std::uint64_t(ex.multiprocessors()) * 8));
}

bool is_word(std::size_t bytes) { return bytes == 4 || bytes == 8 || bytes == 16; }
// From here on a pass over half the bytes of indices saves more than their conversion takes.
constexpr std::uint64_t narrow_indices_from = std::uint64_t{1} << 17;

// How a sort's values go along, and where the arrays for it lie in scratch.
struct value_plan {
    std::size_t word_bytes;
    std::size_t indices_at, copy_at, words_at, bytes;

    // `keys_apart`, `values_apart`: the results are other arrays.
    value_plan(std::uint64_t n, std::size_t key_bytes, std::size_t value_bytes, bool keeps_keys, bool direct,
               bool keys_apart, bool values_apart)
        : word_bytes(direct ? value_bytes : index_bytes(n)) {
        indices_at = 0;
        copy_at = direct ? 0 : aligned(n * word_bytes);
        words_at = copy_at + (direct || values_apart ? 0 : aligned(n * value_bytes));
        core::key_order order{};
        order.bytes = key_bytes;
        bytes = words_at + use_keys(order, [&](auto key) {
                    return sort_words_bytes<decltype(key)>(n, word_bytes, keeps_keys,
                                                           keys_apart && (values_apart || !direct));
                });
    }
};

class record_sort {
  public:
    record_sort(executor& ex, const core::key_order& order, const records& all)
        : ex_(ex),
          order_(order),
          all_(all),
          extent_{all.n, all.length},
          is_direct_(is_direct()),
          plan_(plan()) {}

    [[nodiscard]] std::size_t bytes() const { return made_bytes() + plan_.bytes; }
    // In scratch of so many bytes.
    void run(char* scratch) {
        scratch_ = scratch + made_bytes();
        if (all_.make_keys != nullptr) {
            all_.make_keys(all_.maker, scratch);
            all_.keys = scratch;
        }
        if (is_direct_)
            sort(all_.values, all_.values_out);
        else
            sort_by_indices();
        check(cudaGetLastError(), "launching a sort");
    }

  private:
    [[nodiscard]] std::size_t made_bytes() const {
        return all_.make_keys != nullptr ? aligned(all_.n * order_.bytes) : 0;
    }
    [[nodiscard]] bool is_direct() const {
        return all_.what == records::kind::keys ||
               (is_word(all_.value_bytes) && all_.value_bytes <= most_direct_bytes() &&
                is_aligned(all_.values) && is_aligned(all_.values_out));
    }
    [[nodiscard]] value_plan plan() const {
        return {all_.n,
                order_.bytes,
                all_.value_bytes,
                all_.keys_out != nullptr,
                is_direct_,
                all_.keys != all_.keys_out || all_.make_keys != nullptr,
                all_.what != records::kind::values || all_.values != all_.values_out};
    }
    // Indices are made as integers of 4 or 8 bytes. Those of many records that fit 4 go through the passes
    // so.
    [[nodiscard]] std::size_t most_direct_bytes() const {
        if (all_.what != records::kind::indices) return 16;
        return all_.n >= narrow_indices_from ? index_bytes(all_.n) : 8;
    }
    [[nodiscard]] bool is_aligned(const void* p) const {
        return reinterpret_cast<std::uintptr_t>(p) % all_.value_bytes == 0;
    }
    void sort(const void* values, void* values_out) const {
        const sorted_words words{all_.n,        all_.rows, all_.length, all_.keys,
                                 all_.keys_out, values,    values_out};
        use_keys(order_, [&](auto key) {
            sort_with_words<decltype(key)>(ex_, order_, words, plan_.word_bytes, scratch_ + plan_.words_at);
        });
    }
    void sort_by_indices() const {
        char* const indices = scratch_ + plan_.indices_at;
        sort(nullptr, indices);
        if (plan_.word_bytes == 4)
            use_indices(reinterpret_cast<const std::uint32_t*>(indices));
        else
            use_indices(reinterpret_cast<const std::uint64_t*>(indices));
    }
    template <class Index>
    void use_indices(const Index* indices) const {
        if (all_.what == records::kind::indices) {
            convert(indices);
            return;
        }
        const void* from = all_.values;
        if (all_.values == all_.values_out) {
            void* const copy = scratch_ + plan_.copy_at;
            check(cudaMemcpyAsync(copy, from, all_.n * all_.value_bytes, cudaMemcpyDeviceToDevice,
                                  ex_.stream()),
                  "copying what is sorted in place");
            from = copy;
        }
        const auto bits = reinterpret_cast<std::uintptr_t>(from) |
                          reinterpret_cast<std::uintptr_t>(all_.values_out) | all_.value_bytes;
        if (bits % 16 == 0)
            gather<uint4>(from, indices);
        else if (bits % 8 == 0)
            gather<std::uint64_t>(from, indices);
        else if (bits % 4 == 0)
            gather<std::uint32_t>(from, indices);
        else if (bits % 2 == 0)
            gather<std::uint16_t>(from, indices);
        else
            gather<std::uint8_t>(from, indices);
    }
    template <class Piece, class Index>
    void gather(const void* from, const Index* indices) const {
        const auto pieces = static_cast<unsigned>(all_.value_bytes / sizeof(Piece));
        gather_kernel<<<gather_blocks(ex_, all_.n * pieces), gather_threads, 0, ex_.stream()>>>(
            static_cast<const Piece*>(from), indices, static_cast<Piece*>(all_.values_out), extent_, pieces);
    }
    template <class Index>
    void convert(const Index* indices) const {
        const auto to = [&](auto* out) {
            convert_kernel<<<gather_blocks(ex_, all_.n), gather_threads, 0, ex_.stream()>>>(indices, out,
                                                                                            extent_);
        };
        switch (all_.value_bytes) {
            case 1:
                return to(static_cast<std::uint8_t*>(all_.values_out));
            case 2:
                return to(static_cast<std::uint16_t*>(all_.values_out));
            case 4:
                return to(static_cast<std::uint32_t*>(all_.values_out));
            default:
                return to(static_cast<std::uint64_t*>(all_.values_out));
        }
    }

    executor& ex_;
    core::key_order order_;
    records all_;
    array_extent extent_;
    bool is_direct_;
    value_plan plan_;
    char* scratch_ = nullptr;
};

}  // namespace

void sort_records_in(executor& ex, const core::key_order& order, const records& all, char* scratch) {
    record_sort(ex, order, all).run(scratch);
}

}  // namespace detail

void sort_records(executor& ex, const core::key_order& order, const records& all) {
    if (all.n == 0) return;
    detail::record_sort sort(ex, order, all);
    held_scratch taken(ex, ex.take_plain_scratch(sort.bytes()));
    sort.run(taken.data());
    taken.release();
}

std::uint64_t sort_block_records(std::size_t key_bytes, std::size_t value_bytes) {
    core::key_order order{};
    order.bytes = key_bytes;
    return detail::use_keys(order, [&](auto key) -> std::uint64_t {
        using Key = typename decltype(key)::Key;
        switch (value_bytes) {
            case 0:
                return detail::sort_block_shape<Key, detail::no_value>::tile;
            case 4:
                return detail::sort_block_shape<Key, std::uint32_t>::tile;
            case 8:
                return detail::sort_block_shape<Key, std::uint64_t>::tile;
            default:
                return detail::sort_block_shape<Key, detail::value_of_16_bytes>::tile;
        }
    });
}

std::size_t sort_scratch_bytes(std::uint64_t n, std::size_t key_bytes, std::size_t value_bytes) {
    using detail::value_plan;
    const auto bytes = [&](bool keeps_keys, bool is_direct) {
        return value_plan(n, key_bytes, value_bytes, keeps_keys, is_direct, false, false).bytes;
    };
    std::size_t most = std::max(bytes(true, false), bytes(false, false));
    if (value_bytes == 0 || detail::is_word(value_bytes))
        most = std::max({most, bytes(true, true), bytes(false, true)});
    return most;
}

}  // namespace upsweep::cuda
