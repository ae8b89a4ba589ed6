// Scans of f(x) on the GPU.
#include "cuda/backend.cuh"

#include "transform_scan_test.cpp"
