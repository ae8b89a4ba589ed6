// Scans of a strided array along every axis, in several layouts, against the scalar reference slice by slice.
// Nothing between the elements of a view may be touched.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/strided_layout.hpp"
#include "support/sweep.hpp"
#include "upsweep/axis_scan.hpp"

namespace upsweep::test {

template <class In, class Op, class Out = In, class Acc = core::accumulator_for<deduced, In, Op>>
struct axis_check {
    Op op{};
    Acc initial;
    // Where a sanitized build, or a short test, begins, so that shapes differ in the layouts that they are
    // given.
    static inline unsigned first_turn = 0;

    template <class Executor>
    void run(Executor& ex, const extents& shape, int axis, const layout& from, const layout& to,
             unsigned mode) const {
        if constexpr (has_scan<In, Op, Out, Acc>) {
            if (takes<Op, Acc>(ex)) compare(ex, shape, axis, from, to, mode);
        } else {
            report_lack<In, Out, Acc>();
        }
    }

    template <class Executor>
    void compare(Executor& ex, const extents& shape, int axis, const layout& from, const layout& to,
                 unsigned mode) const {
        const bool exclusive = (mode & 1) != 0, reverse = (mode & 2) != 0,
                   with_initial = (mode & 4) != 0 || (exclusive && !has_identity<Op, Acc>);
        const bool in_place = (mode & 8) != 0 && std::is_same_v<In, Out>;
        const layout& target = in_place ? from : to;
        const std::optional<Acc> start = with_initial ? std::optional<Acc>(initial) : std::nullopt;
        const auto along = static_cast<std::size_t>(axis < 0 ? axis + static_cast<int>(shape.size()) : axis);
        const auto length = static_cast<std::size_t>(shape[along]);
        SCOPED_TRACE("shape " + text_of(shape) + ", axis " + std::to_string(axis) + ", from " + from.name +
                     " " + text_of(from.strides) + " to " + target.name + " " + text_of(target.strides) +
                     ", mode " + std::to_string(mode));

        guarded<In> in(from.room, mode % 8);
        guarded<Out> out(in_place ? 0 : to.room, (3 * mode + 1) % 8);
        random_bits random(mode + shape.size());
        for_each_slice(shape, along, from, target, [&](std::int64_t a, std::int64_t) {
            for (std::size_t i = 0; i < length; ++i) {
                const std::size_t at = reverse ? length - 1 - i : i;
                in.data()[a + static_cast<std::int64_t>(at) * from.strides[along]] =
                    element<In, Op>(i, length, random);
            }
        });
        std::span<Out> memory = out.span();
        if constexpr (std::is_same_v<In, Out>) {
            if (in_place) memory = in.span();
        }
        array_of<Out> expected(memory.data(),
                               memory.size());  // what lies between the elements of the view as well
        array_of<In> slice(length);
        for_each_slice(shape, along, from, target, [&](std::int64_t a, std::int64_t b) {
            const auto place = [&](std::size_t i) {
                return static_cast<std::int64_t>(reverse ? length - 1 - i : i);
            };
            for (std::size_t i = 0; i < length; ++i) slice[i] = in.data()[a + place(i) * from.strides[along]];
            const auto prefix = reverse && !is_commutative<Op>
                                    ? prefixes<Acc>(span_of(slice), turned<Op>{op}, start)
                                    : prefixes<Acc>(span_of(slice), op, start);
            for (std::size_t i = 0; i < length; ++i) {
                expected[static_cast<std::size_t>(b + place(i) * target.strides[along])] =
                    cpu::convert<Out>(prefix[i + (exclusive ? 0 : 1)]);
            }
        });
        const strided_view<const In> x(in.data() + from.first, shape, from.strides);
        const strided_view<Out> y(memory.data() + target.first, shape, target.strides);
        if (exclusive)
            exclusive_scan<Acc>(ex, x, y, axis, op, {start, reverse});
        else
            inclusive_scan<Acc>(ex, x, y, axis, op, {start, reverse});
        const std::size_t wrong = first_difference(memory.data(), std::begin(expected), memory.size());
        if (wrong != memory.size() && !excuse<Op, Acc>(ex).empty())
            GTEST_SKIP() << "not a bit-conforming driver: " << (excuse<Op, Acc>(ex));
        ASSERT_EQ(wrong, memory.size())
            << "element " << wrong << " of the memory is " << describe(memory[wrong]) << ", expected "
            << describe(expected[wrong]);
        EXPECT_TRUE(in.sentinels_intact() && out.sentinels_intact());
    }

    // Every axis, every layout, modes in turn; for coverage::all, in sanitized builds and where tests are
    // short, one layout after the other.
    void run_all(const extents& shape, coverage wanted = coverage::levels) const {
        const std::size_t rank = shape.size();
        const std::vector<layout> layouts = layouts_of(shape);
        const bool in_turn = wanted == coverage::all || sanitized || in_brief;
        unsigned turn = sanitized || in_brief ? first_turn++ : 0;
        for_each_backend(wanted, [&](const auto& backend) {
            for (int axis = wanted == coverage::all ? 0 : -static_cast<int>(rank);
                 axis < static_cast<int>(rank); ++axis) {
                for (std::size_t from = in_turn ? turn % layouts.size() : 0; from < layouts.size();
                     from += in_turn ? layouts.size() : 1) {
                    const std::size_t to = axis < 0 ? from : (from + turn) % layouts.size();
                    run(*backend.executor, shape, axis, layouts[from], layouts[to],
                        (turn * 7 + static_cast<unsigned>(from)) % 16);
                    if (::testing::Test::HasFatalFailure()) return;
                    ++turn;
                }
            }
        });
    }
};

inline const axis_check<float, plus> float_sums{{}, 0.3f};

}  // namespace upsweep::test
