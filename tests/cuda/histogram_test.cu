// Histograms on the GPU.
#include "cuda/bins_backend.cuh"

#include "histogram_test.cpp"
