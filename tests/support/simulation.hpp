// The threads of a scan as virtual threads on this one, whose steps come in any order.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "upsweep/cpu/chain.hpp"
#include "upsweep/cpu/regions.hpp"

namespace upsweep::test {

// What run_chain's threads do, as virtual threads on this one. A thread takes its chunk either in one pass,
// as a thread does that finds itself alone, or in two; `choose(n)` decides which of n possible steps is taken
// next.
template <class Kernel, class Choose>
typename Kernel::state simulate_chain(const Kernel& kernel, std::size_t threads, std::size_t chunks,
                                      typename Kernel::state initial, const Choose& choose) {
    struct worker {
        typename Kernel::summary made;
        std::size_t chunk = cpu::no_chunk;
        bool summarised = false, ahead = false;        // the chunk; while another was scanned
        std::optional<typename Kernel::state> before;  // what the second pass, still to come, starts from
    };
    std::deque<worker> workers(threads);
    cpu::turnstile<typename Kernel::state> gate(std::move(initial));
    std::size_t ticket = 0;
    const auto step = [&](worker& w, bool alone) {
        if (w.before) {  // second pass
            const std::size_t next = ticket++;
            w.ahead = w.summarised = cpu::scan_summarised(kernel, w.chunk, *w.before, next, chunks, w.made);
            w.before.reset();
            w.chunk = next;
        } else if (w.chunk == cpu::no_chunk) {
            w.chunk = ticket++;
        } else if (w.chunk + 1 == chunks || alone) {
            kernel.scan(w.chunk, gate.state(), cpu::no_chunk);
            gate.pass(w.chunk);
            w.chunk = ticket++;
            w.ahead = w.summarised = false;
        } else if (!w.summarised) {
            kernel.summarise(w.chunk, w.made);
            w.summarised = true;
        } else {
            w.before = gate.state();
            kernel.advance(gate.state(), w.chunk, w.made);
            gate.pass(w.chunk);
        }
    };
    std::vector<std::pair<worker*, bool>> possible;
    for (;;) {
        possible.clear();
        bool unfinished = false;
        for (worker& w : workers) {
            const bool claimed = w.chunk != cpu::no_chunk;
            if (claimed && w.chunk >= chunks) continue;
            unfinished = true;
            const bool last = w.chunk + 1 == chunks;
            const bool turn = claimed && gate.is_turn(w.chunk);
            if (w.before || !claimed || (!last && !w.summarised))
                possible.emplace_back(&w, false);
            else if (turn)
                possible.emplace_back(&w, false);
            if (turn && !last && (!w.summarised || w.ahead) && !w.before) possible.emplace_back(&w, true);
        }
        if (!unfinished) return gate.state();
        if (possible.empty()) throw std::logic_error("deadlock");
        const auto& [chosen, alone] = possible[choose(possible.size())];
        step(*chosen, alone);
    }
}

// The same for run_regions: its caller and helpers, which may come at any time. Who waits for another thread
// is not asked again before one has done something.
template <class Kernel, class Choose>
typename Kernel::state simulate_regions(const Kernel& kernel, std::size_t helpers, std::size_t regions,
                                        const typename Kernel::state& initial, const Choose& choose) {
    using board_type = cpu::region_board<Kernel>;
    board_type board(kernel, regions, helpers);
    typename board_type::caller caller(board, initial);
    std::vector<typename board_type::helper> others;
    others.reserve(helpers);
    for (std::size_t k = 0; k < helpers; ++k) others.emplace_back(board, k);
    std::vector<cpu::progress> last(helpers + 1, cpu::progress::made);
    std::vector<std::size_t> possible;
    for (;;) {
        possible.clear();
        bool unfinished = false;
        for (std::size_t k = 0; k <= helpers; ++k) {
            if (last[k] == cpu::progress::made) possible.push_back(k);
            if (last[k] != cpu::progress::finished) unfinished = true;
        }
        if (!unfinished) return std::move(caller.last());
        if (possible.empty()) throw std::logic_error("deadlock");
        const std::size_t k = possible[choose(possible.size())];
        last[k] = k == 0 ? caller.step() : others[k - 1].step();
        if (last[k] == cpu::progress::waits) continue;
        for (cpu::progress& other : last) {
            if (other == cpu::progress::waits) other = cpu::progress::made;
        }
    }
}

}  // namespace upsweep::test
