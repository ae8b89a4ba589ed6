// What the library's sources read once for all of them, in sanitized builds (cmake/Library.cmake).
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "upsweep/cpu/kernels.hpp"
#include "upsweep/upsweep.hpp"
