// bin_totals_test.cpp between ranks.
#include "mpi/bin_totals_backend.hpp"

#include "../bin_totals_test.cpp"
