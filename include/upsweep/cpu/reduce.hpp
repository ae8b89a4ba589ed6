// The CPU engine for totals of a sequence: what summaries of chunks are, without the scans.
//
// Threads total tiles by themselves, and whoever called folds what they found from left to right. The last,
// incomplete tile is the caller's. Nothing is allocated where one thread does it all.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "upsweep/concepts.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/engine.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/generic.hpp"
#include "upsweep/cpu/kernels.hpp"
#include "upsweep/cpu/operation.hpp"
#include "upsweep/cpu/staging.hpp"
#include "upsweep/cpu/tasks.hpp"
#include "upsweep/cpu/tuning.hpp"

namespace upsweep::cpu {

// initial (+) x[0] (+) ... (+) x[n-1] of n >= 1 elements.
template <class Acc, bool Exact>
Acc run_reduce(const operation<Acc, Exact>& op, executor& ex, const source<Acc>& in, std::size_t n,
               const std::optional<Acc>& initial);

#define UPSWEEP_DECLARE_REDUCE(T, exact)                                                            \
    extern template T run_reduce<T, exact>(const operation<T, exact>&, executor&, const source<T>&, \
                                           std::size_t, const std::optional<T>&);
UPSWEEP_FOR_EACH_OPERATION(UPSWEEP_DECLARE_REDUCE)
#undef UPSWEEP_DECLARE_REDUCE

// The same of 1 to small_size elements that are accumulators, from `start` on: one kernel call, without
// anything that would cost more than it. An absent initial value is given as the identity.
template <class Acc, class Op>
UPSWEEP_ALWAYS_INLINE Acc run_small_reduce(simd_level level, const Acc* in, std::size_t n, Acc start) {
    const auto& kernels = kernels_for<Acc, Op>(level);
    if constexpr (is_exact<Op, Acc>) {
        return kernels.fold(in, n, start);
    } else {
        Acc rows = Op::template identity<Acc>();
        kernels.fold_rows(in, n, &rows, {});
        return Op()(start, rows);
    }
}

// How the tiles of a sequence are shared out: tasks of so many whole ones.
struct tile_shares {
    std::size_t tiles;    // whole ones
    std::size_t helpers;  // 0: the caller does them all
    std::size_t together;

    // Of n elements of so many bytes, which cost as much as `cost` bytes of a plain scan, and for
    // threads that are awake so many times as much.
    static tile_shares plan(executor& ex, std::size_t n, std::size_t element_bytes, std::size_t cost,
                            std::size_t awake_times) {
        const std::size_t tiles = n / core::tile_size, bytes = core::tile_size * element_bytes;
        const std::size_t together =
            std::max<std::size_t>(1, tuning::smallest_chunk_bytes / std::max<std::size_t>(bytes * cost, 1));
        const std::size_t tasks = (tiles + together - 1) / together;
        const std::size_t helpers =
            tasks < 2 ? 0 : std::min(ex.helpers_for(n * element_bytes * cost, awake_times) + 1, tasks) - 1;
        return {tiles, helpers, together};
    }
    [[nodiscard]] std::size_t tasks() const { return (tiles + together - 1) / together; }
    [[nodiscard]] std::size_t first(std::size_t task) const { return task * together; }
    [[nodiscard]] std::size_t end(std::size_t task) const { return std::min(tiles, (task + 1) * together); }
};

// Where the results of a scan go of which only the last is wanted.
template <class Acc>
struct no_sink {
    std::optional<Acc> before{};
    static auto writer(std::size_t /*first*/) {
        return [](const Acc&) {};
    }
};

// The same of any operator. Reader and operator may throw.
template <class Acc, class Op, class Source>
Acc run_generic_reduce(executor& ex, const Source& source, const Op& op, std::size_t n,
                       const std::optional<Acc>& initial) {
    const no_sink<Acc> nowhere;
    using engine = generic_engine<Acc, Op, Source, no_sink<Acc>>;
    const engine kernel(source, nowhere, op, n, false, core::tile_size);
    const auto total_of = [&](std::size_t tile, typename engine::summary& made) -> Acc {
        kernel.summarise(tile, made);
        return std::move(*made.parts[0].total);
    };
    typename engine::state state{{initial, {}, 0}};
    const auto push = [&](const Acc& total) {
        if constexpr (engine::exact)
            core::fold_into(state.tree.supers, total, op);
        else
            state.tree.push_tile(total, op);
    };
    const tile_shares shares = tile_shares::plan(ex, n, sizeof(Acc), tuning::generic_cost, 1);
    if (shares.helpers == 0) {
        typename engine::summary made;
        for (std::size_t tile = 0; tile < shares.tiles; ++tile) push(total_of(tile, made));
    } else {
        std::vector<std::optional<Acc>> totals(shares.tiles);
        for_each_task(ex, shares.helpers, shares.tasks(), [&](std::size_t task) {
            typename engine::summary made;
            for (std::size_t tile = shares.first(task); tile < shares.end(task); ++tile)
                totals[tile].emplace(total_of(tile, made));
        });
        for (const std::optional<Acc>& total : totals) push(*total);
    }
    if (n % core::tile_size == 0) return std::move(*state.tree.value(op));
    kernel.scan(shares.tiles, state, no_chunk);
    return std::move(*state.last);
}

}  // namespace upsweep::cpu
