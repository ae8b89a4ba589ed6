// What a context offers, asked once.
#pragma once

#include "gl/functions.hpp"
#include "shader/plan.hpp"
#include "upsweep/gl/executor.hpp"

namespace upsweep::gl {

// Throws upsweep::error, unsupported, below OpenGL 4.3 and OpenGL ES 3.1.
device_info describe_device(const functions& gl, const executor_options& options);
shader::limits limits_of(const device_info& device, const executor_options& options);

}  // namespace upsweep::gl
