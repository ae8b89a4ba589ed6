// Sorting on the GPU.
#include "cuda/sort_backend.cuh"

#include "sort_test.cpp"
