// Runs of equal neighbours, of elements that compare as their types do.
#include "registry/cuda/array_choices.hpp"
#include "registry/runs.hpp"
#include "upsweep/cuda/unique.cuh"

namespace upsweep::registry::gpu {

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
            if (lengths == nullptr) return unique(ex, from, to, count);
            run_length_encode(ex, from, to, cuda::device_span<std::int64_t>(lengths, n), count);
        }
    });
}

}  // namespace upsweep::registry::gpu
