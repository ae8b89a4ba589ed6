// tests/integer_scan_test.cpp on ranks of NCCL.
#include "nccl/backend.cuh"

#include "integer_scan_test.cpp"
