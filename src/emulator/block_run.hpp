// One block in the emulator: its threads, who waits for what, and the rules of barriers and exchanges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <vector>

#include "emulator/fiber.hpp"
#include "emulator/shared_memory.hpp"
#include "upsweep/emulator/machine.hpp"

namespace upsweep::emulator {

class block_run {
  public:
    using entry = void (*)(const void* kernel, thread_context& thread);

    block_run(const launch_config& config, unsigned block, fiber_pool& fibers, shared_memory& memory,
              report& result);

    // Until every thread has returned. False if the launch should end; throws what the kernel threw.
    bool run(const void* kernel, entry call);

    // For thread_context; `thread` is the one that runs.
    [[nodiscard]] const launch_config& config() const { return config_; }
    [[nodiscard]] unsigned block() const { return block_; }
    void sync_block(unsigned thread, source_line where);
    void sync_warp(unsigned thread, source_line where);
    void shuffle(unsigned thread, const void* sent, void* received, std::size_t bytes, value_type type,
                 unsigned source, source_line where);
    [[nodiscard]] std::uint64_t ballot(unsigned thread, bool predicate, source_line where);
    void access(unsigned thread, operation what, const shared_cell& cell, const void* value,
                source_line where);
    void meet_global(unsigned thread, bool loads, source_line where);
    [[noreturn]] void out_of_bounds(unsigned thread, operation what, std::size_t offset, std::size_t bytes,
                                    source_line where);
    [[nodiscard]] shared_memory& memory() { return memory_; }

  private:
    // Where threads meet. A meeting ends when all have arrived; `generation` counts those that have ended.
    struct meeting {
        unsigned expected = 0;
        unsigned arrived = 0;
        std::uint64_t generation = 0;
        actor first;                // who arrived first
        bool loaded_since = false;  // an atomic load of a member since the last meeting
    };
    struct warp_state {
        meeting lanes;
        unsigned phase = 0;  // calls of sync()
        // What lanes give each other. A lane that is ahead fills the other half, for the next meeting; it can
        // be no further ahead.
        std::size_t bytes = 0;
        std::vector<std::byte> sent[2];
        std::uint64_t ballots[2] = {};
    };
    struct thread_state {
        fiber* body = nullptr;  // until the thread has returned
        const meeting* waits_for = nullptr;
        std::uint64_t generation = 0;  // of that meeting when the thread arrived
        actor at;                      // its last operation that may wait
        unsigned step = 0;
    };

    warp_state& warp_of(unsigned thread) { return warps_[thread / config_.warp_width]; }
    [[nodiscard]] unsigned lane_of(unsigned thread) const { return thread % config_.warp_width; }
    [[nodiscard]] static bool can_run(const thread_state& thread) {
        return thread.waits_for == nullptr || thread.waits_for->generation != thread.generation;
    }

    void start_threads(const void* kernel, entry call);
    bool run_round();
    void arrive(meeting& all, unsigned thread, operation what, source_line where);
    void suspend(unsigned thread);
    void explain_deadlock();
    void explain_standstill();
    void add(finding_kind kind, const actor& first, const actor& second, std::size_t offset = 0,
             std::size_t bytes = 0);
    // Adds a finding after which the block cannot go on, and leaves the calling thread.
    [[noreturn]] void give_up(finding_kind kind, const actor& first, const actor& second,
                              std::size_t offset = 0, std::size_t bytes = 0);
    void record(unsigned thread, operation what, source_line where, std::size_t offset = 0,
                const void* value = nullptr, std::size_t bytes = 0, value_type type = value_type::none,
                const void* sent = nullptr);

    const launch_config& config_;
    unsigned block_;
    fiber_pool& fibers_;
    shared_memory& memory_;
    report& report_;

    std::vector<thread_state> threads_;
    std::vector<warp_state> warps_;
    meeting block_meeting_;
    std::vector<unsigned> order_;
    std::uint64_t random_;
    unsigned phase_ = 0;
    unsigned unfinished_ = 0;
    unsigned idle_rounds_ = 0;
    bool progress_ = false;
    bool abandoned_ = false;
    std::exception_ptr error_;
};

}  // namespace upsweep::emulator
