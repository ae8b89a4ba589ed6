// What stands for the window in a build without GLFW.
#include <stdexcept>

#include "show.hpp"

namespace particles {

int run_in_window(const settings& /*chosen*/) {
    throw std::runtime_error("this build opens no window; --headless draws off screen");
}

}  // namespace particles
