// Runs of equal neighbours on the GPU.
#include "cuda/reduce_backend.cuh"

#include "unique_test.cpp"
