// tests/scan_options_test.cpp on ranks of NCCL.
#include "nccl/backend.cuh"

#include "scan_options_test.cpp"
