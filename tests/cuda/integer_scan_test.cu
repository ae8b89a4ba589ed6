// Scans of the integer types on the GPU.
#include "cuda/backend.cuh"

#include "integer_scan_test.cpp"
