// What the emulator found wrong with a kernel, and the words for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "upsweep/emulator/trace.hpp"

namespace upsweep::emulator {

enum class finding_kind : std::uint8_t {
    race,               // two threads, one of them writing, and nothing orders their accesses
    divergent_barrier,  // threads that should meet do different things: wait elsewhere, or have finished
    out_of_bounds,      // an access past a view, a view past the shared memory, a shuffle from an absent lane
    uninitialized_read,  // of shared memory that nobody has written in this block
    no_progress,         // threads wait for values that no running thread will store
};

// One side of a finding.
struct actor {
    unsigned thread = 0;
    operation what = operation::none;
    source_line where;
};

struct finding {
    finding_kind kind = finding_kind::race;
    unsigned block = 0;
    unsigned phase = 0;      // barriers of the block before it
    actor first;             // the earlier in order of execution
    actor second;            // race and divergent_barrier only, else operation::none
    std::size_t offset = 0;  // bytes of shared memory: race, out_of_bounds, uninitialized_read
    std::size_t bytes = 0;
    std::uint64_t count = 1;  // times it happened between these lines of source, over the whole launch
};

// One line in English, with both lines of source.
[[nodiscard]] std::string to_string(const finding& f);

struct report {
    // One for each kind and pair of source lines, in order of appearance.
    std::vector<finding> findings;
    trace events;  // empty unless asked for

    [[nodiscard]] bool clean() const { return findings.empty(); }
    // A line for each finding; empty if there are none.
    [[nodiscard]] std::string text() const;
};

}  // namespace upsweep::emulator
