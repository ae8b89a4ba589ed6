// Scans along an axis of words, on the GPU.
#include "cuda/axis_backend.cuh"

#include "axis_words_test.cpp"
