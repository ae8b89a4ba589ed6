// Linear recurrences with one coefficient on the GPU.
#include "cuda/axis_backend.cuh"

#include "one_coefficient_test.cpp"
