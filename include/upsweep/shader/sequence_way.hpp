// The ways in which shaders scan a sequence of more than one tile. All give the same bits; they differ in
// speed.
#pragma once

#include <cstdint>

namespace upsweep::shader {

enum class sequence_way : std::uint8_t {
    automatic,         // by device
    look_back,         // in one pass: work groups ask each other for the totals of tiles; reduce_then_scan
                       // where these are more than the device can bind at once
    reduce_then_scan,  // the totals of tiles in a pass of their own: elements are read twice
};

}  // namespace upsweep::shader
