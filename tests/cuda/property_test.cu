// Properties of scans for random inputs on the GPU.
#include "cuda/backend.cuh"

#include "property_test.cpp"
