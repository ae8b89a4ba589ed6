// Elements as words of their size, chosen by flags.
#include "registry/cuda/array_choices.hpp"

#include "registry/cuda/moved_words.cuh"
#include "upsweep/cuda/compact.cuh"
#include "upsweep/cuda/device_scope.hpp"
#include "upsweep/cuda/partition.cuh"

namespace upsweep::registry::gpu {
namespace {

template <class Word>
__global__ void append_kernel(const Word* from, Word* out, std::uint64_t* count) {
    out[(*count)++] = *from;
}

}  // namespace

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

void choose_last(cuda::executor& ex, const std::uint8_t* heads, const void* in, void* out, std::size_t n,
                 std::size_t element_bytes, std::uint64_t* count) {
    // An element is its segment's last if a head follows, and the last of all is.
    choose(ex, {heads + 1, in, out, n - 1, element_bytes, true}, count);
    const cuda::device_scope current(ex);
    visit_word(element_bytes, [&]<class Word>(std::type_identity<Word>) {
        append_kernel<<<1, 1, 0, ex.stream()>>>(static_cast<const Word*>(in) + (n - 1),
                                                static_cast<Word*>(out), count);
    });
    cuda::check(cudaGetLastError(), "appending an element");
}

}  // namespace upsweep::registry::gpu
