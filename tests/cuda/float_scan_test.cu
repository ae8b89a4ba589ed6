// Scans of float and double on the GPU.
#include "cuda/backend.cuh"

#include "float_scan_test.cpp"
