// Bins, places and histograms of blocks on the GPU.
#include "collectives/bins_cases.hpp"
#include "cuda/runner.cuh"

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cuda, collectives_bins, cuda_runner, );
}
