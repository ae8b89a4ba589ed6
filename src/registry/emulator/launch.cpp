// The kernels: one call of a collective each, on terms as large as the values.
#include "registry/emulator/launch.hpp"

#include <algorithm>
#include <string>

#include "upsweep/collectives/blelloch.hpp"
#include "upsweep/collectives/block_scan.hpp"
#include "upsweep/collectives/hillis_steele.hpp"
#include "upsweep/collectives/warp_partition.hpp"
#include "upsweep/collectives/warp_reduce.hpp"
#include "upsweep/collectives/warp_scan.hpp"
#include "upsweep/emulator/machine.hpp"
#include "upsweep/error.hpp"

namespace upsweep::registry {
namespace {

using enum trace_algorithm;

// Elements of shared memory.
template <class Term>
unsigned scratch_of(const trace_request& request, unsigned threads) {
    switch (request.algorithm) {
        case hillis_steele:
            return hillis_steele_scratch(threads);
        case hillis_steele_double:
            return hillis_steele_double_scratch(threads);
        case blelloch:
            return blelloch_scratch<Term>(threads);
        case block_scan:
            return block_scan_scratch(threads, request.warp_width);
        default:
            return 0;
    }
}

template <class Term>
struct kernel {
    const trace_request& request;
    const std::vector<bool>& left;
    term_table& table;
    launched& made;

    void operator()(const emulator::block& block) const {
        const unsigned thread = block.thread();
        const Term x(made.elements[thread]);
        made.results[thread] = (request.exclusive ? exclusive(block, x) : other(block, x)).id();
    }

  private:
    [[nodiscard]] term_operator<Term> op(const emulator::block& block) const {
        return {&table, block.thread(), made.neutral};
    }
    [[nodiscard]] group_scan_options<Term> options() const {
        group_scan_options<Term> chosen;
        if (made.initial) chosen.initial = Term(*made.initial);
        return chosen;
    }
    [[nodiscard]] auto shared(const emulator::block& block) const {
        return block.shared<Term>(scratch_of<Term>(request, block.size()));
    }

    [[nodiscard]] Term exclusive(const emulator::block& block, const Term& x) const {
        switch (request.algorithm) {
            case hillis_steele:
                return hillis_steele_exclusive_scan(block, shared(block), x, op(block), options());
            case hillis_steele_double:
                return hillis_steele_double_exclusive_scan(block, shared(block), x, op(block), options());
            case blelloch:
                return blelloch_exclusive_scan(block, shared(block), x, op(block), options());
            case block_scan:
                return block_exclusive_scan(block, shared(block), x, op(block), options());
            default:
                return warp_exclusive_scan(block.warp(), x, op(block), options());
        }
    }
    [[nodiscard]] Term other(const emulator::block& block, const Term& x) const {
        switch (request.algorithm) {
            case hillis_steele:
                return hillis_steele_inclusive_scan(block, shared(block), x, op(block), options());
            case hillis_steele_double:
                return hillis_steele_double_inclusive_scan(block, shared(block), x, op(block), options());
            case blelloch:
                return blelloch_inclusive_scan(block, shared(block), x, op(block), options());
            case block_scan:
                return block_inclusive_scan(block, shared(block), x, op(block), options());
            case warp_reduce:
                return upsweep::warp_reduce(block.warp(), x, op(block));
            case warp_partition:
                return warp_partition_if(block.warp(), x, left[block.thread()], &made.left_count);
            case warp_partition_scans:
                return warp_partition_by_scans(block.warp(), x, left[block.thread()], &made.left_count);
            default:
                return warp_inclusive_scan(block.warp(), x, op(block), options());
        }
    }
};

template <class Term>
emulator::report run_on(const trace_request& request, const std::vector<bool>& left, term_table& table,
                        launched& made) {
    const auto threads = static_cast<unsigned>(made.elements.size());
    emulator::launch_config config;
    config.threads = threads;
    config.warp_width = request.warp_width;
    config.shared_bytes = scratch_of<Term>(request, threads) * sizeof(Term);
    config.record = true;
    emulator::machine machine;
    return machine.run(config, kernel<Term>{request, left, table, made});
}

std::size_t term_bytes(const trace_request& request) {
    return std::max<std::size_t>(4, size_of(request.type));
}

// The inverse of conflict_free_slot, which ascends.
template <class Term>
unsigned element_of_slot(unsigned slot, unsigned threads) {
    unsigned element = 0;
    while (element < threads && core::conflict_free_slot<Term>(element) < slot) ++element;
    return element;
}

}  // namespace

launched launch(const trace_request& request, const std::vector<bool>& left, term_table& table) {
    launched made;
    for (const value& element : request.elements) made.elements.push_back(table.add(element));
    // A partition takes elements of any type, and asks for no identity.
    if (!info(request.algorithm).is_partition)
        made.neutral = table.add(neutral_element(request.op, request.type));
    if (request.initial) made.initial = table.add(*request.initial);
    while (made.elements.size() < request.threads)
        made.elements.push_back(table.add(table[made.neutral].held));
    made.results.resize(made.elements.size());

    emulator::report report;
    switch (term_bytes(request)) {
        case 4:
            report = run_on<term<1>>(request, left, table, made);
            break;
        case 8:
            report = run_on<term<2>>(request, left, table, made);
            break;
        default:
            report = run_on<term<4>>(request, left, table, made);
            break;
    }
    if (!report.clean()) throw_error(errc::device, "trace: the emulator found\n" + report.text());
    made.trace = std::move(report.events);
    return made;
}

unsigned shared_index(const trace_request& request, unsigned threads, std::size_t offset) {
    const auto slot = static_cast<unsigned>(offset / term_bytes(request));
    if (request.algorithm != blelloch) return slot;
    switch (term_bytes(request)) {
        case 4:
            return element_of_slot<term<1>>(slot, threads);
        case 8:
            return element_of_slot<term<2>>(slot, threads);
        default:
            return element_of_slot<term<4>>(slot, threads);
    }
}

}  // namespace upsweep::registry
