// An algorithm on a few elements, step by step: what its arrays hold after each step, and which thread made
// what out of what. For `upsweep trace`.
//
//     report = run_trace({.algorithm = trace_algorithm::blelloch, .type = dtype::int64, .elements = x});
//     for (const trace_step& step : report.steps) draw(report.arrays[step.array], step.cells, step.actions);
//
// The collectives (include/upsweep/collectives/) run in the emulator, on elements that are handles of values
// and know what they were made of; the steps are read off the accesses to shared memory and the shuffles that
// the emulator recorded. The tree is the reference of the numeric contract, core/reference.hpp, on the same
// handles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "registry/dtype.hpp"
#include "registry/operation.hpp"
#include "registry/value.hpp"

namespace upsweep::registry {

enum class trace_algorithm {
    hillis_steele,
    hillis_steele_double,
    blelloch,
    block_scan,
    warp_scan,
    warp_reduce,
    warp_partition,
    warp_partition_scans,
    tree,
};

struct trace_algorithm_info {
    trace_algorithm algorithm;
    std::string_view name;     // "hillis-steele-double"
    std::string_view title;    // "Hillis-Steele scan with two buffers"
    std::string_view meaning;  // one line for help
    bool is_scan;              // otherwise there is no exclusive form
    bool is_partition;         // by a pivot, without an operator
    bool is_emulated;          // runs in threads
};
[[nodiscard]] std::span<const trace_algorithm_info> trace_algorithms();
[[nodiscard]] const trace_algorithm_info& info(trace_algorithm algorithm);

struct trace_request {
    trace_algorithm algorithm = trace_algorithm::hillis_steele;
    operation op = operation::plus;
    bool exclusive = false;
    std::optional<value> initial{};  // stands to the left of everything
    dtype type = dtype::int64;       // of everything; an accumulator that `op` accepts
    std::vector<value> elements{};
    unsigned threads = 0;  // of the block; 0: one for each element. More of them hold the identity
    unsigned warp_width = 32;
    std::string pivot{};  // partitions: elements below it go to the left; as condition::number
};

struct trace_array {
    std::string name;
    std::string meaning;               // "shared memory"
    std::vector<std::string> columns;  // names of the cells; empty: they are numbered
    bool constant = false;             // one cell that is never shown: the identity, the initial value
};

// Cell `index` of trace_report::arrays[array].
struct trace_cell {
    unsigned array = 0;
    unsigned index = 0;
    friend bool operator==(const trace_cell&, const trace_cell&) = default;
};

// `to` becomes `left` (+) `right`, or a copy of `left`: what they held before the step.
struct trace_action {
    unsigned thread = 0;
    trace_cell to;
    trace_cell left;
    std::optional<trace_cell> right{};
};

struct trace_step {
    std::string label;                        // "up-sweep, distance 2"
    unsigned array = 0;                       // the one that the step writes
    unsigned barriers = 0;                    // of the block before it
    std::vector<std::optional<value>> cells;  // of that array after the step; nothing: not written yet
    std::vector<trace_action> actions;        // one after the other in the tree, else all at once
};

// An access to shared memory, an exchange or a barrier, as the emulator recorded it.
struct trace_event {
    std::string_view what;  // read, write, shuffle, ballot, barrier
    unsigned thread = 0;
    unsigned barriers = 0;           // of the block before it
    std::optional<trace_cell> cell;  // read, write
    std::optional<unsigned> lane;    // shuffle: whose value was received
    std::optional<value> held;       // read, written or received; of a ballot the mask
};

struct trace_counts {
    std::uint64_t combines = 0;  // applications of the operator
    std::uint64_t depth = 0;     // of them one after the other on the longest way to a value
    std::uint64_t barriers = 0;
    std::uint64_t shuffles = 0;  // of warps
    std::uint64_t ballots = 0;   // of warps
    std::uint64_t reads = 0;     // of elements in shared memory
    std::uint64_t writes = 0;
    std::uint64_t requests = 0;  // bank_usage of emulator/bank_conflicts.hpp
    std::uint64_t passes = 0;
    unsigned worst_degree = 0;
};

struct trace_report {
    unsigned threads = 0;
    std::vector<trace_array> arrays;
    std::vector<trace_step> steps;
    std::vector<value> result;             // by thread; of the tree, by element
    std::optional<unsigned> left_count{};  // partitions
    std::vector<trace_event> events;       // in the order of execution; of the tree none
    trace_counts counts;
};

// "s[5]", or the name of the cell.
[[nodiscard]] std::string cell_text(const trace_report& report, const trace_cell& cell);
// Whether the action does more than to carry on a cell of the same index.
[[nodiscard]] bool makes_news(const trace_report& report, const trace_action& action);

// Elements in memory as accumulators of type `to` under `op`, as a scan loads them.
[[nodiscard]] std::vector<value> trace_elements(dtype from, const void* data, std::size_t count, operation op,
                                                dtype to);

// Throws upsweep::error: invalid_argument for elements, threads and warps that do not go together and for a
// pivot that is no number, unsupported for an emulated algorithm in a program that has no emulator.
[[nodiscard]] trace_report run_trace(const trace_request& request);

// A program that was linked with the emulator adds what runs there; see add_back_ends().
using emulated_trace = trace_report (*)(const trace_request& request);
void add_emulated_trace(emulated_trace run);

}  // namespace upsweep::registry
