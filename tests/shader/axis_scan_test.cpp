// Scans along an axis in OpenGL and Vulkan.
#include "shader/axis_backend.hpp"

#include "../axis_scan_test.cpp"
