// The way from run-time operators to the instances of scans-impl.cuh, segments-impl.cuh and totals-impl.cuh.
#include "registry/cuda/kernels.hpp"

#include "registry/cuda/scans.hpp"
#include "registry/visit.hpp"

namespace upsweep::registry::gpu {

void scan(operation op, dtype held, cuda::executor& ex, const scan_call& call) {
    visit_operation(op, [&]<class Op>(Op) { scan_under<Op>(held, ex, call); });
}
void scan_axis(operation op, dtype held, cuda::executor& ex, const axis_call& call) {
    visit_operation(op, [&]<class Op>(Op) { scan_axis_under<Op>(held, ex, call); });
}
void scan_segments(operation op, dtype held, cuda::executor& ex, const segments_call& call) {
    visit_operation(op, [&]<class Op>(Op) { scan_segments_under<Op>(held, ex, call); });
}
bool reduce_segments(operation op, dtype held, cuda::executor& ex, const segments_call& call,
                     std::uint64_t* count) {
    switch (op) {
        case operation::plus:
            return reduce_segments_under<plus>(held, ex, call, count);
        case operation::minimum:
            return reduce_segments_under<minimum>(held, ex, call, count);
        case operation::maximum:
            return reduce_segments_under<maximum>(held, ex, call, count);
        default:
            return false;
    }
}

}  // namespace upsweep::registry::gpu
