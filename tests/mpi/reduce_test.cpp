// reduce_test.cpp between ranks.
#include "mpi/totals_backend.hpp"

#include "../reduce_test.cpp"
