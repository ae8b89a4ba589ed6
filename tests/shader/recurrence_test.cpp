// Linear recurrences, as scans of affine maps, in OpenGL and Vulkan.
#include "shader/backend.hpp"

#include "../recurrence_test.cpp"
