// Bins, places and histograms of blocks in the emulator.
#include "collectives/bins_cases.hpp"
#include "collectives/emulator_runner.hpp"

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(emulator, collectives_bins, emulator_runner, );
}
