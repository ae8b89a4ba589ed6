// The way from run-time operators to the instances of scans-impl.cuh.
#include "registry/cuda/kernels.hpp"

#include <string>

#include "registry/cuda/scans.hpp"
#include "upsweep/error.hpp"

namespace upsweep::registry::gpu {

void scan(operation op, dtype held, cuda::executor& ex, const scan_call& call) {
    switch (op) {
        case operation::plus:
            return scan_under<plus>(held, ex, call);
        case operation::multiplies:
            return scan_under<multiplies>(held, ex, call);
        case operation::minimum:
            return scan_under<minimum>(held, ex, call);
        case operation::maximum:
            return scan_under<maximum>(held, ex, call);
        case operation::bit_and:
            return scan_under<bit_and>(held, ex, call);
        case operation::bit_or:
            return scan_under<bit_or>(held, ex, call);
        case operation::bit_xor:
            return scan_under<bit_xor>(held, ex, call);
        case operation::logical_and:
        case operation::logical_or:
            break;
    }
    throw_error(errc::unsupported, "op: no scan of " + std::string(name(op)) + " on a GPU");
}

}  // namespace upsweep::registry::gpu
