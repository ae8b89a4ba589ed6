// Scans of integers in OpenGL and Vulkan.
#include "shader/backend.hpp"

#include "../integer_scan_test.cpp"
