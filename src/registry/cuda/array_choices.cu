// Elements as words of their size, chosen by flags.
#include "registry/cuda/array_choices.hpp"

#include "registry/cuda/moved_words.cuh"
#include "upsweep/cuda/compact.cuh"
#include "upsweep/cuda/partition.cuh"

namespace upsweep::registry::gpu {

void choose(cuda::executor& ex, const choice& call, std::uint64_t* count) {
    const cuda::device_span<const std::uint8_t> flags(call.flags, call.n);
    if (call.in == nullptr) {
        const cuda::device_span<std::int64_t> out(static_cast<std::int64_t*>(call.out), call.n);
        if (call.packed)
            compact_indices(ex, flags, out, count);
        else
            partition_indices(ex, flags, out, count);
        return;
    }
    visit_word(call.element_bytes, [&]<class Word>(std::type_identity<Word>) {
        const cuda::device_span<const Word> in(static_cast<const Word*>(call.in), call.n);
        const cuda::device_span<Word> out(static_cast<Word*>(call.out), call.n);
        if (call.packed)
            compact(ex, flags, in, out, count);
        else
            partition(ex, flags, in, out, count);
    });
}

}  // namespace upsweep::registry::gpu
