// tests/one_coefficient_test.cpp on ranks of NCCL.
#include "nccl/backend.cuh"

#include "one_coefficient_test.cpp"
