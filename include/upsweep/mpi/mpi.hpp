// Everything that upsweep::mpi has.
#pragma once

#include "upsweep/mpi/bin_totals.hpp"
#include "upsweep/mpi/bins.hpp"
#include "upsweep/mpi/compact.hpp"
#include "upsweep/mpi/executor.hpp"
#include "upsweep/mpi/histogram.hpp"
#include "upsweep/mpi/partition.hpp"
#include "upsweep/mpi/recurrence.hpp"
#include "upsweep/mpi/reduce.hpp"
#include "upsweep/mpi/scan.hpp"
#include "upsweep/mpi/segmented_reduce.hpp"
#include "upsweep/mpi/segmented_scan.hpp"
#include "upsweep/mpi/sort.hpp"
#include "upsweep/mpi/top_k.hpp"
#include "upsweep/mpi/unique.hpp"
