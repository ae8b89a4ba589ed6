// Stream compaction of one sequence that lies on many GPUs: compact and compact_if with an nccl::executor.
//
// Formula: the elements of all ranks that are chosen, in order. Each rank keeps its own, packed at the front
// of its `out`, and learns where they begin among those of all; no element is sent. *part lies in device
// memory. Shapes, aliasing, errors: as cuda/compact.cuh, for each rank's arrays, with part in place of count;
// and as nccl/scan.cuh. Complexity: that of the rank's own compaction; messages: a gather of the ranks'
// counts.
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/cuda/compact.cuh"
#include "upsweep/nccl/executor.hpp"

namespace upsweep {
namespace nccl {

struct compaction {
    std::uint64_t kept;   // elements that this rank has chosen
    std::uint64_t first;  // those that earlier ranks have
    std::uint64_t total;  // those of all ranks
};

// Completes what a compaction has found, whose count is part->kept.
void locate(const executor& ex, compaction* part);

}  // namespace nccl

// out = in[i] for each i with flags[i] != 0.
template <class Flag, class In, class Out>
requires(!std::is_const_v<Out>) void compact(nccl::executor& ex, cuda::device_span<Flag> flags,
                                             cuda::device_span<In> in, cuda::device_span<Out> out,
                                             nccl::compaction* part,
                                             const cuda::compact_options& options = {}) {
    compact(ex.local(), flags, in, out, &part->kept, options);
    nccl::locate(ex, part);
}

// out = in[i] for each i with keep(in[i]).
template <class In, class Out, class Keep>
requires(!std::is_const_v<Out>) void compact_if(nccl::executor& ex, cuda::device_span<In> in,
                                                cuda::device_span<Out> out, const Keep& keep,
                                                nccl::compaction* part,
                                                const cuda::compact_options& options = {}) {
    compact_if(ex.local(), in, out, keep, &part->kept, options);
    nccl::locate(ex, part);
}

}  // namespace upsweep
