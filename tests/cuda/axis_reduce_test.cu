// Totals along an axis on the GPU.
#include "cuda/totals_backend.cuh"

#include "axis_reduce_test.cpp"
