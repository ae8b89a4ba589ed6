// What a tile of segments is sorted by (segment_sorter.cuh): records of a key in order, where they lie, and a
// few of them in order.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "sort_key.cuh"
#include "upsweep/core/exchange_network.hpp"

namespace upsweep::cuda::detail {

// A key alone, where equal ones are the same in all their bits.
template <class Order>
struct bare_record {
    using Word = typename Order::Word;
    static constexpr bool has_place = false;
    Word key;

    __device__ __forceinline__ static bare_record of(const Order& order, Word bits, unsigned) {
        return {order.order_of_distinct(bits)};
    }
    // Behind all that are not its equals.
    __device__ __forceinline__ static bare_record last() { return {static_cast<Word>(~Word{0})}; }
    __device__ __forceinline__ bool operator<(const bare_record& other) const { return key < other.key; }
    [[nodiscard]] __device__ __forceinline__ Word bits(const Order& order) const {
        return order.bits_of(key);
    }
};
// Numbers that are neither NaN nor -0 are in order as they are, or with the other sign.
template <>
struct bare_record<ordered_key<std::uint32_t, true>> {
    using Order = ordered_key<std::uint32_t, true>;
    static constexpr bool has_place = false;
    float key;

    __device__ __forceinline__ static bare_record of(const Order& order, std::uint32_t bits, unsigned) {
        return {__uint_as_float(bits ^ sign_if_descending(order))};
    }
    __device__ __forceinline__ static bare_record last() { return {__uint_as_float(infinity)}; }
    __device__ __forceinline__ bool operator<(const bare_record& other) const { return key < other.key; }
    [[nodiscard]] __device__ __forceinline__ std::uint32_t bits(const Order& order) const {
        return __float_as_uint(key) ^ sign_if_descending(order);
    }

  private:
    static constexpr std::uint32_t infinity = 0x7f800000;
    __device__ __forceinline__ static std::uint32_t sign_if_descending(const Order& order) {
        return order.flip & Order::sign;
    }
};
template <class Record>
inline constexpr bool is_float_record = std::is_same_v<Record, bare_record<ordered_key<std::uint32_t, true>>>;

// A key and its place, below 2^13, so that no two are equal and their order is stable. Up to 32 bits of a
// key: one word of both.
template <class Order, class WordType = typename Order::Word>
struct alignas(16) placed_record {
    using Word = WordType;
    static constexpr bool has_place = true;
    Word key, at;

    __device__ __forceinline__ static placed_record of(const Order& order, Word bits, unsigned place) {
        return {order.order(bits), place};
    }
    __device__ __forceinline__ static placed_record last() { return {~Word{0}, ~Word{0}}; }
    __device__ __forceinline__ bool operator<(const placed_record& other) const {
        return key == other.key ? at < other.at : key < other.key;
    }
    [[nodiscard]] __device__ __forceinline__ Word ordered() const { return key; }
    [[nodiscard]] __device__ __forceinline__ Word bits(const Order& order) const {
        return order.bits_of(ordered());
    }
    [[nodiscard]] __device__ __forceinline__ unsigned place() const { return static_cast<unsigned>(at); }
};
template <class Order>
struct placed_record<Order, std::uint32_t> {
    static constexpr bool has_place = true;
    static constexpr unsigned place_bits = 13;
    std::uint64_t both;

    __device__ __forceinline__ static placed_record of(const Order& order, std::uint32_t bits,
                                                       unsigned place) {
        return {std::uint64_t{order.order(bits)} << place_bits | place};
    }
    __device__ __forceinline__ static placed_record last() { return {~std::uint64_t{0}}; }
    __device__ __forceinline__ bool operator<(const placed_record& other) const { return both < other.both; }
    [[nodiscard]] __device__ __forceinline__ std::uint32_t ordered() const {
        return static_cast<std::uint32_t>(both >> place_bits);
    }
    [[nodiscard]] __device__ __forceinline__ std::uint32_t bits(const Order& order) const {
        return order.bits_of(ordered());
    }
    [[nodiscard]] __device__ __forceinline__ unsigned place() const {
        return static_cast<unsigned>(both) & ((1u << place_bits) - 1);
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
    [[nodiscard]] __device__ __forceinline__ Record get(unsigned i) const { return *at(i); }
    __device__ __forceinline__ void set(unsigned i, const Record& record) const { *at(i) = record; }
    [[nodiscard]] __device__ __forceinline__ Record* line(unsigned i) const {
        return records_ + i * (of_line + 1);
    }
    // The record in place i; those 32, 64, ... places behind it are as many times `of_row` records behind it.
    [[nodiscard]] __device__ __forceinline__ Record* at(unsigned i) const {
        return records_ + i + i / of_line;
    }
    static constexpr unsigned of_row = 32 + 32 / of_line;

  private:
    Record* records_;
};

// Puts two records in order.
template <class Record>
__device__ __forceinline__ void exchange(Record& low, Record& high) {
    const Record first = low, second = high;
    if constexpr (is_float_record<Record>) {
        low.key = fminf(first.key, second.key);
        high.key = fmaxf(first.key, second.key);
    } else {
        const bool swap = second < first;
        low = swap ? second : first;
        high = swap ? first : second;
    }
}
// The same unless a bit is set. Comparisons, selections and plain moves are what bounds these sorts, and one
// kind of units executes all of them. So of a record of a word there is a minimum, and only where it may
// change a maximum, and a multiplication by 1, which is a move on units of another kind.
template <unsigned Bit, class Record>
__device__ __forceinline__ void exchange_unless(std::uint32_t bits, Record& low, Record& high) {
    if constexpr (is_float_record<Record>) {
        asm("{\n\t.reg .pred none;\n\t.reg .b32 bit;\n\t.reg .f32 least;\n\t"
            "and.b32 bit, %2, %3;\n\tsetp.eq.u32 none, bit, 0;\n\tmin.f32 least, %0, %1;\n\t"
            "@none max.f32 %1, %0, %1;\n\t@none mul.f32 %0, least, 0f3F800000;\n\t}"
            : "+f"(low.key), "+f"(high.key)
            : "r"(bits), "n"(1u << Bit));
    } else if constexpr (sizeof(Record) == 4) {
        // blockDim.y is 1, which the assembler does not know: by a 1 that it knows it would select again.
        asm("{\n\t.reg .pred none;\n\t.reg .b32 bit, least;\n\t"
            "and.b32 bit, %2, %3;\n\tsetp.eq.u32 none, bit, 0;\n\tmin.u32 least, %0, %1;\n\t"
            "@none max.u32 %1, %0, %1;\n\t@none mul.lo.u32 %0, least, %4;\n\t}"
            : "+r"(low.key), "+r"(high.key)
            : "r"(bits), "n"(1u << Bit), "r"(blockDim.y));
    } else {
        const Record first = low, second = high;
        const bool swap = (bits >> Bit & 1) == 0 && second < first;
        low = swap ? second : first;
        high = swap ? first : second;
    }
}

template <unsigned Count, class Record>
__device__ __forceinline__ void sort_neighbours(Record (&records)[Count]) {
    using network = core::exchange_network<Count>;
    [&]<std::size_t... C>(std::index_sequence<C...>) {
        (exchange(records[network::pair(C).low], records[network::pair(C).high]), ...);
    }
    (std::make_index_sequence<network::size>());
}
// Those of each segment by themselves. Bit k of `heads`: record k is the first one of a segment. As records
// of another one, which are in front of all of them or behind all, stay where they are, a network's other
// comparators do the same as if there were none.
template <unsigned Count, class Record>
__device__ __forceinline__ void sort_neighbours_of_one(Record (&records)[Count], std::uint32_t heads) {
    using network = core::exchange_network<Count>;
    // Bit i of word d: one begins behind record i, up to 2^d behind it.
    std::uint32_t begun[5] = {heads >> 1};
#pragma unroll
    for (unsigned d = 1; d < 5; ++d) begun[d] = begun[d - 1] | begun[d - 1] >> (1u << (d - 1));
    [&]<std::size_t... C>(std::index_sequence<C...>) {
        (exchange_unless<network::pair(C).low>(
             begun[std::bit_width(network::pair(C).high - network::pair(C).low) - 1],
             records[network::pair(C).low], records[network::pair(C).high]),
         ...);
    }
    (std::make_index_sequence<network::size>());
}

}  // namespace upsweep::cuda::detail
