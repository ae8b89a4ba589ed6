// Linear recurrences along an axis on the GPU.
#include "cuda/axis_backend.cuh"

#include "axis_recurrence_test.cpp"
