// What a selection compares: an element's word of the order (sort_key.cuh) and then its index. All records of
// a sequence are distinct, so that exactly k of them are at most the k-th.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace upsweep::cuda::detail {

// Words of up to 32 bits of at most 2^32 elements.
struct packed_record {
    using Word = std::uint32_t;
    std::uint64_t bits;

    __device__ __forceinline__ static packed_record of(Word word, std::uint64_t index) {
        return {std::uint64_t{word} << 32 | index};
    }
    // Greater than all others, or the last of 2^32 equal ones.
    __device__ __forceinline__ static packed_record last() { return {~std::uint64_t{0}}; }
    [[nodiscard]] __device__ __forceinline__ Word word() const { return static_cast<Word>(bits >> 32); }
    [[nodiscard]] __device__ __forceinline__ std::uint64_t index() const { return bits & 0xffffffffu; }
    __device__ __forceinline__ bool operator<(const packed_record& other) const { return bits < other.bits; }
    __device__ __forceinline__ bool operator<=(const packed_record& other) const {
        return bits <= other.bits;
    }
};
// All others.
struct wide_record {
    using Word = std::uint64_t;
    std::uint64_t order, place;

    __device__ __forceinline__ static wide_record of(Word word, std::uint64_t index) { return {word, index}; }
    __device__ __forceinline__ static wide_record last() { return {~std::uint64_t{0}, ~std::uint64_t{0}}; }
    [[nodiscard]] __device__ __forceinline__ Word word() const { return order; }
    [[nodiscard]] __device__ __forceinline__ std::uint64_t index() const { return place; }
    __device__ __forceinline__ bool operator<(const wide_record& other) const {
        return order < other.order || (order == other.order && place < other.place);
    }
    __device__ __forceinline__ bool operator<=(const wide_record& other) const { return !(other < *this); }
};

// That of lane `lane ^ mask`.
__device__ __forceinline__ packed_record other_lanes(const packed_record& own, int mask) {
    return {__shfl_xor_sync(0xffffffffu, own.bits, mask)};
}
__device__ __forceinline__ wide_record other_lanes(const wide_record& own, int mask) {
    return {__shfl_xor_sync(0xffffffffu, own.order, mask), __shfl_xor_sync(0xffffffffu, own.place, mask)};
}
__device__ __forceinline__ packed_record of_lane(const packed_record& own, int lane) {
    return {__shfl_sync(0xffffffffu, own.bits, lane)};
}
__device__ __forceinline__ wide_record of_lane(const wide_record& own, int lane) {
    return {__shfl_sync(0xffffffffu, own.order, lane), __shfl_sync(0xffffffffu, own.place, lane)};
}

// Records in device memory, words and indices of wide ones apart, as they are sorted.
template <class Record>
struct record_array;
template <>
struct record_array<packed_record> {
    std::uint64_t* bits;

    static constexpr std::size_t record_bytes = 8;
    static record_array at(void* memory, std::uint64_t) { return {static_cast<std::uint64_t*>(memory)}; }
    __device__ __forceinline__ void put(std::uint64_t i, const packed_record& record) const {
        bits[i] = record.bits;
    }
    // Those behind the first `count`.
    [[nodiscard]] __host__ __device__ record_array behind(std::uint64_t count) const {
        return {bits + count};
    }
    // What another block of the same kernel may have put.
    [[nodiscard]] __device__ __forceinline__ packed_record get(std::uint64_t i) const {
        return {__ldcg(bits + i)};
    }
};
template <>
struct record_array<wide_record> {
    std::uint64_t *words, *indices;

    static constexpr std::size_t record_bytes = 16;
    static record_array at(void* memory, std::uint64_t count) {
        return {static_cast<std::uint64_t*>(memory), static_cast<std::uint64_t*>(memory) + count};
    }
    __device__ __forceinline__ void put(std::uint64_t i, const wide_record& record) const {
        words[i] = record.order;
        indices[i] = record.place;
    }
    [[nodiscard]] __host__ __device__ record_array behind(std::uint64_t count) const {
        return {words + count, indices + count};
    }
    [[nodiscard]] __device__ __forceinline__ wide_record get(std::uint64_t i) const {
        return {__ldcg(words + i), __ldcg(indices + i)};
    }
};

inline constexpr unsigned selected_bits = 11;  // of a digit
inline constexpr unsigned selected_digits = 1u << selected_bits;

// The records from low to high, which agree in all bits of the word above the lowest `open_word` and, if
// these are none, in all of the index above the lowest `open_index`. A radix selection narrows it digit by
// digit.
template <class Record>
struct record_range {
    using Word = typename Record::Word;
    Word low_word, high_word;
    std::uint64_t low_index, high_index;
    unsigned open_word, open_index;

    // Of all records.
    __device__ __forceinline__ static record_range all(unsigned word_bits, unsigned index_bits) {
        return {0, ones<Word>(word_bits), 0, ones<std::uint64_t>(index_bits), word_bits, index_bits};
    }
    // Of those with words from `least` to `most`, and perhaps some more.
    __device__ __forceinline__ static record_range between(Word least, Word most, unsigned index_bits) {
        const Word different = least ^ most;
        unsigned open = 0;
        if constexpr (sizeof(Word) == 8)
            open = 64 - unsigned(__clzll(static_cast<long long>(different)));
        else
            open = 32 - unsigned(__clz(static_cast<int>(different)));
        const Word low = most & ~ones<Word>(open);
        return {low, low | ones<Word>(open), 0, ones<std::uint64_t>(index_bits), open, index_bits};
    }

    [[nodiscard]] __device__ __forceinline__ bool has(const Record& record) const {
        const Record low = Record::of(low_word, low_index), high = last();
        return low <= record && record <= high;
    }
    [[nodiscard]] __device__ __forceinline__ Record last() const { return Record::of(high_word, high_index); }
    [[nodiscard]] __device__ __forceinline__ unsigned shift() const {
        const unsigned open = open_word != 0 ? open_word : open_index;
        return open > selected_bits ? open - selected_bits : 0;
    }
    // Of a record that it has.
    [[nodiscard]] __device__ __forceinline__ unsigned digit(const Record& record, unsigned shift) const {
        const auto bits = open_word != 0 ? static_cast<unsigned>(record.word() >> shift)
                                         : static_cast<unsigned>(record.index() >> shift);
        return bits & (selected_digits - 1);
    }
    // Only those with this digit remain.
    __device__ __forceinline__ void narrow(unsigned digit) {
        const unsigned at = shift();
        if (open_word != 0) {
            low_word |= static_cast<Word>(Word{digit} << at);
            high_word = low_word | ones<Word>(at);
            open_word = at;
        } else {
            low_index |= std::uint64_t{digit} << at;
            high_index = low_index | ones<std::uint64_t>(at);
            open_index = at;
        }
    }

  private:
    template <class T>
    __device__ __forceinline__ static T ones(unsigned bits) {
        return bits == 8 * sizeof(T) ? ~T{0} : static_cast<T>((T{1} << bits) - 1);
    }
};

}  // namespace upsweep::cuda::detail
