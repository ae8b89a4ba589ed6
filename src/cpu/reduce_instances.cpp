// The engines for totals, compiled for every type that has kernels.
#include "src/cpu/axis_reduce-impl.hpp"
#include "src/cpu/reduce-impl.hpp"

namespace upsweep::cpu {

#define UPSWEEP_INSTANTIATE_REDUCE(T, exact)                                                              \
    template T run_reduce<T, exact>(const operation<T, exact>&, executor&, const source<T>&, std::size_t, \
                                    const std::optional<T>&);                                             \
    template void run_axis_reduce<T, exact>(const operation<T, exact>&, executor&, const source<T>&,      \
                                            const sink<T>&, const axis_geometry&, const std::optional<T>&);
UPSWEEP_FOR_EACH_OPERATION(UPSWEEP_INSTANTIATE_REDUCE)

}  // namespace upsweep::cpu
