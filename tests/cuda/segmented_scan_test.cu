// Segmented scans on the GPU.
#include "cuda/segments_backend.cuh"

#include "segmented_scan_test.cpp"
