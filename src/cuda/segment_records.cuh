// What a tile of segments is sorted by (segment_sorter.cuh): records of a key in order, where they lie, and a
// few of them in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "upsweep/core/exchange_network.hpp"

namespace upsweep::cuda::detail {

// A key alone, where equal ones are the same in all their bits.
template <class Word>
struct bare_record {
    static constexpr bool has_place = false;
    Word key;

    __device__ __forceinline__ static bare_record of(Word key, unsigned) { return {key}; }
    // Behind all that are not its equals.
    __device__ __forceinline__ static bare_record last() { return {static_cast<Word>(~Word{0})}; }
    __device__ __forceinline__ bool operator<(const bare_record& other) const { return key < other.key; }
    [[nodiscard]] __device__ __forceinline__ Word ordered() const { return key; }
};

// A key and its place, below 2^13, so that no two are equal and their order is stable. Up to 32 bits of a
// key: one word of both.
template <class Word>
struct alignas(16) placed_record {
    static constexpr bool has_place = true;
    Word key, at;

    __device__ __forceinline__ static placed_record of(Word key, unsigned place) { return {key, place}; }
    __device__ __forceinline__ static placed_record last() { return {~Word{0}, ~Word{0}}; }
    __device__ __forceinline__ bool operator<(const placed_record& other) const {
        return key == other.key ? at < other.at : key < other.key;
    }
    [[nodiscard]] __device__ __forceinline__ Word ordered() const { return key; }
    [[nodiscard]] __device__ __forceinline__ unsigned place() const { return static_cast<unsigned>(at); }
};
template <>
struct placed_record<std::uint32_t> {
    static constexpr bool has_place = true;
    static constexpr unsigned place_bits = 13;
    std::uint64_t bits;

    __device__ __forceinline__ static placed_record of(std::uint32_t key, unsigned place) {
        return {std::uint64_t{key} << place_bits | place};
    }
    __device__ __forceinline__ static placed_record last() { return {~std::uint64_t{0}}; }
    __device__ __forceinline__ bool operator<(const placed_record& other) const { return bits < other.bits; }
    [[nodiscard]] __device__ __forceinline__ std::uint32_t ordered() const {
        return static_cast<std::uint32_t>(bits >> place_bits);
    }
    [[nodiscard]] __device__ __forceinline__ unsigned place() const {
        return static_cast<unsigned>(bits) & ((1u << place_bits) - 1);
    }
};

// Records in shared memory, in lines of 128 bytes with room for one left out behind each: so threads that
// have a line each meet no bank twice.
template <class Record>
class shared_records {
  public:
    static constexpr unsigned of_line = 128 / sizeof(Record);
    static constexpr int bytes_for(unsigned lines) { return int(lines * (of_line + 1) * sizeof(Record)); }

    __device__ __forceinline__ explicit shared_records(char* shared)
        : records_(reinterpret_cast<Record*>(shared)) {}
    [[nodiscard]] __device__ __forceinline__ Record get(unsigned i) const {
        return records_[i + i / of_line];
    }
    __device__ __forceinline__ void set(unsigned i, const Record& record) const {
        records_[i + i / of_line] = record;
    }
    [[nodiscard]] __device__ __forceinline__ Record* line(unsigned i) const {
        return records_ + i * (of_line + 1);
    }

  private:
    Record* records_;
};

// Puts records in order, where they may change places.
template <unsigned Low, unsigned High, class Record>
__device__ __forceinline__ void exchange(Record* records, bool may_swap = true) {
    const Record low = records[Low], high = records[High];
    const bool swap = may_swap && high < low;
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
// Those of each segment by themselves. Bit k of `heads`: record k is the first one of a segment. As records
// of another one, which are in front of all of them or behind all, stay where they are, a network's other
// comparators do the same as if there were none.
template <unsigned Count, class Record>
__device__ __forceinline__ void sort_neighbours_of_one(Record (&records)[Count], std::uint32_t heads) {
    using network = core::exchange_network<Count>;
    constexpr auto between = [](unsigned low, unsigned high) {
        return static_cast<std::uint32_t>(((std::uint64_t{1} << (high - low)) - 1) << (low + 1));
    };
    [&]<std::size_t... C>(std::index_sequence<C...>) {
        (exchange<network::pair(C).low, network::pair(C).high>(
             records, (heads & between(network::pair(C).low, network::pair(C).high)) == 0),
         ...);
    }
    (std::make_index_sequence<network::size>());
}

}  // namespace upsweep::cuda::detail
