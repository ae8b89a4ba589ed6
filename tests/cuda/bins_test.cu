// Bin extraction on the GPU.
#include "cuda/bins_backend.cuh"

#include "bins_test.cpp"
