// Scans of affine maps in OpenGL and Vulkan.
#include "shader/backend.hpp"

#include "../struct_scan_test.cpp"
