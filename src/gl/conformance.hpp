// The experiment behind executor::conformance().
#pragma once

#include "gl/functions.hpp"
#include "gl/programs.hpp"
#include "upsweep/shader/conformance.hpp"

namespace upsweep::gl {

// Waits for the device. Changes state: the caller saves it.
shader::conformance check_conformance(const functions& gl, program_cache& programs, bool float64);

}  // namespace upsweep::gl
