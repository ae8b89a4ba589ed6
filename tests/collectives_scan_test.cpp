// Scans and reductions of warps and blocks in the emulator.
#include "collectives/emulator_runner.hpp"
#include "collectives/scan_cases.hpp"

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(emulator, collectives_scan, emulator_runner, );
}
