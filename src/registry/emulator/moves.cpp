// Each thread's events are followed by themselves; nothing here knows what the algorithms do.
#include "registry/emulator/moves.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

#include "upsweep/error.hpp"

namespace upsweep::registry {
namespace {

using emulator::event;
using deed = emulator::operation;

class thread_follower {
  public:
    thread_follower(const trace_request& request, const launched& from, const term_table& table,
                    unsigned thread, std::vector<trace_move>& moves)
        : request_(request), from_(from), table_(table), thread_(thread), moves_(moves) {
        got({identity_array, 0}, from.neutral, {});
        if (from.initial) got({initial_array, 0}, *from.initial, {});
        got({element_array, thread}, from.elements[thread], {});
        held_[element_array] = from.elements[thread];
    }

    void follow(const event& e) {
        if (e.phase != now_.barriers) {
            now_ = {};
            now_.barriers = e.phase;
            wrote_ = false;
        }
        switch (e.what) {
            case deed::read:
                if (std::exchange(wrote_, false)) ++now_.round;
                got(cell_at(e.offset), term_at(from_.trace, e.value), now_);
                break;
            case deed::write:
                write(cell_at(e.offset), term_at(from_.trace, e.value));
                break;
            case deed::shuffle:
                send(term_at(from_.trace, e.sent));
                ++now_.shuffles;
                receive(static_cast<unsigned>(e.offset), term_at(from_.trace, e.value));
                break;
            default:
                break;
        }
    }

    // `made`: the terms that the thread combined, in order, also those that it did nothing with.
    void finish(const std::vector<term_id>& made) {
        for (const term_id term : made) trace_back(term);
        trace_place end;
        end.at_end = true;
        put({result_array, thread_}, from_.results[thread_], end);
    }

  private:
    struct holding {
        trace_place since;              // the latest
        std::vector<trace_cell> cells;  // the earliest first
    };

    // The registers that lanes scan in there.
    [[nodiscard]] unsigned registers(const trace_place& place) const {
        return request_.algorithm == trace_algorithm::block_scan && place.barriers == 1 ? total_array
                                                                                        : element_array;
    }

    [[nodiscard]] trace_cell cell_at(std::size_t offset) const {
        return shared_cell_at(request_, static_cast<unsigned>(from_.elements.size()), offset);
    }

    void got(trace_cell where, term_id term, trace_place place) {
        holding& known = known_[term];
        known.since = std::max(known.since, place);
        known.cells.push_back(where);
    }

    [[nodiscard]] trace_operand operand(term_id term) const {
        const std::vector<trace_cell>& known = known_.at(term).cells;
        return {term, {known.rbegin(), known.rend()}};
    }
    [[nodiscard]] bool in_register(term_id term) const {
        const unsigned array = known_.at(term).cells.back().array;
        return array == element_array || array == total_array;
    }

    // Makes the term known, unless the operator made it of what is not in registers alone.
    void trace_back(term_id term) {
        if (known_.contains(term)) return;
        const term_node& node = table_[term];
        if (!node.operands || node.thread != thread_)
            throw_error(errc::device, "trace: a thread has a value that it got from nowhere");
        const auto [left, right] = *node.operands;
        trace_back(left);
        trace_back(right);
        if (!known_.contains(left) || !known_.contains(right))
            throw_error(errc::device, "trace: an operand was never stored");
        if (!in_register(left) || !in_register(right)) return;
        trace_place place = std::max(known_.at(left).since, known_.at(right).since);
        place.in_memory = false;
        hold(term, place, {operand(left), operand(right)});
    }

    // The register of the calling thread takes a term.
    void hold(term_id term, trace_place place, std::vector<trace_operand> operands) {
        const trace_cell own{registers(place), thread_};
        moves_.push_back({place, thread_, own, term, std::move(operands)});
        held_[own.array] = term;
        got(own, term, place);
    }

    void write(trace_cell to, term_id term) {
        trace_place place = now_;
        place.in_memory = true;
        place.shuffles = 0;
        // A second write of a cell is another step.
        if (std::exchange(wrote_, true) && last_written_ == to) place.round = ++now_.round;
        last_written_ = to;
        put(to, term, place);
        got(to, term, place);
    }

    void put(trace_cell to, term_id term, trace_place place) {
        trace_back(term);
        std::vector<trace_operand> operands;
        if (known_.contains(term)) {
            operands = {operand(term)};
        } else {
            const auto [left, right] = *table_[term].operands;
            operands = {operand(left), operand(right)};
        }
        moves_.push_back({place, thread_, to, term, std::move(operands)});
    }

    // What a lane sends is what it holds.
    void send(term_id term) {
        trace_back(term);
        if (held_.at(registers(now_)) != term) hold(term, now_, {operand(term)});
    }
    void receive(unsigned source, term_id term) {
        const unsigned first = thread_ / request_.warp_width * request_.warp_width;
        got({registers(now_), first + source}, term, now_);
    }

    const trace_request& request_;
    const launched& from_;
    const term_table& table_;
    unsigned thread_;
    std::vector<trace_move>& moves_;
    trace_place now_{};
    bool wrote_ = false;  // since the last read or barrier
    trace_cell last_written_{};
    std::unordered_map<term_id, holding> known_;
    std::array<std::optional<term_id>, scan_array_count> held_{};  // by array of registers
};

}  // namespace

trace_cell shared_cell_at(const trace_request& request, unsigned threads, std::size_t offset) {
    const unsigned index = shared_index(request, threads, offset);
    // The second of two buffers lies behind the first.
    return index < threads ? trace_cell{shared_array_a, index} : trace_cell{shared_array_b, index - threads};
}

std::vector<trace_move> moves_of(const trace_request& request, const launched& from,
                                 const term_table& table) {
    const std::size_t threads = from.elements.size();
    std::vector<std::vector<const event*>> by_thread(threads);
    for (const event& e : from.trace.events) by_thread[e.thread].push_back(&e);
    std::vector<std::vector<term_id>> made(threads);
    for (term_id id = 0; id < table.size(); ++id) {
        if (table[id].operands) made[table[id].thread].push_back(id);
    }
    std::vector<trace_move> moves;
    for (std::size_t t = 0; t < threads; ++t) {
        thread_follower follower(request, from, table, static_cast<unsigned>(t), moves);
        for (const event* e : by_thread[t]) follower.follow(*e);
        follower.finish(made[t]);
    }
    std::stable_sort(moves.begin(), moves.end(),
                     [](const trace_move& a, const trace_move& b) { return a.place < b.place; });
    return moves;
}

}  // namespace upsweep::registry
