// What the command line says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "camera.hpp"
#include "fountain.hpp"

namespace particles {

struct settings {
    std::uint32_t particles = 1'000'000;  // alive at most
    std::uint32_t seed = 1;
    emission flow;
    int width = 1280, height = 720;
    camera from;
    float orbit = 6.0f;  // degrees a second of the simulation
    bool bloom = true, reflection = true, text = true;
    drawing how = drawing::points;
    float exposure = 1.0f;

    bool headless = false;
    std::uint64_t frames = 0;  // in a window: 0 = until it is closed
    std::uint64_t skip = 0;    // steps before the first frame
    std::string png;           // pattern of file names, or empty
    std::string video;         // file name, or empty
    std::string stages;        // file name, or empty
};

// Empty after --help and after an error, which is then on stderr; `exit_code` is the program's then.
std::optional<settings> parse_arguments(int count, const char* const* words, int& exit_code);

}  // namespace particles
