// How many records before a record, of those that a warp has seen, have the same digit: by a vote of all
// lanes for each of its bits, and a counter of the warp in shared memory for each digit.
//
// Integer instructions bound this more than memory does; a rank by eight bits takes 35 (sm_90).
#pragma once

#include <cstdint>

namespace upsweep::cuda::detail {

// Of shared memory, whose addresses take one register.
__device__ __forceinline__ std::uint32_t load_shared(std::uint32_t address) {
    std::uint32_t value;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
    return value;
}
__device__ __forceinline__ void store_shared(std::uint32_t address, std::uint32_t value) {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}

// The lanes that have the bit, of those that have it, and for others these lanes xor `Flip`. In PTX, because
// then one instruction turns seven bits into predicates and one turns the votes; left to itself the compiler
// takes six for each bit.
template <unsigned Bit, unsigned Flip>
__device__ __forceinline__ unsigned votes_for_bit(unsigned bits) {
    unsigned votes;
    asm volatile(
        "{\n"
        ".reg .pred is_set;\n"
        ".reg .b32 tested;\n"
        "and.b32 tested, %1, %2;\n"
        "setp.ne.u32 is_set, tested, 0;\n"
        "vote.sync.ballot.b32 %0, is_set, 0xffffffff;\n"
        "@!is_set xor.b32 %0, %0, %3;\n"
        "}"
        : "=r"(votes)
        : "r"(bits), "n"(1u << Bit), "n"(Flip));
    return votes;
}
// The lanes that have the same bit.
template <unsigned Bit>
__device__ __forceinline__ unsigned lanes_with_bit(unsigned bits) {
    return votes_for_bit<Bit, ~0u>(bits);
}
__device__ __forceinline__ unsigned in_all(unsigned a, unsigned b, unsigned c) {
    unsigned made;
    asm("lop3.b32 %0, %1, %2, %3, 0x80;" : "=r"(made) : "r"(a), "r"(b), "r"(c));
    return made;
}
// Of `lanes` those that have the same bits from bit `Next` on, below bit `Bits`.
template <unsigned Bits, unsigned Next>
__device__ __forceinline__ unsigned lanes_with(unsigned bits, unsigned lanes) {
    if constexpr (Next == Bits)
        return lanes;
    else if constexpr (Next + 1 == Bits)
        return lanes & lanes_with_bit<Next>(bits);
    else
        return lanes_with<Bits, Next + 2>(
            bits, in_all(lanes, lanes_with_bit<Next>(bits), lanes_with_bit<Next + 1>(bits)));
}

// Of `lanes` those whose lowest `Bits` bits are those of this lane's number in the warp.
template <unsigned Bits, unsigned Next = 0>
__device__ __forceinline__ unsigned lanes_with_number(unsigned bits, unsigned lane, unsigned lanes) {
    if constexpr (Next == Bits)
        return lanes;
    else
        return lanes_with_number<Bits, Next + 1>(
            bits, lane, lanes & ~(votes_for_bit<Next, 0>(bits) ^ (0u - (lane >> Next & 1))));
}

// A lane among those of its warp.
struct lane_masks {
    unsigned below, above;
    __device__ __forceinline__ explicit lane_masks(unsigned lane)
        : below((1u << lane) - 1), above(~below << 1) {}
};

// The rank of this lane's record, by all lanes of a warp. The lowest `Bits` bits of `bits` are the same for
// equal digits and differ for others; `counter` is the address of the digit's.
template <unsigned Bits>
__device__ __forceinline__ unsigned rank_digit(unsigned bits, std::uint32_t counter, const lane_masks& lane) {
    const unsigned equal = lanes_with<Bits, 1>(bits, lanes_with_bit<0>(bits));
    const unsigned rank = load_shared(counter) + __popc(equal & lane.below);
    __syncwarp();
    if ((equal & lane.above) == 0) store_shared(counter, rank + 1);
    __syncwarp();
    return rank;
}

}  // namespace upsweep::cuda::detail
