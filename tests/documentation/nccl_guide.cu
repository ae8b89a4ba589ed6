// The code of docs/nccl.md, with arrays for the names in it. blocks.inc includes its blocks, which
// tools/code_blocks.py takes out of the page.
#include <cstddef>
#include <cstdint>

#include "headers.inc"
#include "upsweep/predicates.hpp"

// The guide's arrays are nobody's here.
#pragma nv_diag_suppress 177

namespace upsweep::test {
namespace {

ncclComm_t comm;
cudaStream_t stream;
float *x, *y, *total;
std::size_t n;
const cuda::device_span<const float> a, b;
const cuda::device_span<const int> keys;
const cuda::device_span<std::uint64_t> counts;
nccl::compaction* part;

}  // namespace

#include "blocks.inc"

}  // namespace upsweep::test
