// Scans and reductions of warps and blocks on the GPU.
#include "collectives/scan_cases.hpp"
#include "cuda/runner.cuh"

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cuda, collectives_scan, cuda_runner, );
}
