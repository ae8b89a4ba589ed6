// unique_test.cpp between ranks.
#include "mpi/reduce_backend.hpp"

#include "../unique_test.cpp"
