// A short sequence of any type under any operator, by the tree of docs/numerics.md: what generic.hpp does,
// without what it takes to begin there, which is more than a few elements are worth. Complexity: at most 3 n
// operations (2 n if the operator is exact).
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "upsweep/concepts.hpp"
#include "upsweep/core/tree.hpp"

namespace upsweep::cpu {

// put(prefix) for n elements, at least one and at most a row: what stands to the left of a run folds the runs
// before it.
template <class Acc, class Op, class Read, class Put>
void for_each_prefix_of_row(Read& read, const Op& op, std::size_t n, Put&& put) {
    const auto run = [&](std::size_t count, auto&& put_item) {
        Acc items = read();
        put_item(items);
        for (std::size_t i = 1; i < count; ++i) {
            items = Acc(op(items, Acc(read())));
            put_item(items);
        }
        return items;
    };
    if constexpr (is_exact<Op, Acc>) {
        run(n, put);
    } else {
        Acc runs = run(std::min(n, core::run_size), put);
        for (std::size_t begin = core::run_size; begin < n; begin += core::run_size) {
            Acc items =
                run(std::min(n - begin, core::run_size), [&](const Acc& item) { put(Acc(op(runs, item))); });
            runs = Acc(op(runs, std::move(items)));
        }
    }
}

// A sequence of at least one element and at most a row, on one thread.
template <class Acc, class Op, class Source, class Sink>
void run_generic_row(const Source& source, const Sink& sink, const Op& op, std::size_t n, bool exclusive,
                     const std::optional<Acc>& initial) {
    auto read = source.reader(0);
    auto write = sink.writer(0);
    const auto scan = [&](auto&& put) {
        if (initial)
            for_each_prefix_of_row<Acc>(read, op, n, [&](const Acc& item) { put(Acc(op(*initial, item))); });
        else
            for_each_prefix_of_row<Acc>(read, op, n, put);
    };
    if (!exclusive) {
        scan(write);
        return;
    }
    Acc before = initial ? *initial : *sink.before;  // the element is read by the time that this is stored
    scan([&](const Acc& value) {
        write(before);
        before = value;
    });
}

}  // namespace upsweep::cpu
