// Moves of equal place become a step, which the algorithm has a name for.
#include "registry/emulator/scan_steps.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "registry/emulator/launch.hpp"
#include "registry/emulator/launch_facts.hpp"
#include "registry/emulator/moves.hpp"
#include "upsweep/error.hpp"

namespace upsweep::registry {
namespace {

using enum trace_algorithm;

// 2^exponent, after `before`.
std::string distance(std::string_view before, unsigned exponent) {
    return std::string(before) + "distance " + std::to_string(1u << exponent);
}

// Steps of a sweep over n elements.
unsigned levels(unsigned n) { return static_cast<unsigned>(std::bit_width(n - 1)); }

std::string label_of(const trace_request& request, unsigned threads, const trace_place& at) {
    if (at.at_end) return "result";
    const unsigned b = at.barriers;
    switch (request.algorithm) {
        case hillis_steele:
            return b == 0 ? "elements" : distance("", b / 2 - 1);
        case hillis_steele_double:
            return b == 0 ? "elements" : distance("", b - 1);
        case blelloch: {
            const unsigned up = levels(threads);
            if (b == 0 && at.round == 0) return "elements";
            if (b <= up && at.round == 0) return distance("up-sweep, ", b - 1);
            if (b == up && at.round == 1 && request.initial) return "initial value at the root";
            return distance("down-sweep, ", 2 * up - 1 - (b == up ? up : b));
        }
        case block_scan:
            if (at.in_memory) return b == 0 ? "totals of warps" : "what is before a warp";
            if (b == 0) return distance("in warps, ", at.shuffles - 1);
            return at.shuffles == 0 ? "totals in a warp" : distance("totals, ", at.shuffles - 1);
        case warp_reduce:
            return distance("exchange, ", at.shuffles - 1);
        default:
            return distance("", at.shuffles - 1);
    }
}

class scan_narrator {
  public:
    explicit scan_narrator(const trace_request& request)
        : request_(request),
          table_(request.op),
          from_(launch(request, {}, table_)),
          threads_(static_cast<unsigned>(from_.elements.size())) {
        report_.threads = threads_;
        name_arrays();
        state_[element_array] = {from_.elements.begin(), from_.elements.end()};
        state_[identity_array] = {from_.neutral};
        state_[initial_array] = {from_.initial};
    }

    trace_report run() {
        // Scans in shared memory begin by storing the elements.
        if (!scans_in_memory(request_.algorithm)) add_step("elements", element_array, 0, {});
        const std::vector<trace_move> moves = moves_of(request_, from_, table_);
        for (auto first = moves.begin(); first != moves.end();) {
            const auto last = std::find_if(first, moves.end(),
                                           [&](const trace_move& m) { return m.place != first->place; });
            add_step(std::vector<trace_move>(first, last));
            first = last;
        }
        for (const term_id id : from_.results) report_.result.push_back(table_[id].held);
        tell_launch(
            from_, table_, [this](std::size_t offset) { return shared_cell_at(request_, threads_, offset); },
            report_);
        return std::move(report_);
    }

  private:
    void name_arrays() {
        const bool two = request_.algorithm == hillis_steele_double;
        const char* memory = "shared memory";
        report_.arrays.resize(scan_array_count);
        report_.arrays[element_array] = {
            "x", scans_in_memory(request_.algorithm) ? "the elements" : "what the threads hold", {}};
        report_.arrays[result_array] = {"r", "the results", {}};
        report_.arrays[identity_array] = {"identity", "", {}, true};
        report_.arrays[initial_array] = {"initial", "", {}, true};
        report_.arrays[shared_array_a] = {two ? "a" : "s", memory, {}};
        report_.arrays[shared_array_b] = {"b", memory, {}};
        report_.arrays[total_array] = {"p", "what the first warp holds of the totals", {}};
        state_.resize(scan_array_count);
        const unsigned warps = (threads_ + request_.warp_width - 1) / request_.warp_width;
        for (const unsigned array : {element_array, result_array, shared_array_b})
            state_[array].resize(threads_);
        state_[shared_array_a].resize(request_.algorithm == block_scan ? warps : threads_);
        state_[total_array].resize(std::min(threads_, request_.warp_width));
    }

    // Where the operand of a move stands just before the step. Of several cells that hold it: what is carried
    // on, and a result, is rather of the same index; otherwise where the thread got it last.
    [[nodiscard]] trace_cell find(const trace_operand& operand, const trace_move& move) const {
        const bool at_index = move.operands.size() == 1 || move.to.array == result_array;
        std::optional<trace_cell> found;
        for (const trace_cell& cell : operand.cells) {
            if (state_[cell.array].at(cell.index) != operand.term) continue;
            if (at_index && cell.index == move.to.index && !report_.arrays[cell.array].constant) return cell;
            if (!found) found = cell;
        }
        if (!found) throw_error(errc::device, "trace: an operand has been overwritten");
        return *found;
    }

    void add_step(const std::vector<trace_move>& moves) {
        std::vector<trace_action> actions;
        for (const trace_move& move : moves) {
            trace_action action{move.thread, move.to, find(move.operands.front(), move)};
            if (move.operands.size() == 2) action.right = find(move.operands.back(), move);
            actions.push_back(action);
        }
        for (const trace_move& move : moves) state_[move.to.array].at(move.to.index) = move.term;
        const trace_place& at = moves.front().place;
        // Results that stand where they were made are no step.
        const auto carried_on = [&](const trace_action& action) { return !makes_news(report_, action); };
        if (at.at_end && std::all_of(actions.begin(), actions.end(), carried_on)) return;
        const unsigned barriers = at.at_end ? from_.barriers() : at.barriers;
        add_step(label_of(request_, threads_, at), moves.front().to.array, barriers, std::move(actions));
    }

    void add_step(std::string label, unsigned array, unsigned barriers, std::vector<trace_action> actions) {
        std::vector<std::optional<value>> cells;
        for (const std::optional<term_id>& id : state_[array])
            cells.push_back(id ? std::optional(table_[*id].held) : std::nullopt);
        report_.steps.push_back({std::move(label), array, barriers, std::move(cells), std::move(actions)});
    }

    const trace_request& request_;
    term_table table_;
    launched from_;
    unsigned threads_;
    std::vector<std::vector<std::optional<term_id>>> state_;  // by array
    trace_report report_;
};

}  // namespace

trace_report trace_scan(const trace_request& request) { return scan_narrator(request).run(); }

}  // namespace upsweep::registry
