// Totals by bin on the GPU.
#include "cuda/bin_totals_backend.cuh"

#include "bin_totals_test.cpp"
