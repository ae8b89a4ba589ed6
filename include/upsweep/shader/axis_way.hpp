// The ways in which shaders scan along an axis of an array. All give the same bits; they differ in speed.
#pragma once

#include <cstdint>

namespace upsweep::shader {

enum class axis_way : std::uint8_t {
    automatic,     // by shape and strides
    lanes,         // an invocation scans a sequence from end to end: many sequences side by side
    turned_lanes,  // the same, but invocations load and store for each other: many short ones that are
                   // contiguous
    tiles,         // a work group scans a tile of 4096 elements: few long sequences; elements are read twice
};

}  // namespace upsweep::shader
