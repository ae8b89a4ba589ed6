// tests/segmented_scan_test.cpp on ranks of NCCL.
#include "nccl/segments_backend.cuh"

#include "segmented_scan_test.cpp"
