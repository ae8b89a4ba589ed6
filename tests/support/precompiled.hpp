// What tests read once for all of them, in builds of few units (tests/CMakeLists.txt).
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "support/sweep.hpp"
#include "upsweep/upsweep.hpp"
