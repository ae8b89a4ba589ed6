// Stream compaction on the GPU.
#include "cuda/choosing_backend.cuh"

#include "compact_test.cpp"
