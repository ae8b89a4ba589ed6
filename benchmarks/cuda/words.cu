// Elements of four and eight bytes at 2^28: the main path.
#include "bench.cuh"

namespace bench {
namespace {

constexpr std::size_t n = std::size_t(1) << 28;

template <class T>
void sum_and_maximum(const char* type) {
    cell<T, T, T>("plus", type, n, upsweep::plus{}, ::cuda::std::plus<>{});
    cell<T, T, T>("maximum", type, n, upsweep::maximum{}, ::cuda::maximum<>{});
}

}  // namespace

void bench_words() {
    sum_and_maximum<float>("float");
    sum_and_maximum<std::int32_t>("int32");
    sum_and_maximum<std::uint32_t>("uint32");
    sum_and_maximum<double>("double");
    sum_and_maximum<std::int64_t>("int64");
    sum_and_maximum<std::uint64_t>("uint64");
    cell<float, float, float>("multiplies", "float", n, upsweep::multiplies{}, ::cuda::std::multiplies<>{});
    cell<std::uint32_t, std::uint32_t, std::uint32_t>("bit_xor", "uint32", n, upsweep::bit_xor{},
                                                      ::cuda::std::bit_xor<>{});
}

}  // namespace bench
