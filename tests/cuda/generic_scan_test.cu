// Scans under operators of the user's own on the GPU.
#include "cuda/backend.cuh"

#include "generic_scan_test.cpp"
