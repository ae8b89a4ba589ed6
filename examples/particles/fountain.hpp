// The particle system on the GPU. A step emits, moves and votes, then gl::executor scans the votes and packs
// the living particles, in order, into the other of two buffers; how many there are never leaves the GPU.
#pragma once

#include <array>
#include <cstdint>

#include "gl_objects.hpp"
#include "physics.hpp"
#include "renderer.hpp"
#include "stopwatch.hpp"
#include "upsweep/gl/compact.hpp"
#include "upsweep/gl/executor.hpp"
#include "upsweep/gl/loader.hpp"

namespace particles {

// What flows out of the nozzles.
struct emission {
    std::uint32_t emitters = (1u << physics::emitter_count) - 1;  // a bit each, those that are on
    std::uint32_t flow = 100;  // percent; with 100 and all emitters on, about 95 % of the capacity live
};

// How many particles each emitter makes in a step, as running totals.
std::array<std::uint32_t, physics::emitter_count> births(std::uint32_t capacity, std::uint32_t step,
                                                         const emission& from);

class fountain {
  public:
    // In the current OpenGL 4.3 context. Throws std::runtime_error where the driver has no buffers that
    // large.
    fountain(const upsweep::gl::function_loader& loader, std::uint32_t capacity, std::uint32_t seed);

    // One step of 1/60 s. Births for which there is no room do not happen.
    void advance(const emission& from, stopwatch* times = nullptr);

    // Steps made.
    [[nodiscard]] std::uint32_t step() const { return step_; }
    // The living particles, in the order of their birth.
    [[nodiscard]] particle_buffers living() const { return {from_.name(), arguments_.name()}; }
    // What the last step made of them: every particle before compaction, with those that ended, and the
    // votes, a word each; the word at before_count_offset of `work` says how many.
    [[nodiscard]] GLuint before_compaction() const { return to_.name(); }
    [[nodiscard]] GLuint votes() const { return votes_.name(); }
    [[nodiscard]] GLuint work() const { return work_.name(); }
    // An exclusive scan of the first `count` votes: where each particle that lives went. For pictures of a
    // step; the frame itself needs no such buffer.
    [[nodiscard]] buffer scan_votes(std::uint32_t count);
    static constexpr GLintptr before_count_offset = 3 * sizeof(GLuint);

    static constexpr GLintptr count_offset = upsweep::gl::count_offset;  // in living().arguments, bytes

  private:
    void dispatch_births(const emission& from);
    void dispatch_motion();

    std::uint32_t capacity_, seed_, step_ = 0;
    upsweep::gl::executor executor_;
    program emit_, advance_;
    buffer from_, to_, votes_, work_, arguments_;
};

}  // namespace particles
