// Totals of sequences in OpenGL and Vulkan.
#include "shader/totals_backend.hpp"

#include "../reduce_test.cpp"
