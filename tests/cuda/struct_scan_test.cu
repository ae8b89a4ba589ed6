// Scans of affine maps, indexed values and bool on the GPU.
#include "cuda/backend.cuh"

#include "struct_scan_test.cpp"
