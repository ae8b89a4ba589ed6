// Everything that upsweep::nccl has.
#pragma once

#include "upsweep/nccl/compact.cuh"
#include "upsweep/nccl/distribution.hpp"
#include "upsweep/nccl/executor.hpp"
#include "upsweep/nccl/histogram.cuh"
#include "upsweep/nccl/recurrence.cuh"
#include "upsweep/nccl/scan.cuh"
#include "upsweep/nccl/segmented_scan.cuh"
