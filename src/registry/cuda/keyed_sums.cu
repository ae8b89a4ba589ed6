// The GPU's sums of runs of equal integers, and the first of these.
#include "registry/cuda/held_types.hpp"
#include "registry/cuda/kernels.hpp"
#include "upsweep/cuda/segmented_reduce.cuh"

namespace upsweep::registry::gpu {
namespace {

template <class Held, class Key>
void enqueue_sums(cuda::executor& ex, const segments_call& call, const keys_call& keys,
                  std::uint64_t* count) {
    using namespace cuda::detail;
    const cuda::by_keys segments(cuda::device_span<const Key>(static_cast<const Key*>(keys.keys), call.n));
    const auto enqueue = [&](const auto& firsts) {
        using types = head_totals_types<Held, Held, Held, plus, decltype(segments.heads()),
                                        std::decay_t<decltype(firsts)>>;
        const segment_totals_arguments<types> given{
            static_cast<const Held*>(call.in),
            call.n,
            static_cast<Held*>(call.out),
            {segments.heads(), call.n, count, firsts},
            plus{},
            load_from<Held>(plus{}, held_initial<Held>(call.initial))};
        enqueue_head_totals(ex, given);
    };
    if (keys.keys_out == nullptr)
        enqueue(keeps_no_firsts{});
    else
        enqueue(keeps_firsts<Key, Key>{segments.elements().data(), static_cast<Key*>(keys.keys_out), call.n});
}

}  // namespace

bool sum_by_keys(dtype held, cuda::executor& ex, const segments_call& call, const keys_call& keys,
                 std::uint64_t* count) {
    const std::size_t bytes = is_integer_type(keys.type) ? size_of(keys.type) : 0;
    if (bytes < 4) return false;
    bool is_done = false;
    visit_held_bits(held, [&]<class Held>(std::type_identity<Held>) {
        if constexpr (is_held<plus, Held> && !is_complex<Held> && !std::is_same_v<Held, std::uint32_t>) {
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
