// Timestamps in a queue of records. Each has a buffer of its own for the count, so that reading it never
// waits for a later frame.
#include "stopwatch.hpp"

#include <utility>

namespace particles {
namespace {

constexpr GLuint64 long_enough = 60'000'000'000;  // ns that a frame may take before it is given up

GLuint64 time_of(const query& asked) {
    GLuint64 nanoseconds = 0;
    glGetQueryObjectui64v(asked.name(), GL_QUERY_RESULT, &nanoseconds);
    return nanoseconds;
}

}  // namespace

stopwatch::~stopwatch() {
    for (const record& each : pending_) glDeleteSync(each.fence);
}

void stopwatch::begin_frame() {
    if (spare_.empty()) {
        current_ = record();
        for (query& each : current_.times) each = make_query();
        current_.count = make_buffer(sizeof(std::uint32_t), GL_STREAM_READ);
    } else {
        current_ = std::move(spare_.back());
        spare_.pop_back();
    }
    current_.frame = frames_++;
    current_.marked = {};
    glQueryCounter(current_.times[0].name(), GL_TIMESTAMP);
}

void stopwatch::mark(stage_of_frame done) {
    const auto k = static_cast<std::size_t>(done);
    glQueryCounter(current_.times.at(k + 1).name(), GL_TIMESTAMP);
    current_.marked.at(k) = true;
}

void stopwatch::end_frame(GLuint counts, GLintptr offset) {
    glBindBuffer(GL_COPY_READ_BUFFER, counts);
    glBindBuffer(GL_COPY_WRITE_BUFFER, current_.count.name());
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, offset, 0, sizeof(std::uint32_t));
    glBindBuffer(GL_COPY_READ_BUFFER, 0);
    glBindBuffer(GL_COPY_WRITE_BUFFER, 0);
    current_.fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    pending_.push_back(std::move(current_));
}

std::optional<frame_report> stopwatch::next_report(bool wait) {
    if (pending_.empty()) return {};
    record& oldest = pending_.front();
    const GLenum state =
        glClientWaitSync(oldest.fence, wait ? GL_SYNC_FLUSH_COMMANDS_BIT : 0, wait ? long_enough : 0);
    if (state != GL_ALREADY_SIGNALED && state != GL_CONDITION_SATISFIED) return {};
    glDeleteSync(std::exchange(oldest.fence, nullptr));

    frame_report report;
    report.frame = oldest.frame;
    GLuint64 before = time_of(oldest.times[0]);
    for (std::size_t k = 0; k < stages_of_frame; ++k) {
        if (!oldest.marked.at(k)) continue;
        const GLuint64 now = time_of(oldest.times.at(k + 1));
        report.milliseconds.at(k) = static_cast<double>(now - before) * 1e-6;
        before = now;
    }
    glBindBuffer(GL_COPY_READ_BUFFER, oldest.count.name());
    glGetBufferSubData(GL_COPY_READ_BUFFER, 0, sizeof report.alive, &report.alive);
    glBindBuffer(GL_COPY_READ_BUFFER, 0);
    spare_.push_back(std::move(oldest));
    pending_.pop_front();
    return report;
}

}  // namespace particles
