// How long the stages of a frame took on the GPU, and how many particles it drew: asked for in one frame,
// read in a later one when the answer is there. Nothing waits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "gl_objects.hpp"

namespace particles {

enum class stage_of_frame { motion, scan, compaction, picture };
inline constexpr std::size_t stages_of_frame = 4;
inline constexpr std::array<std::string_view, stages_of_frame> stage_names = {"motion", "scan", "compaction",
                                                                              "picture"};

struct frame_report {
    std::uint64_t frame = 0;
    std::array<double, stages_of_frame> milliseconds{};  // on the GPU
    std::uint32_t alive = 0;

    [[nodiscard]] double total() const {
        double sum = 0;
        for (const double each : milliseconds) sum += each;
        return sum;
    }
};

class stopwatch {
  public:
    stopwatch() = default;
    stopwatch(const stopwatch&) = delete;
    stopwatch& operator=(const stopwatch&) = delete;
    ~stopwatch();

    // Frames are numbered from 0.
    void begin_frame();
    // Everything issued since the last mark of this frame, or its beginning, counts for that stage.
    void mark(stage_of_frame done);
    // `count` is a word of `counts`, at that offset in bytes.
    void end_frame(GLuint counts, GLintptr offset);

    // The report of the oldest frame not yet reported, if the GPU has finished it; with `wait`, once it has.
    std::optional<frame_report> next_report(bool wait = false);

  private:
    struct record {
        std::uint64_t frame = 0;
        std::array<query, stages_of_frame + 1> times;  // [k + 1]: the end of stage k
        std::array<bool, stages_of_frame> marked{};
        buffer count;
        GLsync fence = nullptr;
    };

    std::uint64_t frames_ = 0;
    record current_;
    std::deque<record> pending_;
    std::vector<record> spare_;
};

}  // namespace particles
