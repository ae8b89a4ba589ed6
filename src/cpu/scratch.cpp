#include "upsweep/cpu/scratch.hpp"

#include <array>
#include <string>
#include <utility>

#include "upsweep/error.hpp"

namespace upsweep::cpu {
namespace {

constexpr std::size_t page = 4096;
static_assert(scratch_block::size % page == 0);

std::array<scratch_block::pointer, 2>& kept() {
    static thread_local std::array<scratch_block::pointer, 2> blocks;
    return blocks;
}

}  // namespace

void scratch_block::borrow() {
    for (pointer& block : kept()) {
        if (block) {
            memory_ = std::move(block);
            return;
        }
    }
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(page, size)));
    if (!memory_) throw_error(errc::out_of_memory, "scan: no memory for " + std::to_string(size) + " bytes");
}

scratch_block::~scratch_block() {
    if (!memory_) return;
    for (pointer& block : kept()) {
        if (!block) {
            block = std::move(memory_);
            return;
        }
    }
}

}  // namespace upsweep::cpu
