// Elements of four bytes.
#include "ways.cuh"

namespace bench {

void bench_ways_of_words() {
    ways_around<float>("float");
    ways_around<std::int32_t>("int32");
}

}  // namespace bench
