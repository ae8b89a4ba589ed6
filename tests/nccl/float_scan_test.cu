// tests/float_scan_test.cpp on ranks of NCCL.
#include "nccl/backend.cuh"

#include "float_scan_test.cpp"
