// Bank conflicts of a recorded launch: how often the memory would have to be asked for what a warp accesses
// in one instruction.
#pragma once

#include <cstdint>

#include "upsweep/emulator/trace.hpp"

namespace upsweep::emulator {

struct bank_usage {
    std::uint64_t requests = 0;  // of a warp, in pieces of at most 128 bytes
    std::uint64_t passes = 0;    // over the banks that they take; without conflicts as many as requests
    unsigned worst_degree = 0;   // passes of the worst request
};

// Counts over the reads and writes of a trace, for 32 banks of 4-byte words, the rule of NVIDIA's GPUs since
// compute capability 5.0: lanes that use the same word share it, different words of a bank are served one
// after the other. Accesses of 8 and 16 bytes go by half and quarter warps; values that are no whole number
// of such pieces go in smaller ones.
//
// What belongs to one instruction is inferred: the accesses of a warp's lanes in one phase at one line of
// source, each lane's first together, each lane's second together, and so on.
[[nodiscard]] bank_usage bank_conflicts(const trace& t);

}  // namespace upsweep::emulator
