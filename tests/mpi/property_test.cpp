// property_test.cpp between ranks.
#include "mpi/backend.hpp"

#include "../property_test.cpp"
