// The odometer on terms: its parts before and after each element tell which of them were carried.
#include "registry/trace_tree.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "registry/trace_terms.hpp"
#include "upsweep/core/reference.hpp"
#include "upsweep/error.hpp"

namespace upsweep::registry {
namespace {

using handle = term<1>;
using odometer_parts = std::array<std::optional<handle>, 5>;  // L, V, R, T, S

// The columns of the one array that is shown. The parts stand as in the formula S + (T + (R + (V + L))).
constexpr unsigned element_column = 0, prefix_column = 6, column_count = 7;
constexpr unsigned column_of(std::size_t part) { return prefix_column - 1 - static_cast<unsigned>(part); }
constexpr unsigned shown = 0, identity_array = 1, initial_array = 2;

std::optional<term_id> id_of(const std::optional<handle>& part) {
    if (!part) return std::nullopt;
    return part->id();
}

class tree_tracer {
  public:
    explicit tree_tracer(const trace_request& request)
        : request_(request),
          terms_(request.op),
          neutral_(terms_.add(neutral_element(request.op, request.type))),
          odometer_(operator_on_terms(), initial()) {
        report_.arrays = {{"", "", {"x", "S", "T", "R", "V", "L", "prefix"}, false},
                          {"identity", "", {}, true},
                          {"initial", "", {}, true}};
        cells_.resize(column_count);
    }

    trace_report run() {
        if (request_.initial) {
            set(column_of(4), *request_.initial);
            add_step("initial value", {{0, {shown, column_of(4)}, {initial_array, 0}}});
        }
        for (std::size_t i = 0; i < request_.elements.size(); ++i) {
            const value& element = request_.elements[i];
            set(element_column, element);
            std::vector<trace_action> actions;
            if (request_.exclusive) tell_prefix(actions);
            take(element, actions);
            if (!request_.exclusive) tell_prefix(actions);
            add_step("element " + std::to_string(i), std::move(actions));
        }
        report_.counts.combines = terms_.combines();
        report_.counts.depth = terms_.depth();
        return std::move(report_);
    }

  private:
    [[nodiscard]] term_operator<handle> operator_on_terms() { return {&terms_, 0, neutral_}; }
    [[nodiscard]] std::optional<handle> initial() {
        if (!request_.initial) return std::nullopt;
        return handle(terms_.add(*request_.initial));
    }

    void set(unsigned column, const std::optional<value>& held) { cells_[column] = held; }

    // What op(left, right) made in the step that began when there were `known` terms; left alone absent.
    [[nodiscard]] term_id joined(const std::optional<term_id>& left, term_id right, std::size_t known) const {
        if (!left) return right;
        for (std::size_t id = known; id < terms_.size(); ++id) {
            if (terms_[static_cast<term_id>(id)].operands == std::pair(*left, right))
                return static_cast<term_id>(id);
        }
        throw_error(errc::device, "trace: the tree combined what it should not have");
    }
    static void tell(std::vector<trace_action>& actions, unsigned to, bool combines, unsigned right) {
        if (combines)
            actions.push_back({0, {shown, to}, {shown, to}, trace_cell{shown, right}});
        else
            actions.push_back({0, {shown, to}, {shown, right}});
    }

    void take(const value& element, std::vector<trace_action>& actions) {
        const odometer_parts before = odometer_.parts();
        const std::size_t known = terms_.size();
        const handle taken(terms_.add(element));
        odometer_.take(taken);
        const odometer_parts after = odometer_.parts();

        // L holds this element alone if what it held was carried; so with the parts above it.
        bool carries = before[0] && after[0]->id() == taken.id();
        std::optional<term_id> carried = id_of(before[0]);
        for (std::size_t k = 0; carries; ++k) {
            tell(actions, column_of(k + 1), before[k + 1].has_value(), column_of(k));
            carried = joined(id_of(before[k + 1]), *carried, known);
            carries = id_of(after[k + 1]) != carried;
        }
        tell(actions, column_of(0), before[0] && after[0]->id() != taken.id(), element_column);
        for (std::size_t k = 0; k < after.size(); ++k) {
            if (after[k])
                set(column_of(k), terms_[after[k]->id()].held);
            else
                set(column_of(k), std::nullopt);
        }
    }

    // The parts there are, from the right.
    void tell_prefix(std::vector<trace_action>& actions) {
        const std::optional<handle> prefix = odometer_.value();
        const term_id result = prefix ? prefix->id() : neutral_;
        set(prefix_column, terms_[result].held);
        report_.result.push_back(terms_[result].held);
        if (!prefix) actions.push_back({0, {shown, prefix_column}, {identity_array, 0}});
        bool first = true;
        const odometer_parts now = odometer_.parts();
        for (std::size_t k = 0; k < now.size(); ++k) {
            if (!now[k]) continue;
            const trace_cell part{shown, column_of(k)}, to{shown, prefix_column};
            actions.push_back(first ? trace_action{0, to, part} : trace_action{0, to, part, to});
            first = false;
        }
    }

    void add_step(std::string label, std::vector<trace_action> actions) {
        report_.steps.push_back({std::move(label), shown, 0, cells_, std::move(actions)});
    }

    const trace_request& request_;
    term_table terms_;
    term_id neutral_;
    core::odometer<handle, term_operator<handle>> odometer_;
    trace_report report_;
    std::vector<std::optional<value>> cells_;
};

}  // namespace

trace_report trace_tree(const trace_request& request) { return tree_tracer(request).run(); }

}  // namespace upsweep::registry
