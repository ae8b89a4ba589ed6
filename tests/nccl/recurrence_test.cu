// tests/recurrence_test.cpp on ranks of NCCL.
#include "nccl/backend.cuh"

#include "recurrence_test.cpp"
