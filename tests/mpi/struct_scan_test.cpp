// struct_scan_test.cpp between ranks.
#include "mpi/backend.hpp"

#include "../struct_scan_test.cpp"
