// Elements of one and two bytes: as many bytes as 2^28 floats.
#include "bench.cuh"

namespace bench {

void bench_narrow() {
    constexpr std::size_t bytes = std::size_t(1) << 30;
    cell<std::uint8_t, std::uint8_t, std::uint8_t>("plus", "uint8", bytes, upsweep::plus{},
                                                   ::cuda::std::plus<>{});
    cell<std::int8_t, std::int8_t, std::int8_t>("plus", "int8", bytes, upsweep::plus{},
                                                ::cuda::std::plus<>{});
    cell<std::uint8_t, std::uint8_t, std::uint8_t>("maximum", "uint8", bytes, upsweep::maximum{},
                                                   ::cuda::maximum<>{});
    cell<std::int16_t, std::int16_t, std::int16_t>("plus", "int16", bytes / 2, upsweep::plus{},
                                                   ::cuda::std::plus<>{});
    cell<upsweep::float16, upsweep::float16, float>("plus", "float16", bytes / 2, upsweep::plus{},
                                                    ::cuda::std::plus<float>{});
    cell<upsweep::bfloat16, upsweep::bfloat16, float>("plus", "bfloat16", bytes / 2, upsweep::plus{},
                                                      ::cuda::std::plus<float>{});
}

}  // namespace bench
