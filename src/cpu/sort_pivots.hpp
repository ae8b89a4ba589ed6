// Dividing keys by pivots, by one thread or several: where kernels partition vectors.
//
// A chunk at a time is divided in a near cache, again and again in halves of its parts, and then every part
// of it goes to where that part of all chunks lies. So memory is read and written twice, whatever the number
// of parts, which are of like sizes as the pivots are those of a sample.
//
// Source: of pivots from a sample: Frazer and McKellar, "Samplesort: a sampling approach to minimal storage
// tree sorting", 1970.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "src/cpu/sort_local.hpp"
#include "src/cpu/sort_order.hpp"
#include "src/cpu/sort_places.hpp"
#include "upsweep/cpu/tasks.hpp"

namespace upsweep::cpu {

template <class Word>
class pivot_division {
    using kernels = sort_kernels<Word, integer_order<Word>>;

  public:
    static constexpr int most_levels = 8;
    static constexpr std::size_t most_parts = std::size_t{1} << most_levels;

    // As many parts as leave none with more than part_bytes, and several for every thread.
    pivot_division(executor& ex, std::size_t helpers, const integer_order<Word>& order, std::size_t n)
        : ex_(ex), helpers_(helpers), order_(order), n_(n) {
        constexpr std::size_t part_bytes = std::size_t{128} << 10, parts_per_thread = 4;
        const std::size_t wanted = std::min(
            std::max(n * sizeof(Word) / part_bytes, helpers == 0 ? 1 : parts_per_thread * (helpers + 1)),
            n / sampled_per_part);
        levels_ = std::clamp(static_cast<int>(std::bit_width(wanted - 1)), 1, most_levels);
        parts_ = std::size_t{1} << levels_;
        constexpr std::size_t chunk_bytes = std::size_t{128} << 10, chunks_per_thread = 4;
        const std::size_t share = helpers == 0 ? n : n / (chunks_per_thread * (helpers + 1)) + 1;
        const std::size_t least = keys_to_copy * parts_;
        chunk_ = std::clamp(share, least, std::max(chunk_bytes / sizeof(Word), least));
        chunks_ = (n + chunk_ - 1) / chunk_;
        rows_.reset(new (std::nothrow) std::uint64_t[(chunks_ + 1) * parts_]);
        sample_.reset(new (std::nothrow) Word[3 * sampled_per_part * parts_]);
    }
    [[nodiscard]] std::size_t parts() const { return parts_; }

    // Takes pivots from a sample of the keys at `from`; false if those lie so close that counting is faster,
    // or there is no memory. Of a pivot that comes again, as it does where many keys are equal, the next ones
    // are the next key, so that there is a part of those alone.
    bool find_pivots(const Word* from) {
        if (rows_ == nullptr || sample_ == nullptr) return false;
        Word* const sample = sample_.get();
        const std::size_t size = sampled_per_part * parts_, stride = n_ / size;
        for (std::size_t i = 0; i < size; ++i) sample[i] = from[i * stride + stride / 2];
        local_sorter<Word, integer_order<Word>>(order_, ex_.simd()).sort(sample, sample + size, sample, size);
        if (static_cast<Word>(order_(sample[size - 1]) - order_(sample[0])) < counted_keys) return false;
        for (std::size_t part = 1; part < parts_; ++part) {
            const Word pivot = sample[part * sampled_per_part];
            const bool again = part > 1 && pivot == sample[(part - 1) * sampled_per_part];
            // The order is its own inverse.
            const Word next = static_cast<Word>(order_(pivot) + 1);
            sample[part - 1] = again && next != 0 ? order_(next) : pivot;
        }
        return true;
    }

    // Divides the keys at `from`, which may be `chunks`, into parts at `to`; of what is at `chunks` nothing
    // is left.
    void divide(const Word* from, Word* chunks, Word* to, const kernels& by) {
        for_each_chunk([&](std::size_t first, std::size_t count, std::uint64_t* row) {
            std::uint32_t counts[most_parts];
            by.split(from + first, chunks + first, count, order_, sample_.get(), levels_, counts);
            std::copy_n(counts, parts_, row);
        });
        find_places(rows_.get(), chunks_, parts_, &rows_[chunks_ * parts_]);
        for_each_chunk([&](std::size_t first, std::size_t, const std::uint64_t* row) {
            const Word* at = chunks + first;
            for (std::size_t part = 0; part < parts_; ++part) {
                const std::size_t count = row[parts_ + part] - row[part];
                std::memcpy(to + row[part], at, count * sizeof(Word));
                at += count;
            }
        });
    }
    [[nodiscard]] std::size_t begin(std::size_t part) const { return rows_[part]; }
    [[nodiscard]] std::size_t end(std::size_t part) const { return rows_[chunks_ * parts_ + part]; }

  private:
    static constexpr std::size_t sampled_per_part = 16;
    static constexpr std::size_t keys_to_copy = 16;  // at least, on average, of a part of a chunk
    static constexpr Word counted_keys = 64;

    // Calls body(first, count, its row) of every chunk.
    template <class Body>
    void for_each_chunk(const Body& body) {
        for_each_task(ex_, helpers_, chunks_, [&](std::size_t chunk) {
            const std::size_t first = chunk * chunk_;
            body(first, std::min(chunk_, n_ - first), &rows_[chunk * parts_]);
        });
    }

    executor& ex_;
    std::size_t helpers_;
    integer_order<Word> order_;
    std::size_t n_;
    int levels_;
    std::size_t parts_;
    std::size_t chunk_;
    std::size_t chunks_;
    std::unique_ptr<std::uint64_t[]> rows_;  // of chunks, and where the parts end
    std::unique_ptr<Word[]> sample_;         // of keys, then the pivots
};

}  // namespace upsweep::cpu
