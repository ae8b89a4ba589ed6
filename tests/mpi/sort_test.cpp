// sort_test.cpp between ranks.
#include "mpi/moves_backend.hpp"

#include "../sort_test.cpp"
