// transform_scan_test.cpp between ranks.
#include "mpi/backend.hpp"

#include "../transform_scan_test.cpp"
