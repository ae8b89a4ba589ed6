// Repeated elements on the GPU.
#include "cuda/repeat_backend.cuh"

#include "repeat_test.cpp"
