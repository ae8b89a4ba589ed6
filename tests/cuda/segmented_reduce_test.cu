// Totals of segments on the GPU.
#include "cuda/reduce_backend.cuh"

#include "segmented_reduce_test.cpp"
