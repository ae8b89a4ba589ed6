// Scans that start afresh at every segment: inclusive_segmented_scan, exclusive_segmented_scan, and
// ..._scan_by_key.
//
// The segments of n elements are given by
//   by_offsets(offsets)       m + 1 integers 0 = o[0] <= o[1] <= ... <= o[m] = n; segment k is [o[k],
//   o[k+1]), may be empty by_head_flags(flags)      n values; one that is not zero (true) starts a segment;
//   element 0 always does by_keys(keys, equal)      n keys; a segment is a run of equal neighbours
// out[i] combines the elements of i's segment up to i (inclusive) or before i (exclusive; the first of a
// segment then receives the initial value, or else the operator's identity). With `initial`, every segment
// starts from it.
//
// Bits: the scan of the pairs (head, value) under (h1, v1) (+) (h2, v2) = (h1 or h2, h2 ? v2 : v1 (+) v2) by
// the tree of docs/numerics.md over the whole array; an initial value is combined with the first element of
// every segment. Aliasing: out may be in; it must not overlap offsets, flags or keys. Complexity: O(n) work;
// for offsets also O(m) to check them and O(log m) a chunk. Source: Blelloch, "Prefix sums and their
// applications", 1990, section 1.5 (segmented scans).
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <utility>

#include "upsweep/scan.hpp"

namespace upsweep {

// Every description answers, element by element: does i start a segment (heads), and from the end: does i end
// one.
template <class Integer>
class by_offsets {
  public:
    template <input_range Offsets>
    explicit by_offsets(const Offsets& offsets)
        : offsets_(std::ranges::data(offsets), std::ranges::size(offsets)) {}

    void check(std::size_t n) const {
        if (offsets_.empty() || offsets_.front() != Integer(0)) {
            throw_error(errc::invalid_argument, "segments: offsets must begin with 0");
        }
        const auto bad = std::ranges::adjacent_find(offsets_, std::greater<>());
        if (bad != offsets_.end()) {
            throw_error(errc::invalid_argument, "segments: offsets must not decrease, but offset " +
                                                    std::to_string(bad - offsets_.begin() + 1) + " is " +
                                                    std::to_string(*std::next(bad)) + " after " +
                                                    std::to_string(*bad));
        }
        if (static_cast<std::size_t>(offsets_.back()) != n) {
            throw_error(errc::invalid_argument, "segments: the last offset must be the number of elements, " +
                                                    std::to_string(n) + ", but it is " +
                                                    std::to_string(offsets_.back()));
        }
    }
    [[nodiscard]] auto heads(std::size_t first) const {
        auto at = std::ranges::lower_bound(offsets_, first, {}, as_size);
        return [i = first, at, end = offsets_.end()]() mutable {
            while (at != end && as_size(*at) < i) ++at;
            return at != end && as_size(*at) == i++;
        };
    }
    // For elements first, first - 1, ...
    [[nodiscard]] auto tails(std::size_t first) const {
        auto after =
            std::ranges::upper_bound(offsets_, first + 1, {}, as_size);  // past the last offset <= first + 1
        return [i = first, after]() mutable {
            while (as_size(*std::prev(after)) > i + 1) --after;
            return as_size(*std::prev(after)) == (i--) + 1;
        };
    }

  private:
    static std::size_t as_size(Integer offset) { return static_cast<std::size_t>(offset); }
    std::span<const Integer> offsets_;
};
template <input_range Offsets>
by_offsets(const Offsets&) -> by_offsets<std::ranges::range_value_t<Offsets>>;

template <class Flag>
class by_head_flags {
  public:
    template <input_range Flags>
    explicit by_head_flags(const Flags& flags) : flags_(std::ranges::data(flags), std::ranges::size(flags)) {}

    void check(std::size_t n) const {
        if (flags_.size() != n) {
            throw_error(errc::invalid_argument, "segments: expected " + std::to_string(n) +
                                                    " head flags, one an element, but there are " +
                                                    std::to_string(flags_.size()));
        }
    }
    [[nodiscard]] auto heads(std::size_t first) const {
        return [i = first, this]() mutable {
            const bool head = i == 0 || flags_[i] != Flag(0);
            ++i;
            return head;
        };
    }
    [[nodiscard]] auto tails(std::size_t first) const {
        return [i = first, this]() mutable {
            const bool tail = i + 1 == flags_.size() || flags_[i + 1] != Flag(0);
            --i;
            return tail;
        };
    }

  private:
    std::span<const Flag> flags_;
};
template <input_range Flags>
by_head_flags(const Flags&) -> by_head_flags<std::ranges::range_value_t<Flags>>;

template <class Key, class Equal = std::equal_to<>>
class by_keys {
  public:
    template <input_range Keys>
    explicit by_keys(const Keys& keys, Equal equal = {})
        : keys_(std::ranges::data(keys), std::ranges::size(keys)), equal_(equal) {}

    void check(std::size_t n) const {
        if (keys_.size() != n) {
            throw_error(errc::invalid_argument, "segments: expected " + std::to_string(n) +
                                                    " keys, one an element, but there are " +
                                                    std::to_string(keys_.size()));
        }
    }
    [[nodiscard]] auto heads(std::size_t first) const {
        return [i = first, this]() mutable {
            const bool head = i == 0 || !equal_(keys_[i - 1], keys_[i]);
            ++i;
            return head;
        };
    }
    [[nodiscard]] auto tails(std::size_t first) const {
        return [i = first, this]() mutable {
            const bool tail = i + 1 == keys_.size() || !equal_(keys_[i], keys_[i + 1]);
            --i;
            return tail;
        };
    }

  private:
    std::span<const Key> keys_;
    Equal equal_;
};
template <input_range Keys, class Equal = std::equal_to<>>
by_keys(const Keys&, Equal = {}) -> by_keys<std::ranges::range_value_t<Keys>, Equal>;

namespace core {

template <class Acc>
struct segmented_value {
    Acc value;
    bool head;  // whether a segment starts within what `value` folds
};

template <class Op>
struct segmented {
    const Op& op;
    template <class Acc>
    static constexpr bool exact = is_exact<Op, decltype(Acc::value)>;
    template <class Acc>
    constexpr segmented_value<Acc> operator()(const segmented_value<Acc>& a,
                                              const segmented_value<Acc>& b) const {
        return b.head ? b : segmented_value<Acc>{op(a.value, b.value), a.head};
    }
};

}  // namespace core

namespace detail {

// The segment starts in the order of the scan: heads forwards, tails backwards.
template <class Segments>
struct start_source {
    const Segments& segments;
    std::size_t n;
    bool reverse;

    // starts(first) calls visit(cursor) with a callable that tells of one element after the other.
    template <class Visit>
    auto from(std::size_t first, const Visit& visit) const {
        return visit(cursor{segments.heads(reverse ? 0 : first),
                            segments.tails(reverse ? n - 1 - first : n - 1), reverse});
    }
    struct cursor {
        decltype(std::declval<const Segments&>().heads(0)) heads;
        decltype(std::declval<const Segments&>().tails(0)) tails;
        bool reverse;
        bool operator()() { return reverse ? tails() : heads(); }
    };
};

template <class Acc, class In, class Op, class Segments>
struct segmented_source {
    const In* x;
    std::ptrdiff_t stride;
    start_source<Segments> starts;
    const Op& op;
    const std::optional<Acc>& initial;

    auto reader(std::size_t first) const {
        return starts.from(first, [&](auto cursor) {
            return [at = x + static_cast<std::ptrdiff_t>(first) * stride, cursor,
                    this]() mutable -> core::segmented_value<Acc> {
                const bool head = cursor();
                Acc value = cpu::convert<Acc>(*at);
                at += stride;
                if (head && initial) value = op(*initial, value);
                return {std::move(value), head};
            };
        });
    }
};

template <class Acc, class Out, class Segments>
struct segmented_sink {
    Out* y;
    std::ptrdiff_t stride;
    start_source<Segments> starts;
    bool exclusive;
    std::optional<Acc> before;  // what the first element of a segment receives in an exclusive scan

    auto writer(std::size_t first) const {
        return starts.from(first, [&](auto cursor) {
            return [at = y + static_cast<std::ptrdiff_t>(first) * stride, cursor,
                    this](const std::optional<core::segmented_value<Acc>>& prefix) mutable {
                const bool fresh = exclusive && cursor();
                *at = cpu::convert<Out>(fresh ? *before : prefix->value);
                at += stride;
            };
        });
    }
};

template <class Acc, class In, class Out, class Op, class Segments>
void segmented_scan(cpu::executor& ex, const Segments& segments, const In* in, std::size_t in_size, Out* out,
                    std::size_t out_size, bool exclusive, const Op& op, const batch_options<Acc>& options) {
    check_sizes(in_size, out_size);
    segments.check(in_size);
    check_overlap(in, sizeof(In), out, sizeof(Out), in_size);
    if (in_size == 0) return;
    const std::optional<Acc> before =
        options.initial || !exclusive ? options.initial : exclusive_start<Acc>(op, true);
    const std::size_t n = in_size;
    const std::ptrdiff_t stride = options.reverse ? -1 : 1;
    const std::size_t first = options.reverse ? n - 1 : 0;
    const start_source<Segments> starts{segments, n, options.reverse};
    const auto run = [&](const auto& directed) {
        using Directed = std::remove_cvref_t<decltype(directed)>;
        const segmented_source<Acc, In, Directed, Segments> source{in + first, stride, starts, directed,
                                                                   options.initial};
        const segmented_sink<Acc, Out, Segments> sink{out + first, stride, starts, exclusive, before};
        core::tree_carry<core::segmented_value<Acc>> carry;
        cpu::run_generic_scan<core::segmented_value<Acc>>(
            ex, source, sink, core::segmented<Directed>{directed}, n, exclusive, carry);
    };
    if (options.reverse)
        run(core::swapped<Op>{op});
    else
        run(op);
}

}  // namespace detail

template <class Acc = deduced, class Segments, input_range In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
requires output_range<Out, A> && combines<Op, A>
void inclusive_segmented_scan(cpu::executor& ex, const Segments& segments, const In& in, Out&& out,
                              const Op& op = {}, const std::type_identity_t<batch_options<A>>& options = {}) {
    detail::segmented_scan<A>(ex, segments, std::ranges::data(in), std::ranges::size(in),
                              std::ranges::data(out), std::ranges::size(out), false, op, options);
}

template <class Acc = deduced, class Segments, input_range In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
requires output_range<Out, A> && combines<Op, A>
void exclusive_segmented_scan(cpu::executor& ex, const Segments& segments, const In& in, Out&& out,
                              const Op& op = {}, const std::type_identity_t<batch_options<A>>& options = {}) {
    detail::segmented_scan<A>(ex, segments, std::ranges::data(in), std::ranges::size(in),
                              std::ranges::data(out), std::ranges::size(out), true, op, options);
}

// The segmented scans by keys under the names that other libraries use.
template <class Acc = deduced, input_range Keys, input_range In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
requires output_range<Out, A> && combines<Op, A>
void inclusive_scan_by_key(cpu::executor& ex, const Keys& keys, const In& in, Out&& out, const Op& op = {},
                           const std::type_identity_t<batch_options<A>>& options = {}) {
    inclusive_segmented_scan<A>(ex, by_keys(keys), in, std::forward<Out>(out), op, options);
}

template <class Acc = deduced, input_range Keys, input_range In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
requires output_range<Out, A> && combines<Op, A>
void exclusive_scan_by_key(cpu::executor& ex, const Keys& keys, const In& in, Out&& out, const Op& op = {},
                           const std::type_identity_t<batch_options<A>>& options = {}) {
    exclusive_segmented_scan<A>(ex, by_keys(keys), in, std::forward<Out>(out), op, options);
}

}  // namespace upsweep
