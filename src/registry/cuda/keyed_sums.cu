// The GPU's sums of runs of equal integers, with the first of these, in one pass.
#include "registry/cuda/held_types.hpp"
#include "registry/cuda/kernels.hpp"
#include "upsweep/cuda/segmented_reduce.cuh"

namespace upsweep::registry::gpu {
namespace {

template <class Held, class Key>
void enqueue_sums(cuda::executor& ex, const segments_call& call, const keys_call& keys,
                  std::uint64_t* count) {
    using namespace cuda::detail;
    const auto load = load_from<Held>(plus{}, held_initial<Held>(call.initial));
    const auto* const in_keys = static_cast<const Key*>(keys.keys);
    const first_elements<Key> first{static_cast<Key*>(keys.keys_out), keys.keys_out == nullptr ? 0 : call.n};
    const store_segments<Held, packed_places<Held>, first_elements<Key>> store{
        {static_cast<Held*>(call.out), call.n}, first, count};
    enqueue_segments<false, Held, Held>(ex, cuda::by_keys(cuda::device_span<const Key>(in_keys, call.n)),
                                        call.n, plus{}, load_counted<Held, Held, false, plus>{load}, store,
                                        static_cast<const Held*>(call.in), in_keys);
}

}  // namespace

bool sum_by_keys(dtype held, cuda::executor& ex, const segments_call& call, const keys_call& keys,
                 std::uint64_t* count) {
    const std::size_t bytes = is_integer_type(keys.type) ? size_of(keys.type) : 0;
    if (bytes < 4) return false;
    bool is_done = false;
    visit_held_bits(held, [&]<class Held>(std::type_identity<Held>) {
        if constexpr (is_held<plus, Held> && !is_complex<Held> && !std::is_same_v<Held, std::uint32_t>) {
            if (sizeof(Held) < 8 && call.n >= std::size_t{1} << 31) return;  // more than are counted
            if (bytes == 4)
                enqueue_sums<Held, std::uint32_t>(ex, call, keys, count);
            else
                enqueue_sums<Held, std::uint64_t>(ex, call, keys, count);
            is_done = true;
        }
    });
    return is_done;
}

}  // namespace upsweep::registry::gpu
