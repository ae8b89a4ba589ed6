// The code of docs/mpi.md, with arrays for the names in it: what the guide shows is what compilers take.
// blocks.inc includes its blocks, which tools/code_blocks.py takes out of the page.
#include <cstdint>
#include <functional>
#include <vector>

#include "back_end.hpp"
#include "upsweep/predicates.hpp"

namespace mpi_guide {

// What the guide's names stand for.
upsweep::cpu::executor processors;
upsweep::mpi::executor executor(MPI_COMM_WORLD, processors);
const std::multiplies<double> my_operator;
const double x0 = 0;
const std::vector<double> in, a, b, weights;
const std::vector<std::uint8_t> flags;
const std::vector<float> values;
const std::vector<int> keys;
std::vector<double> out, totals;
std::vector<float> values_out;
std::vector<int> keys_out;
std::vector<std::uint32_t> lengths;
std::vector<std::uint64_t> counts, offsets, indices;

#include "blocks.inc"

}  // namespace mpi_guide
