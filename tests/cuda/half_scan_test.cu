// Scans of the 16-bit floating-point types on the GPU.
#include "cuda/backend.cuh"

#include "half_scan_test.cpp"
