// Races, by comparing each access with those of the same bytes since the last barrier.
//
// Lists, rather than the last access alone, because warp.sync() orders some of them and not others. A read
// looks through the writes only, so that a value which all threads read costs each of them one step.
#include "emulator/shared_memory.hpp"

#include <algorithm>
#include <cstdint>

#include "upsweep/core/group.hpp"

namespace upsweep::emulator {

shared_memory::shared_memory(std::size_t bytes)
    : size_(bytes),
      storage_(bytes + shared_alignment),
      memory_(storage_.data()),
      written_(bytes),
      units_((bytes + unit_bytes - 1) / unit_bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_);
    memory_ += (shared_alignment - address % shared_alignment) % shared_alignment;
    reset();
}

void shared_memory::reset() {
    std::fill(storage_.begin(), storage_.end(), std::byte{0xa5});
    std::fill(written_.begin(), written_.end(), false);
    pass_barrier();
}

void shared_memory::pass_barrier() {
    ++phase_;
    accesses_.clear();
    nodes_.clear();
}

bool shared_memory::unwritten(const shared_cell& cell) const {
    const auto first = written_.begin() + static_cast<std::ptrdiff_t>(cell.offset);
    return std::find(first, first + static_cast<std::ptrdiff_t>(cell.bytes), false) !=
           first + static_cast<std::ptrdiff_t>(cell.bytes);
}

const shared_access* shared_memory::find_unordered(std::uint32_t list, const shared_access& access,
                                                   unsigned bytes) const {
    for (std::uint32_t k = list; k != none; k = nodes_[k].next) {
        const shared_access& other = accesses_[nodes_[k].access];
        if ((nodes_[k].bytes & bytes) == 0 || other.who.thread == access.who.thread) continue;
        if (other.warp == access.warp && other.warp_phase != access.warp_phase) continue;
        if (other.who.what == operation::fetch_add && access.who.what == operation::fetch_add) continue;
        return &other;
    }
    return nullptr;
}

std::optional<actor> shared_memory::note(const shared_cell& cell, const shared_access& access) {
    const bool reads = access.who.what == operation::read;
    const auto index = static_cast<std::uint32_t>(accesses_.size());
    accesses_.push_back(access);

    const shared_access* unordered = nullptr;
    const std::size_t end = cell.offset + cell.bytes;
    for (std::size_t at = cell.offset; at < end;) {
        const std::size_t unit_begin = at / unit_bytes * unit_bytes;
        const std::size_t next = std::min(end, unit_begin + unit_bytes);
        const unsigned bytes = ((1u << (next - at)) - 1) << (at - unit_begin);

        unit& here = units_[at / unit_bytes];
        if (here.phase != phase_) here = {phase_, none, none};
        if (unordered == nullptr) unordered = find_unordered(here.writes, access, bytes);
        if (unordered == nullptr && !reads) unordered = find_unordered(here.reads, access, bytes);

        std::uint32_t& list = reads ? here.reads : here.writes;
        nodes_.push_back({index, list, static_cast<std::uint8_t>(bytes)});
        list = static_cast<std::uint32_t>(nodes_.size() - 1);
        at = next;
    }
    if (!reads) {
        std::fill_n(written_.begin() + static_cast<std::ptrdiff_t>(cell.offset), cell.bytes, true);
    }
    if (unordered == nullptr) return std::nullopt;
    return unordered->who;
}

}  // namespace upsweep::emulator
