// linear_recurrence along an axis: every slice has the bits of its own recurrence.
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "support/refused.hpp"
#include "support/strided_layout.hpp"
#include "support/sweep.hpp"
#include "upsweep/error.hpp"
#include "upsweep/recurrence.hpp"

namespace upsweep::test {
namespace {

// A layout in which the elements of a dimension are one.
layout repeating(layout from, const extents& shape, std::size_t dimension) {
    from.name += ", one along " + std::to_string(dimension);
    const std::int64_t stride = from.strides[dimension];
    if (stride < 0) from.first -= static_cast<std::size_t>((shape[dimension] - 1) * -stride);
    from.strides[dimension] = 0;
    return from;
}

enum class target { out, a, b };

template <class Number, class A = Number, class B = Number, class Out = Number>
struct recurrence_check {
    template <class Executor>
    static void run(Executor& ex, const extents& shape, int axis, const layout& of_a, const layout& of_b,
                    const layout& of_out, target into, bool reverse) {
        const layout& to = into == target::a ? of_a : into == target::b ? of_b : of_out;
        SCOPED_TRACE("shape " + text_of(shape) + ", axis " + std::to_string(axis) + ", a " + of_a.name + " " +
                     text_of(of_a.strides) + ", b " + of_b.name + " " + text_of(of_b.strides) + " to " +
                     to.name + " " + text_of(to.strides) + (reverse ? ", reversed" : ""));
        const auto along = static_cast<std::size_t>(axis < 0 ? axis + static_cast<int>(shape.size()) : axis);
        const auto length = static_cast<std::size_t>(shape[along]);
        const Number x0 = Number(3);
        guarded<A> a(of_a.room, 1);
        guarded<B> b(of_b.room, 2);
        guarded<Out> out(into == target::out ? to.room : 0, 3);
        random_bits random(7 + length);
        const double largest = std::is_integral_v<A> ? 3.9 : 1;
        for (std::size_t i = 0; i < of_a.room; ++i)
            a.data()[i] = cpu::convert<A>(random.between(-largest, largest));
        for (std::size_t i = 0; i < of_b.room; ++i) b.data()[i] = cpu::convert<B>(random.between(-9, 9));
        std::span<Out> memory = out.span();
        if constexpr (std::is_same_v<A, Out>)
            if (into == target::a) memory = a.span();
        if constexpr (std::is_same_v<B, Out>)
            if (into == target::b) memory = b.span();

        array_of<Out> expected(memory.data(), memory.size());  // what lies between elements as well
        std::vector<std::int64_t> in_b;
        for_each_slice(shape, along, of_b, of_b,
                       [&](std::int64_t first, std::int64_t) { in_b.push_back(first); });
        std::size_t slice = 0;
        for_each_slice(shape, along, of_a, to, [&](std::int64_t in_a, std::int64_t in_out) {
            core::odometer<affine_map<Number>, affine> odometer(affine{}, affine_map<Number>{Number(0), x0});
            for (std::size_t i = 0; i < length; ++i) {
                const auto at = static_cast<std::int64_t>(reverse ? length - 1 - i : i);
                odometer.take({cpu::convert<Number>(a.data()[in_a + at * of_a.strides[along]]),
                               cpu::convert<Number>(b.data()[in_b[slice] + at * of_b.strides[along]])});
                expected[static_cast<std::size_t>(in_out + at * to.strides[along])] =
                    cpu::convert<Out>(odometer.value()->b);
            }
            ++slice;
        });
        linear_recurrence<Number>(ex, strided_view<const A>(a.data() + of_a.first, shape, of_a.strides),
                                  strided_view<const B>(b.data() + of_b.first, shape, of_b.strides), x0,
                                  strided_view<Out>(memory.data() + to.first, shape, to.strides), axis,
                                  {.reverse = reverse});
        const std::size_t wrong = first_difference(memory.data(), std::begin(expected), memory.size());
        ASSERT_EQ(wrong, memory.size())
            << "element " << wrong << " of the memory is " << describe(memory[wrong]) << ", expected "
            << describe(expected[wrong]);
        EXPECT_TRUE(a.sentinels_intact() && b.sentinels_intact() && out.sentinels_intact());
    }

    // Every axis, forwards and backwards; layouts and targets in turn.
    static void run_all(const extents& shape, coverage wanted = coverage::levels) {
        const std::size_t rank = shape.size();
        const std::vector<layout> layouts{
            {"C", shape, c_order(rank), 1, 0},
            {"Fortran", shape, fortran_order(rank), 1, 0},
            {"backwards", shape, c_order(rank), 1, ~0u},
            {"half backwards", shape, fortran_order(rank), 1, 5u},
            {"padded C", shape, c_order(rank), 2, 0, 3},
            {"lines apart", shape, c_order(rank), 1, 0, 3},
        };
        constexpr bool into_inputs = std::is_same_v<A, Out> && std::is_same_v<B, Out>;
        unsigned turn = 0;
        for_each_backend(wanted, [&](const auto& backend) {
            for (int axis = -static_cast<int>(rank); axis < static_cast<int>(rank); ++axis) {
                for (std::size_t k = 0; k < layouts.size(); ++k, ++turn) {
                    if (few_shapes() && turn % 4 != 0) continue;
                    // The same layout for all arrays every other time: they may be scanned as they lie.
                    const layout& from = layouts[k];
                    const bool same = axis < 0;
                    layout of_a = same ? from : layouts[(k + 1) % layouts.size()];
                    layout of_b = same ? from : layouts[(k + turn) % layouts.size()];
                    target into = into_inputs ? static_cast<target>(turn % 3) : target::out;
                    if (turn % 5 == 3 && into != target::a) of_a = repeating(of_a, shape, turn % rank);
                    if (turn % 7 == 4 && into != target::b) of_b = repeating(of_b, shape, turn / 2 % rank);
                    run(*backend.executor, shape, axis, of_a, of_b, from, into, turn % 2 != 0);
                    if (::testing::Test::HasFatalFailure()) return;
                }
            }
        });
    }
};

TEST(axis_recurrence, by_hand) {
    const std::vector<float> a{2, 1, 0.5f, 3, 1, 2}, b{1, 1, 1, 0, -1, 4};
    for_each_backend([&](const auto& backend) {
        std::vector<float> out(6);
        const strided_view<const float> by(a.data(), {2, 3}), plus_b(b.data(), {2, 3});
        const strided_view<float> x(out.data(), {2, 3});
        linear_recurrence(*backend.executor, by, plus_b, 1.0f, x, 1);
        EXPECT_EQ(out, (std::vector<float>{3, 4, 3, 3, 2, 8}));
        linear_recurrence(*backend.executor, by, plus_b, 1.0f, x, 0);
        EXPECT_EQ(out, (std::vector<float>{3, 2, 1.5f, 9, 1, 7}));
        linear_recurrence(*backend.executor, by, plus_b, 1.0f, x, -1, {.reverse = true});
        EXPECT_EQ(out, (std::vector<float>{6, 2.5f, 1.5f, 15, 5, 6}));
        // Half of what was before, by one number.
        const float half = 0.5f;
        linear_recurrence(*backend.executor, strided_view<const float>(&half, {2, 3}, {0, 0}), plus_b, 0.0f,
                          x, 1);
        EXPECT_EQ(out, (std::vector<float>{1, 1.5f, 1.75f, 0, -1, 3.5f}));
    });
}

// x0 may be an element that is written before the last sequence begins.
template <class Number>
void check_start_from_out() {
    const std::vector<Number> half(300, Number(0.5f)), ones(300, Number(1));
    const strided_view<const Number> a(half.data(), {100, 3}), b(ones.data(), {100, 3});
    for_each_backend([&](const auto& backend) {
        std::vector<Number> expected(300), out(300, Number(3));
        const strided_view<Number> x(out.data(), {100, 3});
        const strided_view<Number> wanted(expected.data(), {100, 3});
        linear_recurrence(*backend.executor, a, b, Number(3), wanted, 1);
        linear_recurrence(*backend.executor, a, b, out[2], x, 1);
        EXPECT_EQ(out, expected);
        out[2] = Number(3);
        linear_recurrence(*backend.executor, Number(0.5f), b, out[2], x, 1);
        EXPECT_EQ(out, expected);
    });
}
TEST(axis_recurrence, starts_from_an_element_of_out) {
    check_start_from_out<float>();
#if !defined(UPSWEEP_TEST_CUDA)  // whose devices have none
    check_start_from_out<long double>();
#endif
}

TEST(axis_recurrence, one_dimension) {
    for (const std::int64_t n : {1, 2, 5, 127, 128, 129, 300, 4095, 4097, 12291})
        recurrence_check<float>::run_all({n});
    recurrence_check<float>::run_all({131075}, coverage::threads);
}
TEST(axis_recurrence, small_shapes) {
    for (const extents& shape : {extents{1, 1, 1}, extents{2, 3, 4}, extents{7, 1, 5}, extents{3, 17, 2},
                                 extents{2, 2, 2, 2}, extents{1, 33, 3}, extents{71, 4}, extents{40, 36}}) {
        recurrence_check<float>::run_all(shape);
    }
}
TEST(axis_recurrence, shapes_that_pass_rows_and_tiles) {
    for (const extents& shape :
         {extents{130, 33}, extents{257, 16}, extents{16, 257}, extents{4099, 3}, extents{3, 4099},
          extents{6, 129, 10}, extents{3, 4200, 5}, extents{70, 128}, extents{9, 300}}) {
        recurrence_check<float>::run_all(shape);
        if (few_shapes() && shape[0] == 257) break;
    }
}
TEST(axis_recurrence, shapes_that_several_threads_share) {
    for (const extents& shape :
         {extents{300, 300}, extents{16, 9000}, extents{40000, 3}, extents{2000, 67}, extents{131075, 2}}) {
        recurrence_check<float>::run_all(shape, coverage::threads);
        if (few_shapes() && shape[1] == 9000) break;
    }
}
// Results that are stored past the caches, in whole cache lines or not; threads take lanes, or all of them in
// turn.
TEST(axis_recurrence, past_the_caches) {
    constexpr std::int64_t elements = small_streamed_bytes / (3 * sizeof(float));
    constexpr std::size_t to_line = 13;  // from where the check's output begins
    for_each_backend(few_shapes() ? coverage::threads : coverage::all, [&](const auto& backend) {
        for (const std::int64_t columns : {5, 33, 48, 1024, 4128}) {
            const extents shape{elements / columns + 140, columns};
            const layout c("C", shape, c_order(2), 1, 0);
            layout lines = c;
            lines.first += to_line;
            lines.room += to_line;
            const bool reverse = columns == 48;
            recurrence_check<float>::run(*backend.executor, shape, 0, c, c, lines, target::out, reverse);
            recurrence_check<float>::run(*backend.executor, shape, 0, c, c, c, target::out, reverse);
            if (few_shapes() && columns == 48) break;
        }
        for (const std::int64_t length : {300, 1000, 1024, 2085}) {
            const extents shape{elements / length + 2, length};
            const layout c("C", shape, c_order(2), 1, 0);
            recurrence_check<float>::run(*backend.executor, shape, 1, c, c, c, target::out, length == 1024);
            if (few_shapes() && length == 1000) break;
        }
    });
}
TEST(axis_recurrence, other_types) {
    for (const extents& shape : {extents{131, 40}, extents{9, 4101}, extents{3, 70, 17}}) {
        recurrence_check<double>::run_all(shape);
        recurrence_check<float, float16, float16, float16>::run_all(shape);
        recurrence_check<float, bfloat16, bfloat16, bfloat16>::run_all(shape);
        recurrence_check<double, float, float, double>::run_all(shape);
        recurrence_check<std::int32_t>::run_all(shape, coverage::threads);
        if (few_shapes()) break;
    }
}

TEST(axis_recurrence, no_elements) {
    for_each_backend([](const auto& backend) {
        for (const extents& shape : {extents{0}, extents{0, 3}, extents{3, 0}}) {
            const strided_view<const float> in(nullptr, shape);
            const strided_view<float> out(nullptr, shape);
            EXPECT_NO_THROW(linear_recurrence(*backend.executor, in, in, 1.0f, out, 0));
        }
    });
}
TEST(axis_recurrence, refuses_misuse) {
    cpu::executor ex(1);
    std::vector<float> a(12, 1.0f), b(12, 1.0f), out(24, 7.0f);
    const strided_view<const float> of_a(a.data(), {3, 4}), of_b(b.data(), {3, 4});
    const strided_view<float> to(out.data(), {3, 4});
    expect_refused("axis: expected -2 to 1", [&] { linear_recurrence(ex, of_a, of_b, 1.0f, to, 2); });
    const strided_view<const float> turned_a(a.data(), {4, 3}), turned_b(b.data(), {4, 3});
    expect_refused("out: its shape differs from that of a",
                   [&] { linear_recurrence(ex, turned_a, of_b, 1.0f, to, 0); });
    expect_refused("out: its shape differs from that of b",
                   [&] { linear_recurrence(ex, of_a, turned_b, 1.0f, to, 0); });
    expect_refused("out: stride 0 in dimension 1", [&] {
        linear_recurrence(ex, of_a, of_b, 1.0f, strided_view<float>(out.data(), {3, 4}, {4, 0}), 0);
    });
    const strided_view<const float> before(out.data(), {3, 4});
    expect_refused("out: overlaps a", [&] {
        linear_recurrence(ex, before, of_b, 1.0f, strided_view<float>(out.data() + 1, {3, 4}), 0);
    });
    expect_refused("out: overlaps b", [&] {
        linear_recurrence(ex, of_a, before, 1.0f, strided_view<float>(out.data() + 11, {3, 4}), 0);
    });
    const float number = 1;
    expect_refused("a: a 0-dimensional array", [&] {
        linear_recurrence(ex, strided_view<const float>(&number, extents{}), of_b, 1.0f, to, 0);
    });
    EXPECT_EQ(out, std::vector<float>(24, 7.0f)) << "something was written";
}

}  // namespace
}  // namespace upsweep::test
