// What holds for every input, in OpenGL and Vulkan.
#include "shader/backend.hpp"

#include "../property_test.cpp"
