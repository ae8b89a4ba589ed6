// Totals of segments in OpenGL and Vulkan.
#include "shader/reduce_backend.hpp"

#include "../segmented_reduce_test.cpp"
