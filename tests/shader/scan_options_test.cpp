// Initial values, totals and empty sequences in OpenGL and Vulkan.
#include "shader/backend.hpp"

#include "../scan_options_test.cpp"
