// A picture of what each stage of a frame did with some of its particles, from the buffers of the last step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "physics.hpp"

namespace particles {

class fountain;

// The last step, read back: the particles after their motion, the votes, what an exclusive scan makes of the
// votes.
struct step_record {
    std::uint32_t step;  // steps made
    std::vector<physics::particle> moved;
    std::vector<std::uint32_t> votes, places;
    std::vector<physics::particle> living;
};

// Waits for the GPU.
step_record read_step(fountain& from);

// As SVG. Throws std::runtime_error where the file cannot be written, std::invalid_argument where fewer than
// 40 particles moved.
void write_stages(const std::string& path, const step_record& what);

}  // namespace particles
