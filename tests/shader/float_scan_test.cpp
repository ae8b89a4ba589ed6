// Scans of float and double in OpenGL and Vulkan.
#include "shader/backend.hpp"

#include "../float_scan_test.cpp"
