// Totals of sequences on the GPU.
#include "cuda/totals_backend.cuh"

#include "reduce_test.cpp"
