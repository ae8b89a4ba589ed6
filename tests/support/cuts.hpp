// Where a sequence is cut into parts, for tests of scans that are done in parts.
#pragma once

#include <cstddef>
#include <vector>

namespace upsweep::test {

// Part k of n elements is [cuts[k], cuts[k + 1]). From turn to turn the parts change: even ones, one that has
// everything, cuts anywhere, next to a boundary of the tree, and short or empty parts.
std::vector<std::size_t> cut_among(int parts_wanted, std::size_t n, unsigned turn);

}  // namespace upsweep::test
