// The way in which a benchmark of shaders has sequences scanned, from its command line.
#pragma once

#include <string_view>

#include "upsweep/shader/sequence_way.hpp"

namespace bench {

// Whether `word` is --look-back or --reduce-then-scan; then `way` is that.
inline bool take_way(std::string_view word, upsweep::shader::sequence_way& way) {
    using upsweep::shader::sequence_way;
    if (word == "--look-back")
        way = sequence_way::look_back;
    else if (word == "--reduce-then-scan")
        way = sequence_way::reduce_then_scan;
    else
        return false;
    return true;
}

}  // namespace bench
