// partition_test.cpp between ranks.
#include "mpi/moves_backend.hpp"

#include "../partition_test.cpp"
