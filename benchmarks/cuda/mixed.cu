// Input, accumulator and output of different types.
#include "bench.cuh"

namespace bench {

void bench_mixed() {
    constexpr std::size_t n = std::size_t(1) << 28;
    cell<std::uint8_t, std::uint32_t, std::uint32_t>("plus", "uint8>uint32", n, upsweep::plus{},
                                                     ::cuda::std::plus<>{});
    cell<std::uint32_t, std::uint64_t, std::uint64_t>("plus", "uint32>uint64", n / 2, upsweep::plus{},
                                                      ::cuda::std::plus<>{});
    cell<float, double, double>("plus", "float>double", n / 2, upsweep::plus{}, ::cuda::std::plus<>{});
}

}  // namespace bench
