// The CPU engine for everything else: any element type and any associative operator, commutative or not, with
// or without an identity, by the tree of docs/numerics.md.
//
// Elements come one by one from a reader made at a chunk's first element, and results go to a writer:
//   source.reader(first)()        -> Acc, the next element
//   sink.writer(first)(value)     stores the next result
//   sink.before                   what an exclusive scan stores where nothing stands to the left
// A scan may start afresh at elements that `heads` marks: what stands to their left is then absent, as at the
// beginning. Which parts of the tree are absent changes from row to row and from head to head only, so the
// loops over the runs in between are compiled twice: for all parts, and for those that are there.
// Complexity: at most 5 n operations (n if the operator is exact), plus as many again on several threads.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "upsweep/concepts.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/chunks.hpp"
#include "upsweep/cpu/engine.hpp"
#include "upsweep/cpu/heads.hpp"

namespace upsweep::cpu {

// A sequence that starts afresh nowhere.
struct no_heads {};

// One where `marks` says so. An initial value is combined with the first element of every segment.
template <class Acc>
struct marked_heads {
    const head_marks& marks;
    const memory_kernels& memory;
    const std::optional<Acc>& initial;
};

template <class Acc, class Op, class Source, class Sink, class Heads = no_heads>
class generic_engine {
  public:
    static constexpr bool exact = is_exact<Op, Acc>;
    static constexpr bool segmented = !std::is_same_v<Heads, no_heads>;

    struct state {
        core::tree_carry<Acc> tree;
        std::optional<Acc> last{};  // the fold of everything scanned so far, set by scan()
    };
    // What a tile, or under an exact operator a chunk, leaves behind.
    struct part {
        std::optional<Acc> total;  // of all of it, or of what follows its last head
        bool has_head = false;
    };
    struct summary {
        std::array<part, exact ? 1 : core::tiles_per_super> parts;
    };

    generic_engine(const Source& source, const Sink& sink, const Op& op, std::size_t n, bool exclusive,
                   std::size_t chunk_size, const Heads& heads = {})
        : source_(source),
          sink_(sink),
          op_(op),
          n_(n),
          exclusive_(exclusive),
          chunk_size_(chunk_size),
          heads_(heads) {}

    void summarise(std::size_t chunk, summary& made) const {
        const std::size_t first = chunk * chunk_size_;
        const std::size_t count = std::min(chunk_size_, n_ - first);
        auto read = source_.reader(first);
        made = {};
        for_each_row(first, count, [&](std::size_t row, std::size_t row_count, const head_bits& bits) {
            part& into = made.parts[exact ? 0 : row / core::tile_size];
            for_each_span(bits, row_count, [&](std::size_t begin, std::size_t end, bool head) {
                if (head) into = {std::nullopt, true};
                if constexpr (exact)
                    into.total.emplace(fold_exact(read, into.total, end - begin, head));
                else
                    core::fold_into(into.total, fold_span(read, begin, end, head), op_);
            });
        });
    }

    void advance(state& carried, std::size_t chunk, const summary& made) const {
        const std::size_t count = std::min(chunk_size_, n_ - chunk * chunk_size_);
        for (std::size_t i = 0; i < (exact ? 1 : count / core::tile_size); ++i)
            push(carried.tree, made.parts[i]);
    }

    void scan(std::size_t chunk, state& carried, std::size_t /*next*/) const {
        const std::size_t first = chunk * chunk_size_;
        const std::size_t count = std::min(chunk_size_, n_ - first);
        passage through(*this, first, carried.tree.value(op_));
        part so_far;
        for_each_row(first, count, [&](std::size_t row, std::size_t row_count, const head_bits& bits) {
            for_each_span(bits, row_count, [&](std::size_t begin, std::size_t end, bool head) {
                if (head) {
                    so_far = {std::nullopt, true};
                    carried.tree.supers.reset();
                    carried.tree.tiles.reset();
                    through.start_afresh();
                }
                if constexpr (exact)
                    scan_exact(through, end - begin, head, carried.tree.supers);
                else
                    scan_span(through, begin, end, head, carried.tree, so_far.total);
            });
            if constexpr (!exact) {
                if ((row + row_count) % core::tile_size == 0) {
                    push(carried.tree, so_far);
                    so_far = {};
                }
            }
        });
        carried.last = std::move(through.last);
    }

  private:
    // The bits of a row's heads.
    using head_bits = std::array<std::uint64_t, core::row_size / 64>;

    // Where the chunk's elements come from and its results go to. A result of an exclusive scan is the value
    // before its element, which is held until that has been read.
    struct passage {
        using reader = decltype(std::declval<const Source&>().reader(0));
        using writer = decltype(std::declval<const Sink&>().writer(0));

        const generic_engine& engine;
        reader read;
        writer write;
        std::optional<Acc> last;  // the latest value, known at the end of a span; exclusive: always

        passage(const generic_engine& owner, std::size_t first, std::optional<Acc> value)
            : engine(owner),
              read(owner.source_.reader(first)),
              write(owner.sink_.writer(first)),
              last(std::move(value)) {
            if (engine.exclusive_ && !last) last = engine.sink_.before;
        }
        void start_afresh() {
            if (engine.exclusive_) last = engine.sink_.before;
        }
        Acc first_of_span(bool head) {
            if constexpr (segmented) {
                if (head && engine.heads_.initial)
                    return Acc(engine.op_(*engine.heads_.initial, Acc(read())));
            }
            return read();
        }
        void put(Acc value) {
            if (engine.exclusive_) {
                write(*last);
                *last = std::move(value);
            } else {
                write(value);
            }
        }
    };

    // visit(row, count, bits) for every row of elements [first, first + count); `row` counts from `first`.
    template <class Visit>
    void for_each_row(std::size_t first, std::size_t count, const Visit& visit) const {
        [[maybe_unused]] std::size_t hint = 0;
        for (std::size_t row = 0; row < count; row += core::row_size) {
            const std::size_t row_count = std::min(core::row_size, count - row);
            head_bits bits{};
            if constexpr (segmented)
                heads_.marks.mark(heads_.marks, heads_.memory, first + row, row_count, bits.data(), hint);
            visit(row, row_count, bits);
        }
    }
    // visit(begin, end, head) for every part of a row without a head but, perhaps, its first element.
    template <class Visit>
    void for_each_span(const head_bits& bits, std::size_t row_count, const Visit& visit) const {
        if constexpr (segmented) {
            std::size_t begin = 0;
            bool head = false;
            for (std::size_t word = 0; word < bits.size(); ++word) {
                for (std::uint64_t left = bits[word]; left != 0; left &= left - 1) {
                    const std::size_t at = 64 * word + static_cast<std::size_t>(std::countr_zero(left));
                    if (at != begin) visit(begin, at, head);
                    begin = at;
                    head = true;
                }
            }
            visit(begin, row_count, head);
        } else {
            visit(0, row_count, false);
        }
    }

    void push(core::tree_carry<Acc>& tree, const part& made) const {
        if (made.has_head) {
            tree.supers.reset();
            tree.tiles.reset();
        }
        if constexpr (exact)
            core::fold_into(tree.supers, *made.total, op_);
        else
            tree.push_tile(*made.total, op_);
    }

    // What stands to the left of a row: S, T and R, or those of them that are there, outermost first. All
    // three is the case of long sequences, and compiled by itself.
    struct three_left {
        const Op& op;
        const Acc supers, tiles, rows;
        Acc operator()(Acc nested) const {
            return Acc(op(supers, Acc(op(tiles, Acc(op(rows, std::move(nested)))))));
        }
    };
    struct some_left {
        const Op& op;
        std::array<const Acc*, 3> parts{};
        std::size_t count = 0;
        Acc operator()(Acc nested) const {
            for (std::size_t k = count; k-- != 0;) nested = Acc(op(*parts[k], std::move(nested)));
            return nested;
        }
    };

    // `count` elements of a run, of which `items` is the first; returns their fold.
    template <class Left>
    Acc scan_run(passage& through, Acc items, std::size_t count, const Left& left) const {
        through.put(left(items));
        for (std::size_t i = 1; i < count; ++i) {
            items = Acc(op_(items, Acc(through.read())));
            through.put(left(items));
        }
        return items;
    }
    // Elements [begin, end) of a row, nothing of which stands to their left; folds them into `rows`.
    template <class Left>
    void scan_runs(passage& through, std::size_t begin, std::size_t end, bool head, std::optional<Acc>& rows,
                   const Left& left) const {
        std::size_t count = std::min(end - begin, core::run_size - begin % core::run_size);
        Acc runs = scan_run(through, through.first_of_span(head), count, left);
        std::optional<Acc> unfinished;
        const auto after_runs = [&](Acc items) { return left(Acc(op_(runs, std::move(items)))); };
        for (begin += count; begin < end; begin += count) {
            count = std::min(end - begin, core::run_size);
            Acc items = scan_run(through, Acc(through.read()), count, after_runs);
            if (count == core::run_size)
                runs = Acc(op_(runs, items));
            else
                unfinished.emplace(std::move(items));
        }
        if (!exclusive_) through.last.emplace(unfinished ? after_runs(std::move(*unfinished)) : left(runs));
        if (end == core::row_size) core::fold_into(rows, runs, op_);
    }
    void scan_span(passage& through, std::size_t begin, std::size_t end, bool head,
                   const core::tree_carry<Acc>& tree, std::optional<Acc>& rows) const {
        if (tree.supers && tree.tiles && rows)
            return scan_runs(through, begin, end, head, rows,
                             three_left{op_, *tree.supers, *tree.tiles, *rows});
        some_left left{op_};
        for (const std::optional<Acc>* outer : {&tree.supers, &tree.tiles, &std::as_const(rows)}) {
            if (*outer) left.parts[left.count++] = std::addressof(**outer);
        }
        scan_runs(through, begin, end, head, rows, left);
    }
    template <class Read>
    Acc fold_span(Read& read, std::size_t begin, std::size_t end, bool head) const {
        const auto fold_run = [&](Acc items, std::size_t count) {
            for (std::size_t i = 1; i < count; ++i) items = Acc(op_(items, Acc(read())));
            return items;
        };
        std::size_t count = std::min(end - begin, core::run_size - begin % core::run_size);
        Acc runs = fold_run(first_of(read, head), count);
        for (begin += count; begin < end; begin += count) {
            count = std::min(end - begin, core::run_size);
            runs = Acc(op_(runs, fold_run(Acc(read()), count)));
        }
        return runs;
    }

    void scan_exact(passage& through, std::size_t count, bool head, std::optional<Acc>& carried) const {
        Acc value = through.first_of_span(head);
        if (carried) value = Acc(op_(*carried, value));
        through.put(value);
        for (std::size_t i = 1; i < count; ++i) {
            value = Acc(op_(value, Acc(through.read())));
            through.put(value);
        }
        if (!exclusive_) through.last.emplace(value);
        carried.emplace(std::move(value));
    }
    template <class Read>
    Acc fold_exact(Read& read, const std::optional<Acc>& before, std::size_t count, bool head) const {
        Acc value = first_of(read, head);
        if (before) value = Acc(op_(*before, value));
        for (std::size_t i = 1; i < count; ++i) value = Acc(op_(value, Acc(read())));
        return value;
    }
    template <class Read>
    Acc first_of(Read& read, [[maybe_unused]] bool head) const {
        if constexpr (segmented) {
            if (head && heads_.initial) return Acc(op_(*heads_.initial, Acc(read())));
        }
        return read();
    }

    const Source& source_;
    const Sink& sink_;
    const Op& op_;
    std::size_t n_;
    bool exclusive_;
    std::size_t chunk_size_;
    Heads heads_;
};

// As run_scan in engine.hpp. Reader, writer and operator may throw.
template <class Acc, class Op, class Source, class Sink, class Heads = no_heads>
std::optional<Acc> run_generic_scan(executor& ex, const Source& source, const Sink& sink, const Op& op,
                                    const scan_shape& shape, core::tree_carry<Acc>& carry,
                                    const Heads& heads = {}) {
    using engine = generic_engine<Acc, Op, Source, Sink, Heads>;
    const chunking plan =
        chunking::plan(ex, shape.size, sizeof(Acc), sizeof(Acc), shape.footprint, tuning::generic_cost);
    const engine kernel(source, sink, op, shape.size, shape.exclusive, plan.elements, heads);
    typename engine::state last = run_chunks(ex, plan, kernel, typename engine::state{std::move(carry)});
    carry = std::move(last.tree);
    return std::move(last.last);
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
    // The same without its first elements.
    element_source from(std::size_t first) const {
        return {x + static_cast<std::ptrdiff_t>(first) * stride, stride, function};
    }
    [[nodiscard]] std::size_t element_bytes() const { return sizeof(In); }
};

template <class Acc, class Out>
struct element_sink {
    Out* y;
    std::ptrdiff_t stride;
    std::optional<Acc> before;

    auto writer(std::size_t first) const {
        return
            [at = y + static_cast<std::ptrdiff_t>(first) * stride, step = stride](const Acc& value) mutable {
                *at = convert<Out>(value);
                at += step;
            };
    }
    element_sink from(std::size_t first) const {
        return {y + static_cast<std::ptrdiff_t>(first) * stride, stride, before};
    }
};

}  // namespace upsweep::cpu
