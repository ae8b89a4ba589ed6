// complex_scan_test.cpp between ranks.
#include "mpi/backend.hpp"

#include "../complex_scan_test.cpp"
