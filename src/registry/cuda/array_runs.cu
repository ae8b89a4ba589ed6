// Runs of equal neighbours, of elements that compare as their types do.
#include <limits>

#include "registry/cuda/array_choices.hpp"
#include "registry/cuda/stream_memory.hpp"
#include "registry/runs.hpp"
#include "upsweep/cuda/unique.cuh"

namespace upsweep::registry::gpu {
namespace {

// Lengths of runs by the flags of their first elements, of any number of elements.
void measure_runs(cuda::executor& ex, const std::uint8_t* heads, std::size_t n, std::int64_t* lengths,
                  std::uint64_t* count) {
    using namespace cuda::detail;
    const store_segments<std::uint64_t, packed_places<std::int64_t>, no_first> store{{lengths, n}, {}, count};
    enqueue_segments<false, std::uint64_t, std::int64_t>(
        ex, cuda::by_head_flags(cuda::device_span<const std::uint8_t>(heads, n)), n, plus{},
        load_one<std::uint64_t>{}, store, heads);
}

}  // namespace

void encode_runs(cuda::executor& ex, dtype type, const void* in, std::size_t n, void* out,
                 std::int64_t* lengths, std::uint64_t* count) {
    visit_equality(type, [&]<class T>(std::type_identity<T>) {
#ifdef UPSWEEP_CUDA_FEW_TYPES
        if constexpr (!std::is_same_v<T, float>) {
            throw_error(errc::unsupported, "a: no runs of " + std::string(name(type)) + " in this build");
        } else
#endif
        {
            const cuda::device_span<const T> from(static_cast<const T*>(in), n);
            const cuda::device_span<T> to(static_cast<T*>(out), n);
            if (lengths == nullptr || n == 0) return unique(ex, from, to, count);
            if (n <= std::numeric_limits<std::uint32_t>::max()) {
                return cuda::detail::encode_runs<std::uint32_t>(
                    ex, cuda::by_keys(from), from, to, cuda::device_span<std::int64_t>(lengths, n), count);
            }
            // Kernels for that many of each type are not worth their compilation.
            const stream_memory heads(ex, n);
            auto* const flags = static_cast<std::uint8_t*>(heads.data());
            mark_runs(ex, type, in, flags, n);
            measure_runs(ex, flags, n, lengths, count);
            unique(ex, from, to, count);
        }
    });
}

}  // namespace upsweep::registry::gpu
