// Partition of warps on the GPU.
#include "collectives/partition_cases.hpp"
#include "cuda/runner.cuh"

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cuda, collectives_partition, cuda_runner, );
}
