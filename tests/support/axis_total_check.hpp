// Totals of a strided array along every axis, in several layouts, against the scalar reference slice by
// slice. Nothing between the results may be touched.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/strided_layout.hpp"
#include "support/sweep.hpp"
#include "upsweep/axis_reduce.hpp"

namespace upsweep::test {

inline extents without(extents shape, std::size_t axis) {
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
    return shape;
}

// Totals against the scalar reference, slice by slice.
template <class In, class Op, class Out = In, class Acc = core::accumulator_for<deduced, In, Op>>
struct totals_check {
    Acc initial;
    Op op{};

    // `to`: how the array without the axis lies.
    template <class Executor>
    void run(Executor& ex, const extents& shape, int axis, const layout& from, const layout& to,
             bool with_initial) const {
        if constexpr (has_scan<In, Op, Out, Acc>) {
            if (takes<Op, Acc>(ex)) compare(ex, shape, axis, from, to, with_initial);
        } else {
            report_lack<In, Out, Acc>();
        }
    }

    template <class Executor>
    void compare(Executor& ex, const extents& shape, int axis, const layout& from, const layout& to,
                 bool with_initial) const {
        const auto along = static_cast<std::size_t>(axis < 0 ? axis + static_cast<int>(shape.size()) : axis);
        const auto length = static_cast<std::size_t>(shape[along]);
        const std::optional<Acc> start = with_initial ? std::optional<Acc>(initial) : std::nullopt;
        SCOPED_TRACE("shape " + text_of(shape) + ", axis " + std::to_string(axis) + ", from " + from.name +
                     " " + text_of(from.strides) + " to " + to.name + " " + text_of(to.strides) +
                     (with_initial ? ", initial value" : ""));
        layout results = to;  // with the axis, along which they are one element
        results.strides.insert(results.strides.begin() + static_cast<std::ptrdiff_t>(along), 0);

        guarded<In> in(from.room, shape.size() % 8);
        guarded<Out> out(to.room, length % 8);
        random_bits random(length + from.room);
        const auto place = [&](std::int64_t first, std::size_t i) {
            return first + static_cast<std::int64_t>(i) * from.strides[along];
        };
        for_each_slice(shape, along, from, results, [&](std::int64_t a, std::int64_t) {
            for (std::size_t i = 0; i < length; ++i)
                in.data()[place(a, i)] = element<In, Op>(i, length, random);
        });
        array_of<Out> expected(out.data(), out.size());  // what lies between the results as well
        for_each_slice(shape, along, from, results, [&](std::int64_t a, std::int64_t b) {
            core::odometer<Acc, Op> odometer(op, start);
            for (std::size_t i = 0; i < length; ++i) odometer.take(cpu::convert<Acc>(in.data()[place(a, i)]));
            expected[static_cast<std::size_t>(b)] = cpu::convert<Out>(*odometer.value());
        });
        reduce<Acc>(ex, strided_view<const In>(in.data() + from.first, shape, from.strides),
                    strided_view<Out>(out.data() + to.first, without(shape, along), to.strides), axis, op,
                    {start});
        const std::size_t wrong = first_difference(out.data(), std::begin(expected), out.size());
        if (wrong != out.size() && !excuse<Op, Acc>(ex).empty())
            GTEST_SKIP() << "not a bit-conforming driver: " << (excuse<Op, Acc>(ex));
        ASSERT_EQ(wrong, out.size()) << "element " << wrong << " of the memory is "
                                     << describe(out.data()[wrong]) << ", expected "
                                     << describe(expected[wrong]);
        EXPECT_TRUE(in.sentinels_intact() && out.sentinels_intact());
    }

    // Every axis from every layout, to one in turn; where shapes are large or tests short, from one in turn.
    void run_all(const extents& shape, coverage wanted = coverage::levels) const {
        const std::vector<layout> layouts = layouts_of(shape);
        const bool in_turn = wanted == coverage::all || sanitized || in_brief;
        static unsigned first_turn = 0;
        unsigned turn = in_turn ? first_turn++ : 0;
        for_each_backend(wanted, [&](const auto& backend) {
            for (std::size_t axis = 0; axis < shape.size(); ++axis) {
                const std::vector<layout> targets = layouts_of(without(shape, axis));
                for (std::size_t from = in_turn ? turn % layouts.size() : 0; from < layouts.size();
                     from += in_turn ? layouts.size() : 1) {
                    const int told = static_cast<int>(axis) - static_cast<int>(turn % 2 * shape.size());
                    run(*backend.executor, shape, told, layouts[from],
                        targets[(from + turn) % targets.size()], turn / 2 % 2 == 1);
                    if (::testing::Test::HasFatalFailure()) return;
                    ++turn;
                }
            }
        });
    }
};

inline const totals_check<float, plus> float_totals{0.3f};

}  // namespace upsweep::test
