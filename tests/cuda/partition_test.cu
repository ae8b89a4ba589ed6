// Partition on the GPU.
#include "cuda/choosing_backend.cuh"

#include "partition_test.cpp"
