// Linear recurrences on the GPU.
#include "cuda/backend.cuh"

#include "recurrence_test.cpp"
