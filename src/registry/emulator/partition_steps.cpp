// The lanes of a warp do the same operations in the same order, so the k-th of each make a row. What lanes
// hold is what they send next.
#include "registry/emulator/partition_steps.hpp"

#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "registry/chooser.hpp"
#include "registry/emulator/launch.hpp"
#include "registry/emulator/launch_facts.hpp"
#include "upsweep/error.hpp"

namespace upsweep::registry {
namespace {

using emulator::event;
using row = std::vector<const event*>;  // by lane
using numbers = std::vector<std::uint32_t>;

enum partition_arrays : unsigned {
    partition_x,
    partition_r,
    constant_zero,
    left_flags,     // flags, then how many up to the lane
    lefts_before,   // how many before the lane
    other_flags,    // the same of the others
    others_before,  //
    left_total,     // how many are left, by a butterfly
    asked_lane,     // which lane is asked
};

std::vector<bool> left_ones(const trace_request& request) {
    const device cpu("cpu", 1);
    const std::vector<condition> below = {{comparison::less, request.pivot}};
    const auto chooser = make_chooser(cpu, request.type, below);
    std::vector<bool> left;
    for (const value& element : request.elements) left.push_back(chooser->chooses(element.data()));
    return left;
}

class partition_narrator {
  public:
    explicit partition_narrator(const trace_request& request)
        : request_(request),
          left_(left_ones(request)),
          table_(request.op),
          from_(launch(request, left_, table_)) {
        report_.threads = lanes();
        report_.arrays = {{"x", "the elements", {}},
                          {"r", "the results", {}},
                          {"0", "", {}, true},
                          {"f", "1 where an element goes to the left, then how many up to there", {}},
                          {"f_before", "how many of them are before a lane", {}},
                          {"g", "the same of the others", {}},
                          {"g_before", "how many of these are before a lane", {}},
                          {"c", "how many are left in all", {}},
                          {"q", "the lane that a lane asks", {}}};
        rows_.resize(from_.trace.events.size() / lanes(), row(lanes()));
        std::vector<std::size_t> done(lanes());
        for (const event& e : from_.trace.events) rows_.at(done[e.thread]++)[e.thread] = &e;
    }

    trace_report run() {
        show_elements();
        if (request_.algorithm == trace_algorithm::warp_partition)
            tell_ballot();
        else
            tell_scans();
        show_elements();
        tell_result(rows_.back());
        report_.left_count = from_.left_count;
        tell_launch(
            from_, table_, [](std::size_t) { return trace_cell{}; }, report_);
        return std::move(report_);
    }

  private:
    [[nodiscard]] unsigned lanes() const { return static_cast<unsigned>(left_.size()); }
    [[nodiscard]] std::string below_pivot() const { return "x < " + request_.pivot; }

    // What the lanes sent in a shuffle.
    [[nodiscard]] numbers sent(const row& of) const {
        numbers all;
        for (const event* e : of) all.push_back(term_at(from_.trace, e->sent));
        return all;
    }

    void add_step(std::string label, unsigned array, const numbers& held, std::vector<trace_action> actions) {
        std::vector<std::optional<value>> cells;
        for (const std::uint32_t number : held) cells.emplace_back(value::of(dtype::uint32, number));
        report_.steps.push_back({std::move(label), array, 0, std::move(cells), std::move(actions)});
    }

    void show_elements() {
        std::vector<std::optional<value>> elements(request_.elements.begin(), request_.elements.end());
        report_.steps.push_back({"elements", partition_x, 0, std::move(elements), {}});
    }

    void tell_ballot() {
        const auto mask = number_at<std::uint64_t>(from_.trace, rows_.front().front()->value);
        numbers flags;
        for (unsigned i = 0; i < lanes(); ++i) flags.push_back(static_cast<std::uint32_t>(mask >> i & 1));
        add_step("ballot, " + below_pivot(), left_flags, flags, {});
    }

    void tell_scans() {
        const auto doublings = static_cast<std::size_t>(std::bit_width(lanes() - 1));
        const auto halvings = static_cast<std::size_t>(std::bit_width(request_.warp_width) - 1);
        if (rows_.size() != 3 * doublings + 2 + 2 * halvings + 1)
            throw_error(errc::device, "trace: the partition has other steps than it is known for");
        const std::size_t search = 3 * doublings + 2;  // the first row of the search
        // What comes before the elements of a warp is known from where it is asked for.
        const row& asked = rows_[halvings == 0 ? 0 : search];
        tell_scan(0, doublings, "left, ", left_flags, lefts_before, asked);
        tell_scan(doublings + 1, doublings, "others, ", other_flags, others_before,
                  rows_[halvings == 0 ? doublings + 1 : search + 1]);
        tell_butterfly(2 * doublings + 2, doublings);
        for (std::size_t k = 0; k < halvings; ++k) {
            numbers lanes_asked;
            for (const event* e : rows_[search + 2 * k])
                lanes_asked.push_back(static_cast<std::uint32_t>(e->offset));
            add_step("search, step " + std::to_string(request_.warp_width >> (k + 1)), asked_lane,
                     lanes_asked, {});
        }
    }

    // An exclusive scan from row `first` on. `asked`: where its results are sent; without a search, by one
    // lane, nothing is before it.
    void tell_scan(std::size_t first, std::size_t doublings, const std::string& title, unsigned array,
                   unsigned before, const row& asked) {
        for (std::size_t k = 0; k <= doublings; ++k) {
            std::vector<trace_action> actions;
            for (unsigned i = 0; k > 0 && i < lanes(); ++i) {
                const auto source = static_cast<unsigned>(rows_[first + k - 1][i]->offset);
                if (source != i) actions.push_back({i, {array, i}, {array, source}, trace_cell{array, i}});
            }
            const std::string step = "distance " + std::to_string(k == 0 ? 0 : std::size_t{1} << (k - 1));
            const std::string flags = array == left_flags ? below_pivot() : "not " + below_pivot();
            add_step(k == 0 ? flags : title + step, array, sent(rows_[first + k]), std::move(actions));
        }
        std::vector<trace_action> actions = {{0, {before, 0}, {constant_zero, 0}}};
        for (unsigned i = 1; i < lanes(); ++i) actions.push_back({i, {before, i}, {array, i - 1}});
        add_step(title + "before", before, request_.warp_width == 1 ? numbers{0} : sent(asked), actions);
    }

    void tell_butterfly(std::size_t first, std::size_t doublings) {
        numbers held;
        for (const bool left : left_) held.push_back(left ? 1 : 0);
        add_step("count", left_total, held, {});
        for (std::size_t k = 0; k < doublings; ++k) {
            const row& now = rows_[first + k];
            const numbers next =
                k + 1 < doublings ? sent(rows_[first + k + 1]) : numbers(lanes(), from_.left_count);
            std::vector<trace_action> actions;
            for (unsigned i = 0; i < lanes(); ++i) {
                // Where the partner's part is absent, nothing is added.
                const auto source = static_cast<unsigned>(now[i]->offset);
                const unsigned partner = i ^ (1u << k);
                if (((partner >> k) << k) >= lanes()) continue;
                const trace_cell own{left_total, i}, other{left_total, source};
                const bool upper = partner < i;
                actions.push_back({i, own, upper ? other : own, upper ? own : other});
            }
            add_step("count, exchange, distance " + std::to_string(1u << k), left_total, next,
                     std::move(actions));
        }
    }

    void tell_result(const row& last) {
        std::vector<trace_action> actions;
        std::vector<std::optional<value>> cells;
        for (unsigned i = 0; i < lanes(); ++i) {
            actions.push_back({i, {partition_r, i}, {partition_x, static_cast<unsigned>(last[i]->offset)}});
            cells.emplace_back(table_[from_.results[i]].held);
            report_.result.push_back(table_[from_.results[i]].held);
        }
        report_.steps.push_back({"result", partition_r, 0, std::move(cells), std::move(actions)});
    }

    const trace_request& request_;
    std::vector<bool> left_;
    term_table table_;
    launched from_;
    std::vector<row> rows_;
    trace_report report_;
};

}  // namespace

trace_report trace_partition(const trace_request& request) { return partition_narrator(request).run(); }

}  // namespace upsweep::registry
