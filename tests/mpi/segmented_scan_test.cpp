// segmented_scan_test.cpp between ranks.
#include "mpi/segments_backend.hpp"

#include "../segmented_scan_test.cpp"
