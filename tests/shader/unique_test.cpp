// Runs of equal neighbours in OpenGL and Vulkan.
#include "shader/reduce_backend.hpp"

#include "../unique_test.cpp"
