// Worked examples and a scan over several blocks in the emulator.
#include "collectives/emulator_runner.hpp"
#include "collectives/example_cases.hpp"

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(emulator, collectives_examples, emulator_runner, );
}
