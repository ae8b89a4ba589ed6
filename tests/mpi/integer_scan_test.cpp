// integer_scan_test.cpp between ranks.
#include "mpi/backend.hpp"

#include "../integer_scan_test.cpp"
