// segmented_reduce_test.cpp between ranks.
#include "mpi/reduce_backend.hpp"

#include "../segmented_reduce_test.cpp"
