// bins_test.cpp between ranks.
#include "mpi/moves_backend.hpp"

#include "../bins_test.cpp"
