// half_scan_test.cpp between ranks.
#include "mpi/backend.hpp"

#include "../half_scan_test.cpp"
