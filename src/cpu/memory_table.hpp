// The table of a level's copies and conversions.
#pragma once

#include <cstdint>

#include "upsweep/cpu/kernels.hpp"

namespace upsweep::cpu {

// Of the class that holds them.
template <class Bodies>
constexpr memory_kernels memory_table_of() {
    using u8 = std::uint8_t;
    using u16 = std::uint16_t;
    using u32 = std::uint32_t;
    using u64 = std::uint64_t;
    return {
        &Bodies::stream,
        &Bodies::fence,
        {&Bodies::template reverse<u8>, &Bodies::template reverse<u16>, &Bodies::template reverse<u32>,
         &Bodies::template reverse<u64>},
        {&Bodies::template transpose<u8>, &Bodies::template transpose<u16>, &Bodies::template transpose<u32>,
         &Bodies::template transpose<u64>},
        {&Bodies::template deinterleave<u8>, &Bodies::template deinterleave<u16>,
         &Bodies::template deinterleave<u32>, &Bodies::template deinterleave<u64>},
        {&Bodies::template interleave<u8>, &Bodies::template interleave<u16>,
         &Bodies::template interleave<u32>, &Bodies::template interleave<u64>},
        {&Bodies::template mark_nonzero<u8>, &Bodies::template mark_nonzero<u16>,
         &Bodies::template mark_nonzero<u32>, &Bodies::template mark_nonzero<u64>},
        {&Bodies::template mark_changes<u8>, &Bodies::template mark_changes<u16>,
         &Bodies::template mark_changes<u32>, &Bodies::template mark_changes<u64>},
        &Bodies::float_from_float16,
        &Bodies::float_from_bfloat16,
        &Bodies::float16_from_float,
        &Bodies::bfloat16_from_float,
    };
}

}  // namespace upsweep::cpu
