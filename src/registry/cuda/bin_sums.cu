// The GPU's sums of values by the numbers of their bins.
#include <cstdint>
#include <type_traits>

#include "registry/cuda/held_types.hpp"
#include "registry/cuda/kernels.hpp"
#include "upsweep/cuda/bin_totals.cuh"

namespace upsweep::registry::gpu {
namespace {

struct bin_itself {
    __device__ std::uint32_t operator()(std::uint32_t bin) const { return bin; }
};

}  // namespace

void sum_by_bins(dtype held, cuda::executor& ex, const bin_sums_call& call) {
    visit_held_under<plus>(held, [&]<class Held>(std::type_identity<Held>) {
        bin_totals_by<Held>(ex, cuda::device_span<const std::uint32_t>(call.bins, call.n),
                            cuda::device_span<const Held>(static_cast<const Held*>(call.values), call.n),
                            cuda::device_span<Held>(static_cast<Held*>(call.out), call.count), bin_itself{});
    });
}

}  // namespace upsweep::registry::gpu
