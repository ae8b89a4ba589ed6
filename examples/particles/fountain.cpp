// The commands of a step.
#include "fountain.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "particle_shaders.hpp"
#include "upsweep/gl/scan.hpp"

namespace particles {
namespace {

using physics::emitter_count;

// Of the particles alive, in hundredths, and how long one lives on average, in steps (as simulated with this
// text).
constexpr std::array<std::uint64_t, emitter_count> shares = {16, 36, 18, 25};
constexpr std::array<std::uint64_t, emitter_count> mean_lives = {85, 110, 84, 382};

// Work groups in rows of at most 32768, which every device takes.
void dispatch_items(std::uint64_t items) {
    constexpr std::uint64_t widest = 32768;
    const std::uint64_t groups = (items + 255) / 256;
    const std::uint64_t rows = std::max<std::uint64_t>(1, (groups + widest - 1) / widest);
    glDispatchCompute(static_cast<GLuint>(std::max<std::uint64_t>(1, rows > 1 ? widest : groups)),
                      static_cast<GLuint>(rows), 1);
}

void bind_storage(GLuint binding, const buffer& what) {
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, what.name());
}

// Throws where the device cannot bind all particles at once.
std::uint32_t check_capacity(std::uint32_t capacity) {
    GLint64 bytes = 0;
    glGetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &bytes);
    const auto most = static_cast<std::uint64_t>(bytes) / sizeof(physics::particle);
    if (capacity > most)
        throw std::runtime_error("--particles: this driver has storage buffers for " + std::to_string(most) +
                                 " particles at most, not " + std::to_string(capacity));
    return capacity;
}

}  // namespace

std::array<std::uint32_t, emitter_count> births(std::uint32_t capacity, std::uint32_t step,
                                                const emission& from) {
    std::array<std::uint32_t, emitter_count> ends{};
    std::uint32_t sum = 0;
    for (std::uint32_t e = 0; e < emitter_count; ++e) {
        // floor((step + 1) rate) - floor(step rate): no fraction of a particle is lost.
        const std::uint64_t share = capacity * shares.at(e) * from.flow;
        const std::uint64_t unit = 10000 * mean_lives.at(e);
        const std::uint64_t position =
            step % unit * (share % unit) % unit;  // of the running total, past a particle
        const std::uint64_t made = share / unit + (position + share % unit) / unit;
        if ((from.emitters >> e & 1u) != 0) sum += static_cast<std::uint32_t>(made);
        ends.at(e) = sum;
    }
    return ends;
}

fountain::fountain(const upsweep::gl::function_loader& loader, std::uint32_t capacity, std::uint32_t seed)
    : capacity_(check_capacity(capacity)),
      seed_(seed),
      executor_(loader),
      emit_(make_program({{GL_COMPUTE_SHADER, "emit.comp", shaders::emit_comp}})),
      advance_(make_program({{GL_COMPUTE_SHADER, "advance.comp", shaders::advance_comp}})) {
    const GLsizeiptr bytes = GLsizeiptr{capacity} * static_cast<GLsizeiptr>(sizeof(physics::particle));
    from_ = make_buffer(bytes);
    to_ = make_buffer(bytes);
    votes_ = make_buffer(GLsizeiptr{capacity} * 4);
    work_ = make_buffer(4 * sizeof(GLuint));
    arguments_ = make_buffer(sizeof(upsweep::gl::indirect_arguments));
    // None alive: a draw of 0 vertices.
    glBindBuffer(GL_COPY_WRITE_BUFFER, arguments_.name());
    glClearBufferData(GL_COPY_WRITE_BUFFER, GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, nullptr);
    glBindBuffer(GL_COPY_WRITE_BUFFER, 0);
    executor_.reserve(executor_.compact_workspace_bytes(capacity));
}

void fountain::dispatch_births(const emission& from) {
    const std::array<std::uint32_t, emitter_count> ends = births(capacity_, step_, from);
    glUseProgram(emit_.name());
    glUniform1ui(0, seed_);
    glUniform1ui(1, step_);
    glUniform1ui(2, capacity_);
    glUniform1uiv(3, emitter_count, ends.data());
    glUniform1ui(7, upsweep::gl::count_offset / sizeof(GLuint));
    bind_storage(0, from_);
    bind_storage(1, arguments_);
    bind_storage(2, work_);
    dispatch_items(ends.back());
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_COMMAND_BARRIER_BIT);
}

void fountain::dispatch_motion() {
    glUseProgram(advance_.name());
    glUniform1ui(0, step_);
    bind_storage(0, from_);
    bind_storage(1, votes_);
    bind_storage(2, work_);
    glBindBuffer(GL_DISPATCH_INDIRECT_BUFFER, work_.name());
    glDispatchComputeIndirect(0);
    glBindBuffer(GL_DISPATCH_INDIRECT_BUFFER, 0);
}

void fountain::advance(const emission& from, stopwatch* times) {
    dispatch_births(from);
    dispatch_motion();
    if (times != nullptr) {
        times->mark(stage_of_frame::motion);
        // The votes are counted and the counts scanned, then particles move.
        executor_.observe([times](std::string_view stage) {
            times->mark(stage == "compact" ? stage_of_frame::compaction : stage_of_frame::scan);
        });
    }
    using upsweep::gl::buffer_span;
    upsweep::compact(executor_, buffer_span<const std::uint32_t>{votes_.name(), capacity_},
                     buffer_span<const physics::particle>{from_.name(), capacity_},
                     buffer_span<physics::particle>{to_.name(), capacity_},
                     buffer_span<upsweep::gl::indirect_arguments>{arguments_.name(), 1},
                     {.length = {work_.name(), 1, before_count_offset}});
    if (times != nullptr) executor_.observe({});
    std::swap(from_, to_);
    ++step_;
}

buffer fountain::scan_votes(std::uint32_t count) {
    buffer places = make_buffer(GLsizeiptr{4} * count);
    upsweep::exclusive_scan(executor_, upsweep::gl::buffer_span<const std::uint32_t>{votes_.name(), count},
                            upsweep::gl::buffer_span<std::uint32_t>{places.name(), count});
    return places;
}

}  // namespace particles
