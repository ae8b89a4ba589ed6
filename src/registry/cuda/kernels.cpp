// The way from run-time operators to the instances of scans-impl.cuh and segments-impl.cuh.
#include "registry/cuda/kernels.hpp"

#include <string>
#include <type_traits>

#include "registry/cuda/scans.hpp"
#include "upsweep/error.hpp"

namespace upsweep::registry::gpu {
namespace {

// Calls body(std::type_identity<Op>{}) for the operator on held accumulators.
template <class Body>
void visit_operation(operation op, const Body& body) {
    switch (op) {
        case operation::plus:
            return body(std::type_identity<plus>{});
        case operation::multiplies:
            return body(std::type_identity<multiplies>{});
        case operation::minimum:
            return body(std::type_identity<minimum>{});
        case operation::maximum:
            return body(std::type_identity<maximum>{});
        case operation::bit_and:
            return body(std::type_identity<bit_and>{});
        case operation::bit_or:
            return body(std::type_identity<bit_or>{});
        case operation::bit_xor:
            return body(std::type_identity<bit_xor>{});
        case operation::logical_and:
        case operation::logical_or:
            break;
    }
    throw_error(errc::unsupported, "op: no scan of " + std::string(name(op)) + " on a GPU");
}

}  // namespace

void scan(operation op, dtype held, cuda::executor& ex, const scan_call& call) {
    visit_operation(op, [&]<class Op>(std::type_identity<Op>) { scan_under<Op>(held, ex, call); });
}
void scan_axis(operation op, dtype held, cuda::executor& ex, const axis_call& call) {
    visit_operation(op, [&]<class Op>(std::type_identity<Op>) { scan_axis_under<Op>(held, ex, call); });
}
void scan_segments(operation op, dtype held, cuda::executor& ex, const segments_call& call) {
    visit_operation(op, [&]<class Op>(std::type_identity<Op>) { scan_segments_under<Op>(held, ex, call); });
}

}  // namespace upsweep::registry::gpu
