// A float sum and an int sum over the length, with every algorithm: the plot's data.
#include "bench.cuh"

namespace bench {

void bench_sizes() {
    for (int power = 10; power <= 30; ++power) {
        const std::size_t n = std::size_t(1) << power;
        cell<float, float, float>("plus", "float", n, upsweep::plus{}, ::cuda::std::plus<>{},
                                  {.every_algorithm = true});
    }
    for (const int power : {12, 18, 20, 22, 24, 28}) {
        const std::size_t n = std::size_t(1) << power;
        cell<std::int32_t, std::int32_t, std::int32_t>("plus", "int32", n, upsweep::plus{},
                                                       ::cuda::std::plus<>{});
    }
}

}  // namespace bench
