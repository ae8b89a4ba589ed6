// Struct-valued elements and the caller's own operators.
#include <complex>

#include "bench.cuh"

namespace bench {
namespace {

template <int Count>
struct vector_of {
    float x[Count];
};
struct add_vectors {
    template <int Count>
    __host__ __device__ vector_of<Count> operator()(const vector_of<Count>& a,
                                                    const vector_of<Count>& b) const {
        vector_of<Count> sum;
        for (int i = 0; i < Count; ++i) sum.x[i] = a.x[i] + b.x[i];
        return sum;
    }
};

}  // namespace

void bench_structs() {
    constexpr std::size_t n = std::size_t(1) << 28;
    using complex = std::complex<float>;
    using map = upsweep::affine_map<float>;
    cell<complex, complex, complex>("plus", "complex64", n / 2, upsweep::plus{}, ::cuda::std::plus<>{});
    cell<map, map, map>("affine", "affine_map<float>", n / 2, upsweep::affine{}, upsweep::affine{});
    const auto add = [] __host__ __device__(float a, float b) { return a + b; };
    cell<float, float, float>("lambda", "float", n, add, add);
    cell<vector_of<4>, vector_of<4>, vector_of<4>>("user", "16 bytes", n / 4, add_vectors{}, add_vectors{});
    cell<vector_of<16>, vector_of<16>, vector_of<16>>("user", "64 bytes", n / 16, add_vectors{},
                                                      add_vectors{});
}

}  // namespace bench
