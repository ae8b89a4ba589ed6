// Sorting segment by segment on the GPU.
#include "cuda/segmented_sort_backend.cuh"

#include "segmented_sort_test.cpp"
