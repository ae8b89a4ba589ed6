// tests/generic_scan_test.cpp on ranks of NCCL.
#include "nccl/backend.cuh"

#include "generic_scan_test.cpp"
