// Scans of complex numbers on the GPU.
#include "cuda/backend.cuh"

#include "complex_scan_test.cpp"
