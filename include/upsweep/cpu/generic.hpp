// The CPU engine for everything else: any element type and any associative operator, commutative or not, with
// or without an identity, by the tree of docs/numerics.md.
//
// Elements come one by one from a reader made at a chunk's first element, and go to a writer:
//   source.reader(first)()          -> Acc, the next element
//   sink.writer(first)(prefix)      prefix is std::optional<Acc>: absent where an exclusive scan has nothing
//   to the left
// Complexity: at most 5 n operations (n if the operator is exact), plus as many again on several threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "upsweep/concepts.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/chain.hpp"
#include "upsweep/cpu/engine.hpp"

namespace upsweep::cpu {

template <class Acc, class Op, class Source, class Sink>
class generic_engine {
  public:
    static constexpr bool exact = is_exact<Op, Acc>;

    struct state {
        core::tree_carry<Acc> tree;
        std::optional<Acc> last;  // the fold of everything scanned so far, set by scan()
    };
    struct summary {
        // Totals of the chunk's tiles; for an exact operator the first one is the chunk's.
        std::array<std::optional<Acc>, exact ? 1 : core::tiles_per_super> totals;
    };

    generic_engine(const Source& source, const Sink& sink, const Op& op, std::size_t n, bool exclusive,
                   std::size_t chunk_size)
        : source_(source), sink_(sink), op_(op), n_(n), exclusive_(exclusive), chunk_size_(chunk_size) {}

    void summarise(std::size_t chunk, summary& made) const {
        const std::size_t first = chunk * chunk_size_;
        const std::size_t count = std::min(chunk_size_, n_ - first);
        auto read = source_.reader(first);
        made = {};
        if constexpr (exact) {
            for (std::size_t i = 0; i < count; ++i) core::fold_into(made.totals[0], Acc(read()), op_);
        } else {
            for (std::size_t tile = 0; tile < count / core::tile_size; ++tile) {
                for (std::size_t row = 0; row < core::tile_size; row += core::row_size) {
                    std::optional<Acc> runs;
                    for (std::size_t run = 0; run < core::row_size; run += core::run_size) {
                        Acc items = read();
                        for (std::size_t i = 1; i < core::run_size; ++i) items = op_(items, Acc(read()));
                        core::fold_into(runs, items, op_);
                    }
                    core::fold_into(made.totals[tile], *runs, op_);
                }
            }
        }
    }

    void advance(state& carried, std::size_t chunk, const summary& made) const {
        if constexpr (exact) {
            core::fold_into(carried.tree.supers, *made.totals[0], op_);
        } else {
            const std::size_t count = std::min(chunk_size_, n_ - chunk * chunk_size_);
            for (std::size_t tile = 0; tile < count / core::tile_size; ++tile) {
                carried.tree.push_tile(*made.totals[tile], op_);
            }
        }
    }

    void scan(std::size_t chunk, state& carried, const summary*, std::size_t next, summary& ahead) const {
        scan(chunk, carried);
        if (next != no_chunk) summarise(next, ahead);
    }

    void scan(std::size_t chunk, state& carried) const {
        const std::size_t first = chunk * chunk_size_;
        const std::size_t count = std::min(chunk_size_, n_ - first);
        auto read = source_.reader(first);
        auto write = sink_.writer(first);
        carried.last = carried.tree.value(op_);
        if constexpr (exact) {
            for (std::size_t i = 0; i < count; ++i) {
                const Acc element = read();
                if (exclusive_) write(carried.last);
                core::fold_into(carried.last, element, op_);
                if (!exclusive_) write(carried.last);
            }
            carried.tree.supers = carried.last;
            carried.tree.tiles.reset();
        } else {
            for (std::size_t tile = 0; tile < count; tile += core::tile_size) {
                scan_tile(std::min(core::tile_size, count - tile), carried, read, write);
            }
        }
    }

  private:
    template <class Reader, class Writer>
    void scan_tile(std::size_t count, state& carried, Reader& read, Writer& write) const {
        std::optional<Acc> rows;
        for (std::size_t row = 0; row < count; row += core::row_size) {
            const std::size_t row_count = std::min(core::row_size, count - row);
            std::optional<Acc> runs;
            for (std::size_t run = 0; run < row_count; run += core::run_size) {
                const std::size_t run_count = std::min(core::run_size, row_count - run);
                std::optional<Acc> items;
                for (std::size_t i = 0; i < run_count; ++i) {
                    const Acc element = read();
                    if (exclusive_) write(carried.last);
                    core::fold_into(items, element, op_);
                    Acc nested = core::join(rows, core::join(runs, *items, op_), op_);
                    carried.last =
                        core::join(carried.tree.supers, core::join(carried.tree.tiles, nested, op_), op_);
                    if (!exclusive_) write(carried.last);
                }
                core::fold_into(runs, *items, op_);
            }
            if (row_count == core::row_size) core::fold_into(rows, *runs, op_);
        }
        if (count == core::tile_size) carried.tree.push_tile(*rows, op_);
    }

    const Source& source_;
    const Sink& sink_;
    const Op& op_;
    std::size_t n_;
    bool exclusive_;
    std::size_t chunk_size_;
};

// As run_scan in engine.hpp.
template <class Acc, class Op, class Source, class Sink>
std::optional<Acc> run_generic_scan(executor& ex, const Source& source, const Sink& sink, const Op& op,
                                    std::size_t n, bool exclusive, core::tree_carry<Acc>& carry) {
    using engine = generic_engine<Acc, Op, Source, Sink>;
    const chunking plan = chunking::plan(n, sizeof(Acc), sizeof(Acc), ex.threads());
    const engine kernel(source, sink, op, n, exclusive, plan.elements);
    typename engine::state state{carry, {}};
    if (plan.count == 1)
        kernel.scan(0, state);
    else
        state = run_chain(ex, plan.helpers, plan.count, kernel, state);
    carry = state.tree;
    return state.last;
}

// x[first * stride], x[(first + 1) * stride], ... as accumulators, through a function.
template <class Acc, class In, class Function>
struct element_source {
    const In* x;
    std::ptrdiff_t stride;
    const Function& function;

    auto reader(std::size_t first) const {
        return [at = x + static_cast<std::ptrdiff_t>(first) * stride, step = stride,
                &f = function]() mutable -> Acc {
            const In& element = *at;
            at += step;
            return convert<Acc>(std::invoke(f, element));
        };
    }
};

template <class Acc, class Out>
struct element_sink {
    Out* y;
    std::ptrdiff_t stride;
    std::optional<Acc> before;  // what an exclusive scan stores where nothing stands to the left

    auto writer(std::size_t first) const {
        return [at = y + static_cast<std::ptrdiff_t>(first) * stride, step = stride,
                this](const std::optional<Acc>& prefix) mutable {
            *at = convert<Out>(prefix ? *prefix : *before);
            at += step;
        };
    }
};

}  // namespace upsweep::cpu
