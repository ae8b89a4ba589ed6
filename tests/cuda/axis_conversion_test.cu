// Scans along an axis with results of another type, on the GPU.
#include "cuda/axis_backend.cuh"

#include "axis_conversion_test.cpp"
