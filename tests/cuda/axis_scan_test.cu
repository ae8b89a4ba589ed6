// Scans along an axis on the GPU.
#include "cuda/axis_backend.cuh"

#include "axis_scan_test.cpp"
