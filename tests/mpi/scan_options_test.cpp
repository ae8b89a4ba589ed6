// scan_options_test.cpp between ranks.
#include "mpi/backend.hpp"

#include "../scan_options_test.cpp"
