// What the threads of a launched scan made of which terms, read off its events.
//
// A term that a thread writes, sends or returns was either got from somewhere (read, received, its element)
// or made by the operator from two others. In the first case it is a copy, in the second the operands are
// looked for in the same way. Combinations of what lanes hold belong to their registers, x, or p while the
// totals of warps are scanned; others to where they are written.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "registry/emulator/launch.hpp"

namespace upsweep::registry {

// The arrays of a scan's report.
enum scan_array : unsigned {
    element_array,   // x: the elements, and what lanes hold of them
    result_array,    // r
    identity_array,  // constants
    initial_array,
    shared_array_a,  // s, or the first of two buffers
    shared_array_b,  // the second buffer
    total_array,     // p
    scan_array_count,
};

// Where in a launch something happens: between two barriers, first in registers, behind so many shuffles of
// the thread's warp, then in shared memory, in rounds of reading and then writing. What has equal places
// belongs to one step.
struct trace_place {
    bool at_end = false;  // results
    unsigned barriers = 0;
    bool in_memory = false;
    unsigned shuffles = 0;  // since the barrier; of registers alone
    unsigned round = 0;     // a thread that reads what it may have written begins another
    friend bool operator==(const trace_place&, const trace_place&) = default;
    friend bool operator<(const trace_place& a, const trace_place& b) {
        return std::tie(a.at_end, a.barriers, a.in_memory, a.shuffles, a.round) <
               std::tie(b.at_end, b.barriers, b.in_memory, b.shuffles, b.round);
    }
};

// An operand: a term, and where the thread got it, the latest place first.
struct trace_operand {
    term_id term = 0;
    std::vector<trace_cell> cells;
};

struct trace_move {
    trace_place place;
    unsigned thread = 0;
    trace_cell to;
    term_id term = 0;
    std::vector<trace_operand> operands;  // one: a copy; two: left and right
};

// Whether the elements are put into shared memory first, not scanned in registers.
[[nodiscard]] constexpr bool scans_in_memory(trace_algorithm algorithm) {
    return algorithm == trace_algorithm::hillis_steele ||
           algorithm == trace_algorithm::hillis_steele_double || algorithm == trace_algorithm::blelloch;
}

// The cell of shared memory that begins at byte `offset`.
[[nodiscard]] trace_cell shared_cell_at(const trace_request& request, unsigned threads, std::size_t offset);

// In the order of places, then of threads.
[[nodiscard]] std::vector<trace_move> moves_of(const trace_request& request, const launched& from,
                                               const term_table& table);

}  // namespace upsweep::registry
