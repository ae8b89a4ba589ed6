// Selections from rows on the GPU.
#include "cuda/top_k_backend.cuh"

#include "top_k_rows_test.cpp"
