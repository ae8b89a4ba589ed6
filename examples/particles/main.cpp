// upsweep-particles: see settings.cpp for what it takes, docs/particles.md for what it does.
#include <cstdio>
#include <exception>

#include "show.hpp"

int main(int count, char** words) {
    try {
        int exit_code = 0;
        const auto chosen = particles::parse_arguments(count, words, exit_code);
        if (!chosen) return exit_code;
        return chosen->headless ? particles::run_headless(*chosen) : particles::run_in_window(*chosen);
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "upsweep-particles: %s\n", problem.what());
        return 1;
    }
}
