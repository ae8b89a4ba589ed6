// All of Upsweep.
#pragma once

#include "upsweep/axis_scan.hpp"
#include "upsweep/bin_range.hpp"
#include "upsweep/bins.hpp"
#include "upsweep/compact.hpp"
#include "upsweep/error.hpp"
#include "upsweep/histogram.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/partition.hpp"
#include "upsweep/predicates.hpp"
#include "upsweep/recurrence.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/segmented_scan.hpp"
#include "upsweep/sort.hpp"
#include "upsweep/types.hpp"
#include "upsweep/version.hpp"
#include "upsweep/views.hpp"
