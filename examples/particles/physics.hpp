// shaders/physics.glsl as C++: the fountain for the CPU.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <glm/common.hpp>
#include <glm/ext/vector_int3.hpp>

namespace particles::physics {

using glm::ivec3;
using glm::max;
using std::abs;
using uint = std::uint32_t;

#define FUNCTION inline
#include "shaders/physics.glsl"
#undef FUNCTION

static_assert(sizeof(particle) == 32);

}  // namespace particles::physics
