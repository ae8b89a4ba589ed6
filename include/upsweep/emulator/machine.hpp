// The emulated GPU: runs a kernel written over a block (core/group.hpp) on the host, thread by thread on
// fibers, and reports what is wrong with it. docs/emulator.md has the rules.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "upsweep/emulator/block.hpp"
#include "upsweep/emulator/report.hpp"

namespace upsweep::emulator {

// Which thread runs next where several can. The findings are the same for every order; values that depend on
// it show a race or an atomic whose outcome is open.
enum class schedule : std::uint8_t {
    ascending,   // by thread index
    descending,  //
    shuffled,    // another order in each round, from `seed`
};

struct launch_config {
    unsigned threads = 1;          // of a block, in [1, 1024]
    unsigned blocks = 1;           // run one after another, in the order of their index
    unsigned warp_width = 32;      // lanes: a power of two up to 64
    std::size_t shared_bytes = 0;  // of each block
    schedule order = schedule::ascending;
    std::uint64_t seed = 0;
    bool record = false;  // fill report::events; memory grows with every operation
    // Rounds in which all threads that could run did nothing but load atomically, until that is a finding.
    unsigned patience = 1000;
};

// Owns the stacks of the fibers and uses them again from launch to launch. One launch at a time.
class machine {
  public:
    static constexpr std::size_t default_stack_bytes = std::size_t{256} * 1024;  // virtual memory

    // stack_bytes: for each thread. A kernel that needs more ends the process with a segmentation fault, as
    // there is a guard page behind every stack.
    explicit machine(std::size_t stack_bytes = default_stack_bytes);
    ~machine();
    machine(const machine&) = delete;
    machine& operator=(const machine&) = delete;

    // Calls kernel(block) once for each thread of each block. Everything repeats exactly: threads run one at
    // a time and are switched only at barriers, warp operations and atomic accesses to global memory.
    //
    // A race or a read of uninitialized memory is noted and the launch goes on. After any other finding the
    // block's threads are unwound by an exception, which a kernel must let pass, and the launch ends.
    // Throws upsweep::error for a config that names no machine or for want of memory, and whatever the kernel
    // throws.
    // Memory: a stack a thread, four times the shared memory, and about 60 bytes for each word that is
    // accessed between two barriers.
    template <std::invocable<block> Kernel>
    [[nodiscard]] report run(const launch_config& config, const Kernel& kernel) {
        return run_erased(config, &kernel, [](const void* erased, thread_context& thread) {
            (*static_cast<const Kernel*>(erased))(block(thread));
        });
    }

  private:
    struct state;
    using entry = void (*)(const void* kernel, thread_context& thread);

    [[nodiscard]] report run_erased(const launch_config& config, const void* kernel, entry call);

    std::unique_ptr<state> state_;
};

}  // namespace upsweep::emulator
