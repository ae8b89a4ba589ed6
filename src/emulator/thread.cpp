// The operations of an emulated thread, handed to its block.
#include "upsweep/emulator/thread.hpp"

#include <cstring>

#include "emulator/block_run.hpp"

namespace upsweep::emulator {

unsigned thread_context::block_size() const { return run_->config().threads; }
unsigned thread_context::warp_width() const { return run_->config().warp_width; }
unsigned thread_context::block_index() const { return run_->block(); }
unsigned thread_context::block_count() const { return run_->config().blocks; }

void thread_context::sync_block(source_line where) { run_->sync_block(thread_, where); }
void thread_context::sync_warp(source_line where) { run_->sync_warp(thread_, where); }
void thread_context::shuffle(const void* sent, void* received, std::size_t bytes, value_type type,
                             unsigned source, source_line where) {
    run_->shuffle(thread_, sent, received, bytes, type, source, where);
}
std::uint64_t thread_context::ballot(bool predicate, source_line where) {
    return run_->ballot(thread_, predicate, where);
}

void thread_context::check_view(std::size_t offset, std::size_t bytes, std::size_t alignment,
                                source_line where) {
    const std::size_t size = run_->memory().size();
    if (offset > size || bytes > size - offset || offset % alignment != 0) {
        run_->out_of_bounds(thread_, operation::none, offset, bytes, where);
    }
}
void thread_context::check_index(std::size_t index, std::size_t size, std::size_t offset, std::size_t bytes,
                                 operation what, source_line where) {
    if (index >= size) run_->out_of_bounds(thread_, what, offset, bytes, where);
}

void thread_context::load(const shared_cell& cell, void* to, source_line where) {
    std::memcpy(to, run_->memory().at(cell.offset), cell.bytes);
    run_->access(thread_, operation::read, cell, to, where);
}
void thread_context::store(const shared_cell& cell, const void* from, source_line where) {
    std::memcpy(run_->memory().at(cell.offset), from, cell.bytes);
    run_->access(thread_, operation::write, cell, from, where);
}
std::byte* thread_context::fetch_add(const shared_cell& cell, const void* operand, source_line where) {
    run_->access(thread_, operation::fetch_add, cell, operand, where);
    return run_->memory().at(cell.offset);
}

void thread_context::meet_global(bool loads, source_line where) { run_->meet_global(thread_, loads, where); }

}  // namespace upsweep::emulator
