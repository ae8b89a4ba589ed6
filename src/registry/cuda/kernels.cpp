// The way from run-time operators to the instances of scans-impl.cuh, segments-impl.cuh and totals-impl.cuh.
#include "registry/cuda/kernels.hpp"

#include "registry/cuda/scans.hpp"
#include "registry/visit.hpp"

namespace upsweep::registry::gpu {
namespace {

// body(operator), of those that have kernels for totals of segments; false for others.
template <class Body>
bool under_reduced(operation op, const Body& body) {
    switch (op) {
        case operation::plus:
            return body(plus{});
        case operation::minimum:
            return body(minimum{});
        case operation::maximum:
            return body(maximum{});
        default:
            return false;
    }
}

}  // namespace

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
    return under_reduced(op, [&]<class Op>(Op) { return reduce_segments_under<Op>(held, ex, call, count); });
}
bool reduce_by_offsets(operation op, dtype held, cuda::executor& ex, const offsets_call& call) {
    return under_reduced(op, [&]<class Op>(Op) { return reduce_offsets_under<Op>(held, ex, call); });
}

}  // namespace upsweep::registry::gpu
