// Partition of warps in the emulator.
#include "collectives/emulator_runner.hpp"
#include "collectives/partition_cases.hpp"

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(emulator, collectives_partition, emulator_runner, );
}
