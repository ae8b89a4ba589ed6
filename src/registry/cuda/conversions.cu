// Elements to held accumulators and back, on the GPU: one kernel for each held type, in which every thread
// takes the same turn by the element's run-time type; once an element, so that a kernel has one loop, not one
// a type.
#include <cstdint>
#include <cstdlib>

#include "registry/cuda/element_conversion.cuh"
#include "registry/cuda/held_types.hpp"
#include "registry/cuda/kernels.hpp"
#include "registry/cuda/launches.cuh"

namespace upsweep::registry::gpu {
namespace {

// Which elements a thread takes: neighbours of a warp are neighbours in the memory that is written.
struct element_walk {
    core::axis_geometry geometry;
    bool along_axis;  // the axis runs fastest

    explicit element_walk(const core::axis_geometry& described)
        : geometry(described),
          along_axis(described.other_count == 0 ||
                     std::abs(described.out_stride) <= std::abs(described.fastest().out_stride)) {}

    [[nodiscard]] constexpr std::uint64_t size() const {
        return std::uint64_t(geometry.length) * geometry.sequence_count;
    }
    // For the elements of this thread: value = load(where, i), store(where, i, value), where =
    // locate(sequence) and i is the index along the axis. Of one sequence several are under way at once.
    template <class Locate, class Load, class Store>
    __device__ void run(const Locate& locate, const Load& load, const Store& store) const {
        const std::uint64_t length = geometry.length, sequences = geometry.sequence_count, n = size();
        const std::uint64_t step = gridDim.x * std::uint64_t(threads);
        std::uint64_t e = blockIdx.x * std::uint64_t(threads) + threadIdx.x;
        if (sequences == 1) {
            const auto where = locate(0);
            for (; e < n; e += each * step) {
                decltype(load(where, e)) value[each];
#pragma unroll
                for (int k = 0; k < each; ++k)
                    if (e + k * step < n) value[k] = load(where, e + k * step);
#pragma unroll
                for (int k = 0; k < each; ++k)
                    if (e + k * step < n) store(where, e + k * step, value[k]);
            }
            return;
        }
        for (; e < n; e += step) {
            const auto where = locate(along_axis ? e / length : e % sequences);
            const std::uint64_t i = along_axis ? e % length : e / sequences;
            store(where, i, load(where, i));
        }
    }

  private:
    static constexpr int each = 4;
};

template <class Held>
__device__ Held load_any(dtype type, const integer_form& form, const void* from, std::ptrdiff_t at) {
    switch (type) {
#define UPSWEEP_CASE(enumerator, text, code, type, result) \
    case dtype::enumerator:                                \
        return load<Held>(static_cast<const type*>(from)[at], form);
        UPSWEEP_DTYPES(UPSWEEP_CASE)
#undef UPSWEEP_CASE
    }
    return Held{};
}
template <class Held>
__device__ void store_any(dtype type, const integer_form& form, const Held& result, void* to,
                          std::ptrdiff_t at) {
    switch (type) {
#define UPSWEEP_CASE(enumerator, text, code, type, result_type) \
    case dtype::enumerator:                                     \
        static_cast<type*>(to)[at] = store<type>(result, form); \
        return;
        UPSWEEP_DTYPES(UPSWEEP_CASE)
#undef UPSWEEP_CASE
    }
}

using places = core::axis_geometry::offsets;

template <class Held>
__global__ void __launch_bounds__(threads)
    load_kernel(dtype type, integer_form form, element_walk walk, const void* from, Held* to) {
    const core::axis_geometry& g = walk.geometry;
    walk.run([&](std::uint64_t sequence) { return g.begin(sequence); },
             [&](const places& at, std::uint64_t i) {
                 return load_any<Held>(type, form, from,
                                       at.in + static_cast<std::ptrdiff_t>(i) * g.in_stride);
             },
             [&](const places& at, std::uint64_t i, const Held& x) {
                 to[at.out + static_cast<std::ptrdiff_t>(i) * g.out_stride] = x;
             });
}

// Result i is the scanned one at i + shift, or `start` where that is outside of the sequence, or where a
// segment begins between the two.
template <class Held>
__global__ void __launch_bounds__(threads)
    store_kernel(dtype type, integer_form form, element_walk walk, const Held* from, const Held* start_at,
                 Held start, int shift, const std::uint8_t* heads, void* to) {
    const core::axis_geometry& g = walk.geometry;
    if (start_at != nullptr) start = *start_at;
    walk.run([&](std::uint64_t sequence) { return g.begin(sequence); },
             [&](const places& at, std::uint64_t i) {
                 const std::uint64_t source =
                     i + static_cast<std::uint64_t>(std::int64_t(shift));  // wraps for -1 at 0
                 if (source >= g.length || (heads != nullptr && heads[shift < 0 ? i : source] != 0))
                     return start;
                 return from[at.in + static_cast<std::ptrdiff_t>(source) * g.in_stride];
             },
             [&](const places& at, std::uint64_t i, const Held& x) {
                 store_any(type, form, x, to, at.out + static_cast<std::ptrdiff_t>(i) * g.out_stride);
             });
}

core::axis_geometry sequence_of(std::size_t n) {
    const std::int64_t extent = static_cast<std::int64_t>(n), stride = 1;
    return {{&extent, 1}, {&stride, 1}, {&stride, 1}, 0};
}

}  // namespace

void load_elements(const conversion& how, const core::axis_geometry& geometry, const void* from, void* to,
                   cudaStream_t stream) {
    const element_walk walk(geometry);
    if (walk.size() == 0) return;
    visit_held_bits(how.held, [&]<class Held>(std::type_identity<Held>) {
        load_kernel<Held><<<blocks_for(walk.size()), threads, 0, stream>>>(
            how.element, form_of(how.accumulator), walk, from, static_cast<Held*>(to));
    });
    cuda::check(cudaGetLastError(), "converting elements");
}
void load_elements(const conversion& how, const void* from, void* to, std::size_t n, cudaStream_t stream) {
    load_elements(how, sequence_of(n), from, to, stream);
}

void store_results(const conversion& how, const result_order& order, const core::axis_geometry& geometry,
                   const void* from, void* to, cudaStream_t stream) {
    const element_walk walk(geometry);
    if (walk.size() == 0) return;
    const int shift = !order.exclusive ? 0 : order.reverse ? 1 : -1;
    visit_held_bits(how.held, [&]<class Held>(std::type_identity<Held>) {
        store_kernel<Held><<<blocks_for(walk.size()), threads, 0, stream>>>(
            how.element, form_of(how.accumulator), walk, static_cast<const Held*>(from),
            static_cast<const Held*>(order.start_at), order.start.as<Held>(), shift,
            order.exclusive ? order.heads : nullptr, to);
    });
    cuda::check(cudaGetLastError(), "converting results");
}
void store_results(const conversion& how, const result_order& order, const void* from, void* to,
                   std::size_t n, cudaStream_t stream) {
    store_results(how, order, sequence_of(n), from, to, stream);
}

}  // namespace upsweep::registry::gpu
