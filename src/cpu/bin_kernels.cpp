// Bins of elements at every level.
#include <type_traits>

#include "src/cpu/levels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/bin_kernels.cpp"
#include "hwy/foreach_target.h"

#include "src/cpu/bin_kernels-inl.hpp"

#if HWY_ONCE
namespace upsweep::cpu {
namespace {

constexpr std::uint32_t most_vector_bins = std::uint32_t{1} << 30;  // exact in a 32-bit integer, as its sums
constexpr double most_vector_product = 0x1p50;

template <class T>
double width_of(const bin_range<T>& bins) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<double>(static_cast<std::uint64_t>(bins.hi) - static_cast<std::uint64_t>(bins.lo));
    else
        return 0;
}

}  // namespace

#define UPSWEEP_DEFINE_BINS(T)                                                                              \
    template <>                                                                                             \
    prepared_range<T>::prepared_range(const bin_range<T>& bins)                                             \
        : range(bins),                                                                                      \
          by_vectors(bins.count <= most_vector_bins && width_of(bins) * bins.count <= most_vector_product), \
          slope(std::is_integral_v<T> ? bins.count / width_of(bins) : 0),                                   \
          bias(std::is_integral_v<T> ? 0.5 / width_of(bins) : 0) {}                                         \
    template <>                                                                                             \
    bin_kernel<T> bin_kernel_for<T>(simd_level level) {                                                     \
        return UPSWEEP_SELECT_LEVEL(level, find_bins<T>);                                                   \
    }
UPSWEEP_FOR_EACH_COMPARED(UPSWEEP_DEFINE_BINS)
#undef UPSWEEP_DEFINE_BINS

}  // namespace upsweep::cpu
#endif
