// Events with the values of their terms, and counts.
#include "registry/emulator/launch_facts.hpp"

#include "upsweep/emulator/bank_conflicts.hpp"

namespace upsweep::registry {
namespace {

using emulator::event;
using deed = emulator::operation;

std::string_view name_of(deed what) {
    switch (what) {
        case deed::read:
            return "read";
        case deed::write:
            return "write";
        case deed::shuffle:
            return "shuffle";
        case deed::ballot:
            return "ballot";
        default:
            return "barrier";
    }
}

void count(const event& e, unsigned warp_width, trace_counts& counts) {
    const bool first_lane = e.thread % warp_width == 0;
    switch (e.what) {
        case deed::read:
            ++counts.reads;
            break;
        case deed::write:
            ++counts.writes;
            break;
        case deed::shuffle:
            counts.shuffles += first_lane ? 1 : 0;
            break;
        case deed::ballot:
            counts.ballots += first_lane ? 1 : 0;
            break;
        case deed::block_sync:
            counts.barriers += e.thread == 0 ? 1 : 0;
            break;
        default:
            break;
    }
}

}  // namespace

void tell_launch(const launched& from, const term_table& table,
                 const std::function<trace_cell(std::size_t)>& cell_at, trace_report& report) {
    for (const event& e : from.trace.events) {
        count(e, from.trace.warp_width, report.counts);
        trace_event told;
        told.what = name_of(e.what);
        told.thread = e.thread;
        told.barriers = e.phase;
        if (e.what == deed::read || e.what == deed::write) told.cell = cell_at(e.offset);
        if (e.what == deed::shuffle) told.lane = static_cast<unsigned>(e.offset);
        // Numbers that are no terms are counts and masks.
        if (e.type == emulator::value_type::other)
            told.held = table[term_at(from.trace, e.value)].held;
        else if (e.bytes == sizeof(std::uint32_t))
            told.held = value::of(dtype::uint32, number_at<std::uint32_t>(from.trace, e.value));
        else if (e.bytes != 0)
            told.held = value::of(dtype::uint64, number_at<std::uint64_t>(from.trace, e.value));
        report.events.push_back(told);
    }
    report.counts.combines = table.combines();
    report.counts.depth = table.depth();
    const emulator::bank_usage banks = bank_conflicts(from.trace);
    report.counts.requests = banks.requests;
    report.counts.passes = banks.passes;
    report.counts.worst_degree = banks.worst_degree;
}

}  // namespace upsweep::registry
