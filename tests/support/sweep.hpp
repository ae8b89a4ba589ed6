// The main comparison: one operator on one type, every mode, many sizes, every back end, bit for bit against
// the scalar reference.
//
// prefix(p) does not depend on what follows p, so the reference runs once over the longest sequence and
// serves all sizes; a reversed scan is given the sequence back to front.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <ostream>
#include <span>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <valarray>
#include <vector>

#include "support/backend.hpp"
#include "support/bits.hpp"
#include "support/guarded.hpp"
#include "support/sequences.hpp"
#include "support/sizes.hpp"
#include "upsweep/core/reference.hpp"
#include "upsweep/scan.hpp"

namespace upsweep::test {

// Elements side by side, bool included.
template <class T>
using array_of = std::valarray<T>;

template <class T>
std::span<const T> span_of(const array_of<T>& values) {
    return {std::begin(values), values.size()};
}

// prefix(0), ..., prefix(n) of a sequence in scan order; where prefix(0) is absent, the identity if there is
// one.
template <class Acc, class In, class Op>
array_of<Acc> prefixes(std::span<const In> sequence, const Op& op, const std::optional<Acc>& initial = {}) {
    core::odometer<Acc, Op> odometer(op, initial);
    array_of<Acc> made(sequence.size() + 1);
    if (initial) {
        made[0] = *initial;
    } else if constexpr (has_identity<Op, Acc>) {
        made[0] = identity_of<Acc>(op);
    }
    for (std::size_t i = 0; i < sequence.size(); ++i) {
        odometer.take(cpu::convert<Acc>(sequence[i]));
        made[i + 1] = *odometer.value();
    }
    return made;
}

// (a, b) -> op(b, a), what a reversed scan folds with.
template <class Op>
struct turned {
    Op op;
    template <class T>
    T operator()(const T& a, const T& b) const {
        return op(b, a);
    }
    template <class T>
    requires has_identity<Op, T> T identity()
    const { return identity_of<T>(op); }
};

struct scan_mode {
    bool exclusive = false;
    bool reverse = false;
    bool initial = false;
    bool in_place = false;

    friend std::ostream& operator<<(std::ostream& out, const scan_mode& m) {
        return out << (m.exclusive ? "exclusive" : "inclusive") << (m.reverse ? ", reverse" : "")
                   << (m.initial ? ", initial value" : "") << (m.in_place ? ", in place" : "");
    }
};

// An operator with its types, erased to two functions, so that the checks are compiled once for every set of
// types. Executor is what inclusive_scan and exclusive_scan take first; a device's tests have one that
// carries host memory to the device and back.
template <class In, class Out, class Acc, class Executor = test_executor>
struct operation {
    bool has_identity;
    bool has_vector_kernels;
    std::function<array_of<Acc>(std::span<const In>, bool reverse, const std::optional<Acc>& initial)>
        prefixes;
    std::function<void(Executor&, std::span<const In>, std::span<Out>, bool exclusive,
                       const scan_options<Acc>&)>
        scan;
    bool (*takes)(Executor&);
    std::string (*excuse)(Executor&);

    template <class Op>
    static operation of(const Op& op) {
        return {upsweep::has_identity<Op, Acc>,
                cpu::has_kernels<Acc, Op>,
                [op](std::span<const In> values, bool reverse, const std::optional<Acc>& initial) {
                    if (reverse && !is_commutative<Op>)
                        return test::prefixes<Acc>(values, turned<Op>{op}, initial);
                    return test::prefixes<Acc>(values, op, initial);
                },
                [op](Executor& ex, std::span<const In> in, std::span<Out> out, bool exclusive,
                     const scan_options<Acc>& options) {
                    if (exclusive)
                        exclusive_scan<Acc>(ex, in, out, op, options);
                    else
                        inclusive_scan<Acc>(ex, in, out, op, options);
                },
                test::takes<Op, Acc, Executor>,
                test::excuse<Op, Acc, Executor>};
    }
};

template <class In, class Out, class Acc, class Executor = test_executor>
class scan_check {
  public:
    // `values` in scan order.
    scan_check(operation<In, Out, Acc, Executor> checked, std::span<const In> values, Acc initial)
        : operation_(std::move(checked)),
          values_(values.data(), values.size()),
          backwards_(values.size()),
          initial_(initial) {
        std::reverse_copy(std::begin(values_), std::end(values_), std::begin(backwards_));
    }

    // Scans the first n values, where the executor takes them; false, with a failure recorded, if anything
    // differs, or the test counted as skipped, if the executor has an excuse.
    bool run(Executor& ex, std::size_t n, scan_mode mode, std::size_t in_offset = 0,
             std::size_t out_offset = 0) {
        if (!operation_.takes(ex)) return true;
        // The sequence that is scanned lies at the front of values_, and at the back of backwards_.
        const In* given = mode.reverse ? std::end(backwards_) - n : std::begin(values_);
        in_.reset(n, in_offset);
        std::copy_n(given, n, in_.data());
        if (!mode.in_place) out_.reset(n, out_offset);
        std::span<Out> out = out_.span();
        if constexpr (std::is_same_v<In, Out>) {
            if (mode.in_place) out = in_.span();
        }
        Acc total{};
        operation_.scan(
            ex, in_.span(), out, mode.exclusive,
            {mode.initial ? std::optional<Acc>(initial_) : std::nullopt, mode.reverse, &total, nullptr});

        const table& expected = expected_for(mode, n);
        const std::size_t skipped = mode.exclusive ? 0 : 1;
        const Out* results = mode.reverse ? std::end(expected.results) - (n + skipped)
                                          : std::begin(expected.results) + skipped;
        const std::size_t wrong = first_difference(out.data(), results, n);
        const bool total_is_wrong = !same_bits(total, expected.prefix[n]);
        if (wrong != n || total_is_wrong) {
            const std::string excuse = operation_.excuse(ex);
            if (!excuse.empty()) {
                [&] { GTEST_SKIP() << "not a bit-conforming driver: " << excuse; }();
                return false;
            }
        }
        std::ostringstream failure;
        if (wrong != n) {
            failure << "out[" << wrong << "] is " << describe(out[wrong]) << ", expected "
                    << describe(results[wrong]);
        } else if (total_is_wrong) {
            failure << "the total is " << describe(total) << ", expected " << describe(expected.prefix[n]);
        } else if (!in_.sentinels_intact() || (!mode.in_place && !out_.sentinels_intact())) {
            failure << "wrote outside the output";
        } else if (!mode.in_place && first_difference(in_.data(), given, n) != n) {
            failure << "changed the input";
        } else {
            return true;
        }
        ADD_FAILURE() << "n = " << n << ", " << mode << ", offsets " << in_offset << " and " << out_offset
                      << ": " << failure.str();
        return false;
    }

    // Every size of `sizes` in every mode; AddressSanitizer is given the longer ones in a third of them, as
    // small ones take each mode's kernels.
    void every_mode(Executor& ex, const std::vector<std::size_t>& sizes) {
        for (const std::size_t n : sizes) {
            for (unsigned bits = 0; bits < 16; ++bits) {
                if (address_sanitizer && n > 1000 && (bits + n) % 3 != 0) continue;
                const scan_mode mode = make_mode(bits);
                if (allowed(mode, n) && !run(ex, n, mode, (n + bits) % 8, (3 * n + bits + 1) % 8)) return;
            }
        }
    }
    // Every size in one of the modes, a different one for each and for each `salt`.
    void some_mode(Executor& ex, const std::vector<std::size_t>& sizes, unsigned salt) {
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const auto bits = static_cast<unsigned>(i) * 5 + salt * 7;
            scan_mode mode = make_mode(bits % 16);
            if (!std::is_same_v<In, Out>) mode.in_place = false;
            if (!operation_.has_identity) mode.initial = mode.initial || mode.exclusive || sizes[i] == 0;
            if (!run(ex, sizes[i], mode, bits % 8, (bits / 8 + bits + 3) % 8)) return;
        }
    }
    // What `sweep` below promises.
    void everything(bool with_supers) {
        if (in_brief) {
            briefly(with_supers);
            return;
        }
        const bool vectors = operation_.has_vector_kernels;
        const std::vector<std::size_t> sizes = tile_sizes();
        for_each_backend(vectors ? coverage::levels : coverage::threads, [&](const auto& backend) {
            if (vectors || backend.threads == 1)
                every_mode(*backend.executor, sizes);
            else
                some_mode(*backend.executor, sizes, static_cast<unsigned>(backend.threads));
        });
        if (!with_supers) return;
        unsigned salt = 0;
        for_each_backend(vectors && !address_sanitizer ? coverage::all : coverage::threads,
                         [&](const auto& backend) { some_mode(*backend.executor, super_sizes(), salt++); });
    }

    // Less of it: every mode at two sizes, rotating modes at all others.
    void briefly(bool with_supers) {
        unsigned salt = 0;
        for_each_backend([&](const auto& backend) {
            every_mode(*backend.executor, {5, core::tile_size + 3});
            some_mode(*backend.executor, tile_sizes(), salt++);
            if (with_supers && !sanitized) some_mode(*backend.executor, super_sizes(), salt++);
        });
    }

    static scan_mode make_mode(unsigned bits) {
        return {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0};
    }
    [[nodiscard]] bool allowed(const scan_mode& mode, std::size_t n) const {
        if (mode.in_place && !std::is_same_v<In, Out>) return false;
        return operation_.has_identity || mode.initial || (!mode.exclusive && n != 0);
    }

  private:
    struct table {
        array_of<Acc> prefix;
        array_of<Out> results;  // prefix, converted to the output type; back to front for reversed scans
    };

    // For n values or more: most sizes are a few tiles, and not every mode comes to all values.
    const table& expected_for(const scan_mode& mode, std::size_t n) {
        constexpr std::size_t short_size = 4 * core::tile_size;
        table& made = tables_[2 * mode.reverse + mode.initial];
        if (made.prefix.size() <= n) {
            const std::size_t length =
                n <= short_size ? std::min(short_size, values_.size()) : values_.size();
            made.prefix = operation_.prefixes(span_of(values_).first(length), mode.reverse,
                                              mode.initial ? std::optional<Acc>(initial_) : std::nullopt);
            made.results.resize(made.prefix.size());
            std::transform(std::begin(made.prefix), std::end(made.prefix), std::begin(made.results),
                           cpu::convert<Out, Acc>);
            if (mode.reverse) std::reverse(std::begin(made.results), std::end(made.results));
        }
        return made;
    }

    operation<In, Out, Acc, Executor> operation_;
    array_of<In> values_, backwards_;
    Acc initial_;
    std::array<table, 4> tables_;
    guarded<In> in_;
    guarded<Out> out_;
};

// All modes at all sizes to 300 and around rows and tiles, at every level; rotating modes around supers, on
// every back end. On OpenGL and Vulkan, and between ranks, fewer of each.
template <class In, class Op, class Out = In, class Acc = core::accumulator_for<deduced, In, Op>>
void sweep(std::type_identity_t<Acc> initial, const Op& op = {}, bool with_supers = true) {
    if constexpr (has_scan<In, Op, Out, Acc>) {
        const std::size_t longest = with_supers ? super_sizes().back() : 3 * core::tile_size + 3;
        scan_check<In, Out, Acc>(operation<In, Out, Acc>::of(op),
                                 span_of(sequence<In, Op>(longest, 1 + sizeof(In))), initial)
            .everything(with_supers);
    } else {
        report_lack<In, Out, Acc>();
    }
}
// The same where every pair of type and operator is tested.
template <class In, class Op, class Out = In, class Acc = core::accumulator_for<deduced, In, Op>>
void further_sweep(std::type_identity_t<Acc> initial, const Op& op = {}, bool with_supers = true) {
    if constexpr (tests_every_pair) sweep<In, Op, Out, Acc>(initial, op, with_supers);
}

}  // namespace upsweep::test
