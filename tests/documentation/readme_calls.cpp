// The calls that README.md shows, with arrays for the names in them. readme_calls.inc is that block of the
// page.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "upsweep/upsweep.hpp"

namespace upsweep::test {

void readme_calls(cpu::executor& executor, std::size_t rows, const std::vector<float>& in,
                  const std::vector<float>& floats, const std::vector<float>& a, const std::vector<float>& b,
                  const std::vector<float>& values, std::vector<int>& keys, std::vector<float>& out,
                  const std::vector<float>& weights, std::vector<float>& totals, std::vector<double>& doubles,
                  std::vector<int>& keys_out, std::vector<float>& values_out,
                  std::vector<std::uint32_t>& lengths, std::vector<std::uint32_t>& owners,
                  std::vector<std::uint64_t>& counts, std::vector<std::uint64_t>& offsets) {
#include "readme_calls.inc"
}

}  // namespace upsweep::test
