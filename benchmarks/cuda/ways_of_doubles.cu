// Elements of eight bytes.
#include "ways.cuh"

namespace bench {

void bench_ways_of_doubles() {
    ways_around<double>("double");
    ways_around<std::int64_t>("int64");
}

}  // namespace bench
