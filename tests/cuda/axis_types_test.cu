// Scans along an axis of more types and operators, on the GPU.
#include "cuda/axis_backend.cuh"

#include "axis_types_test.cpp"
