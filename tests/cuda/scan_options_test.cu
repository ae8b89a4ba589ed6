// Initial values, totals, and mixed types on the GPU.
#include "cuda/backend.cuh"

#include "scan_options_test.cpp"
