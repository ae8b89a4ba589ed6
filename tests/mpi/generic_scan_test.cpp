// generic_scan_test.cpp between ranks.
#include "mpi/backend.hpp"

#include "../generic_scan_test.cpp"
