// The code of docs/emulator.md, with arrays for the names in it: what the guide shows is what compilers take.
// blocks.inc includes its blocks, which tools/code_blocks.py takes out of the page.
#include <cstdio>

#include "back_end.hpp"
#include "upsweep/core/group.hpp"

namespace emulator_guide {

const int* in;
int* out;

#include "blocks.inc"

}  // namespace emulator_guide
