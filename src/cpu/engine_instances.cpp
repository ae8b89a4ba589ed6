// The CPU engine, compiled for every type that has kernels.
#include "src/cpu/engine-impl.hpp"
#include "upsweep/cpu/piece.hpp"

namespace upsweep::cpu {

template <class Acc, bool Exact>
Acc run_block(const operation<Acc, Exact>& op, executor& ex, const source<Acc>& in, const sink<Acc>& out,
              const scan_shape& shape, core::tree_place<Acc>& place) {
    return scan_block(ex, kernel_piece<Acc, Exact>(op, ex, in, out, shape), place);
}

#define UPSWEEP_INSTANTIATE_ENGINE(T, exact)                                                                \
    template T run_scan<T, exact>(const operation<T, exact>&, executor&, const source<T>&, const sink<T>&,  \
                                  const scan_shape&, core::tree_carry<T>&);                                 \
    template T run_block<T, exact>(const operation<T, exact>&, executor&, const source<T>&, const sink<T>&, \
                                   const scan_shape&, core::tree_place<T>&);
UPSWEEP_FOR_EACH_OPERATION(UPSWEEP_INSTANTIATE_ENGINE)

}  // namespace upsweep::cpu
