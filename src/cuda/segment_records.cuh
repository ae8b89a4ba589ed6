// The records of a tile of segments (segment_tile.cuh): what they are, where they lie, and a few of them in
// order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "upsweep/core/exchange_network.hpp"

namespace upsweep::cuda::detail {

// The head of a segment, a key in order and its place, heads and places below 2^13. Up to 32 bits of a key:
// one word of all.
template <class Word>
struct placed_record {
    Word key;
    std::uint32_t where;  // the head above the place

    __device__ __forceinline__ static placed_record of(unsigned head, Word key, unsigned place) {
        return {key, head << 16 | place};
    }
    __device__ __forceinline__ static placed_record last() { return {0, ~0u}; }
    __device__ __forceinline__ bool operator<(const placed_record& other) const {
        const bool by_where = (where ^ other.where) >> 16 != 0 || key == other.key;
        return by_where ? where < other.where : key < other.key;
    }
    [[nodiscard]] __device__ __forceinline__ Word ordered() const { return key; }
    [[nodiscard]] __device__ __forceinline__ unsigned place() const { return where & 0xffffu; }
    [[nodiscard]] __device__ __forceinline__ unsigned head() const { return where >> 16; }
};
template <>
struct placed_record<std::uint32_t> {
    static constexpr unsigned place_bits = 13;
    std::uint64_t bits;

    __device__ __forceinline__ static placed_record of(unsigned head, std::uint32_t key, unsigned place) {
        return {(std::uint64_t{head} << 32 | key) << place_bits | place};
    }
    __device__ __forceinline__ static placed_record last() { return {~std::uint64_t{0}}; }
    __device__ __forceinline__ bool operator<(const placed_record& other) const { return bits < other.bits; }
    [[nodiscard]] __device__ __forceinline__ std::uint32_t ordered() const {
        return static_cast<std::uint32_t>(bits >> place_bits);
    }
    [[nodiscard]] __device__ __forceinline__ unsigned place() const {
        return static_cast<unsigned>(bits) & ((1u << place_bits) - 1);
    }
    [[nodiscard]] __device__ __forceinline__ unsigned head() const {
        return static_cast<unsigned>(bits >> (32 + place_bits));
    }
};

template <class Word>
class shared_records {
  public:
    static constexpr int bytes_for(unsigned n) { return int(n) * int(sizeof(Word) + 4); }

    __device__ __forceinline__ shared_records(char* shared, unsigned n)
        : keys_(reinterpret_cast<Word*>(shared)), where_(reinterpret_cast<std::uint32_t*>(keys_ + n)) {}
    [[nodiscard]] __device__ __forceinline__ placed_record<Word> get(unsigned i) const {
        return {keys_[i], where_[i]};
    }
    __device__ __forceinline__ void set(unsigned i, const placed_record<Word>& record) const {
        keys_[i] = record.key;
        where_[i] = record.where;
    }

  private:
    Word* keys_;
    std::uint32_t* where_;
};
template <>
class shared_records<std::uint32_t> {
  public:
    static constexpr int bytes_for(unsigned n) { return int(n) * 8; }

    __device__ __forceinline__ shared_records(char* shared, unsigned)
        : bits_(reinterpret_cast<std::uint64_t*>(shared)) {}
    [[nodiscard]] __device__ __forceinline__ placed_record<std::uint32_t> get(unsigned i) const {
        return {bits_[i]};
    }
    __device__ __forceinline__ void set(unsigned i, const placed_record<std::uint32_t>& record) const {
        bits_[i] = record.bits;
    }

  private:
    std::uint64_t* bits_;
};

// Puts records in order.
template <unsigned Low, unsigned High, class Record>
__device__ __forceinline__ void exchange(Record* records) {
    const Record low = records[Low], high = records[High];
    const bool swap = high < low;
    records[Low] = swap ? high : low;
    records[High] = swap ? low : high;
}
template <unsigned Count, class Record>
__device__ __forceinline__ void sort_neighbours(Record (&records)[Count]) {
    using network = core::exchange_network<Count>;
    [&]<std::size_t... C>(std::index_sequence<C...>) {
        (exchange<network::pair(C).low, network::pair(C).high>(records), ...);
    }
    (std::make_index_sequence<network::size>());
}

}  // namespace upsweep::cuda::detail
