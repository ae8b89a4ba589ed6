// All of the OpenGL back end.
#pragma once

#include "upsweep/gl/axis_reduce.hpp"
#include "upsweep/gl/axis_scan.hpp"
#include "upsweep/gl/bins.hpp"
#include "upsweep/gl/buffers.hpp"
#include "upsweep/gl/compact.hpp"
#include "upsweep/gl/executor.hpp"
#include "upsweep/gl/histogram.hpp"
#include "upsweep/gl/offscreen_context.hpp"
#include "upsweep/gl/reduce.hpp"
#include "upsweep/gl/repeat.hpp"
#include "upsweep/gl/scan.hpp"
#include "upsweep/gl/segmented_reduce.hpp"
#include "upsweep/gl/segmented_scan.hpp"
#include "upsweep/gl/sort.hpp"
#include "upsweep/gl/unique.hpp"
#include "upsweep/gl/user.hpp"
