// Counting bank conflicts in a trace.
#include "upsweep/emulator/bank_conflicts.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace upsweep::emulator {
namespace {

constexpr std::size_t word_bytes = 4;
constexpr std::size_t bank_count = 32;
constexpr std::size_t request_bytes = word_bytes * bank_count;

// The widest piece, up to 16 bytes, of which a value of `bytes` bytes is a whole number.
std::size_t piece_bytes(std::size_t bytes) {
    std::size_t piece = 16;
    while (bytes % piece != 0) piece /= 2;
    return piece;
}

// Distinct words in the bank that has most of them, for pieces at the given offsets.
unsigned degree(const std::vector<std::size_t>& offsets, std::size_t piece) {
    std::array<std::vector<std::size_t>, bank_count> words;
    for (const std::size_t offset : offsets) {
        for (std::size_t w = offset / word_bytes; w <= (offset + piece - 1) / word_bytes; ++w) {
            auto& bank = words[w % bank_count];
            if (std::find(bank.begin(), bank.end(), w) == bank.end()) bank.push_back(w);
        }
    }
    std::size_t most = 0;
    for (const auto& bank : words) most = std::max(most, bank.size());
    return static_cast<unsigned>(most);
}

// One instruction of a warp: where its lanes access, in order of lanes.
struct instruction {
    std::size_t bytes = 0;
    std::map<unsigned, std::size_t> offset_of_thread;
};

void count(const instruction& i, bank_usage& usage) {
    const std::size_t piece = piece_bytes(i.bytes);
    const std::size_t lanes = std::min(request_bytes / piece, bank_count);
    for (std::size_t within = 0; within < i.bytes; within += piece) {
        std::map<unsigned, std::vector<std::size_t>> requests;
        for (const auto& [thread, offset] : i.offset_of_thread) {
            requests[thread / static_cast<unsigned>(lanes)].push_back(offset + within);
        }
        for (const auto& [part, offsets] : requests) {
            const unsigned passes = degree(offsets, piece);
            ++usage.requests;
            usage.passes += passes;
            usage.worst_degree = std::max(usage.worst_degree, passes);
        }
    }
}

}  // namespace

bank_usage bank_conflicts(const trace& t) {
    // A thread's accesses at one line in one phase are numbered; equal numbers of a warp belong together.
    using line_key = std::tuple<unsigned, unsigned, std::string, unsigned, operation>;
    std::map<std::pair<line_key, unsigned>, unsigned> seen_by_thread;
    std::map<std::tuple<line_key, unsigned, unsigned>, instruction> instructions;

    for (const event& e : t.events) {
        if (e.what != operation::read && e.what != operation::write) continue;
        const line_key line{e.block, e.phase, e.where.file, e.where.line, e.what};
        const unsigned number = seen_by_thread[{line, e.thread}]++;
        instruction& i = instructions[{line, e.thread / t.warp_width, number}];
        i.bytes = e.bytes;
        i.offset_of_thread[e.thread] = e.offset;
    }
    bank_usage usage;
    for (const auto& [key, i] : instructions) count(i, usage);
    return usage;
}

}  // namespace upsweep::emulator
