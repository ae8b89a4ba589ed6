// A launch: its blocks one after another.
#include "upsweep/emulator/machine.hpp"

#include <bit>
#include <string>

#include "emulator/block_run.hpp"
#include "emulator/fiber.hpp"
#include "upsweep/error.hpp"

namespace upsweep::emulator {

struct machine::state {
    explicit state(std::size_t stack_bytes) : fibers(stack_bytes) {}

    fiber_pool fibers;
};

machine::machine(std::size_t stack_bytes) : state_(std::make_unique<state>(stack_bytes)) {}
machine::~machine() = default;

report machine::run_erased(const launch_config& config, const void* kernel, entry call) {
    if (config.threads < 1 || config.threads > 1024) {
        throw_error(errc::invalid_argument, "emulator: `threads` is " + std::to_string(config.threads) +
                                                ", expected 1 to 1024 threads in a block");
    }
    if (!std::has_single_bit(config.warp_width) || config.warp_width > 64) {
        throw_error(errc::invalid_argument, "emulator: `warp_width` is " + std::to_string(config.warp_width) +
                                                ", expected a power of two up to 64 lanes");
    }
    report result;
    result.events.blocks = config.blocks;
    result.events.threads = config.threads;
    result.events.warp_width = config.warp_width;
    result.events.shared_bytes = config.shared_bytes;

    shared_memory memory(config.shared_bytes);
    for (unsigned b = 0; b < config.blocks; ++b) {
        memory.reset();
        block_run block(config, b, state_->fibers, memory, result);
        if (!block.run(kernel, call)) break;
    }
    return result;
}

}  // namespace upsweep::emulator
