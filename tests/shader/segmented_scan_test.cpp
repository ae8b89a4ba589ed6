// Segmented scans in OpenGL and Vulkan.
#include "shader/segments_backend.hpp"

#include "../segmented_scan_test.cpp"
