// The particle system on the CPU, one particle after the other: what fountain.hpp must agree with, bit for
// bit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "fountain.hpp"
#include "physics.hpp"

namespace particles {

class reference_fountain {
  public:
    reference_fountain(std::uint32_t capacity, std::uint32_t seed) : capacity_(capacity), seed_(seed) {}

    void advance(const emission& from) {
        const auto ends = births(capacity_, step_, from);
        const auto room = static_cast<std::uint32_t>(capacity_ - living_.size());
        turned_away_ += ends.back() - std::min(ends.back(), room);
        for (std::uint32_t i = 0; i < std::min(ends.back(), room); ++i) {
            const auto emitter = std::upper_bound(ends.begin(), ends.end(), i) - ends.begin();
            living_.push_back(physics::emit(seed_, step_, i, static_cast<std::uint32_t>(emitter)));
        }
        for (physics::particle& each : living_) each = physics::advance(each, step_);
        std::erase_if(living_, [](const physics::particle& each) { return !physics::is_alive(each); });
        ++step_;
    }

    [[nodiscard]] const std::vector<physics::particle>& living() const { return living_; }
    [[nodiscard]] std::uint32_t step() const { return step_; }
    // Births for which there was no room, so far.
    [[nodiscard]] std::uint64_t turned_away() const { return turned_away_; }

  private:
    std::uint32_t capacity_, seed_, step_ = 0;
    std::uint64_t turned_away_ = 0;
    std::vector<physics::particle> living_;
};

}  // namespace particles
