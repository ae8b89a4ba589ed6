// The library's version, in the one place that CMake, the command line and the package files read.
#pragma once

// For conditions of the preprocessor, and to print.
#define UPSWEEP_VERSION_MAJOR 0
#define UPSWEEP_VERSION_MINOR 1
#define UPSWEEP_VERSION_PATCH 0
#define UPSWEEP_VERSION_STRING "0.1.0"
