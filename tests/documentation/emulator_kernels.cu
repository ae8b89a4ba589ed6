// What docs/emulator.md says of CUDA: the kernel that it runs in the emulator, on a GPU's block. The files
// that end in .inc are the page's blocks, which tools/code_blocks.py takes out of it.
#include "upsweep/core/group.hpp"
#include "upsweep/cuda/group.cuh"

namespace upsweep::test {

#include "a-kernel-over-a-block.1.inc"
#include "a-kernel-over-a-block.2.inc"

}  // namespace upsweep::test
