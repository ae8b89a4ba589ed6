// Scans along an axis with operators of any kind, on the GPU.
#include "cuda/axis_backend.cuh"

#include "axis_generic_test.cpp"
