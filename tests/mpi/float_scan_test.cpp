// float_scan_test.cpp between ranks.
#include "mpi/backend.hpp"

#include "../float_scan_test.cpp"
