// Scans by columns, forced: widths and lengths around what units, tiles and supers of the tree end at, more
// units than the device has warps, and arrays that are copied in every other way.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuda/device_array.cuh"
#include "support/bits.hpp"
#include "support/monoids.hpp"
#include "upsweep/axis_scan.hpp"
#include "upsweep/cuda/axis_scan.cuh"
#include "upsweep/cuda/recurrence.cuh"
#include "upsweep/recurrence.hpp"

namespace upsweep::test {
namespace {

using shape_of_view = std::vector<std::int64_t>;

// Where an array lies in memory: elements in front of it, and between its rows.
struct placement {
    std::size_t offset = 0;
    std::int64_t gap = 0;
};

template <class T>
struct placed_array {
    shape_of_view shape, strides;
    std::size_t offset, extent;

    placed_array(const shape_of_view& its_shape, const placement& where)
        : shape(its_shape), strides(its_shape.size()), offset(where.offset) {
        std::int64_t stride = 1;
        for (std::size_t k = shape.size(); k-- != 0;) {
            strides[k] = stride;
            stride *= shape[k] + (k + 1 == shape.size() ? where.gap : 0);
        }
        extent = offset + static_cast<std::size_t>(stride) + 9;
    }
    cuda::device_view<T> on(T* data) const { return {data + offset, shape, strides}; }
    strided_view<T> on_host(T* data) const { return {data + offset, shape, strides}; }
};

// scan(executor, inputs..., output) by columns and by the CPU, of random inputs: the results' arrays must
// agree in every byte, those outside of the results too.
template <class In, class Out, int Inputs, class Scan>
void expect_columns(const shape_of_view& shape, const Scan& scan, const placement& from = {},
                    const placement& to = {}, bool in_place = false) {
    const placed_array<const In> source(shape, from);
    const placed_array<Out> target(shape, to);
    std::vector<device_array<In>> x;
    std::vector<std::vector<In>> host_x;
    for (int k = 0; k < Inputs; ++k) {
        x.push_back(random_array<In>(source.extent, 7 + static_cast<std::uint64_t>(k)));
        host_x.push_back(x.back().read());
    }
    device_array<Out> y(target.extent);
    y.poison();
    std::vector<Out> expected = y.read();
    const auto run = [&](auto& ex, const auto& in, const auto& second, const auto& out) {
        if constexpr (Inputs == 2)
            scan(ex, in, second, out);
        else
            scan(ex, in, out);
    };
    cuda::executor ex;
    ex.set_axis_way(cuda::axis_way::columns);
    cpu::executor host(1);
    if constexpr (std::is_same_v<In, Out>) {
        if (in_place) {
            y = std::move(x[0]);
            x[0] = device_array<In>(host_x[0]);
            expected = host_x[0];
            const auto out = target.on_host(expected.data());
            run(host, strided_view<const In>(out.data(), shape, target.strides),
                source.on_host(host_x.back().data()), out);
            const auto device_out = target.on(y.data());
            run(ex, cuda::device_view<const In>(device_out.data(), shape, target.strides),
                source.on(x.back().data()), device_out);
        }
    }
    if (!in_place) {
        run(host, source.on_host(host_x[0].data()), source.on_host(host_x.back().data()),
            target.on_host(expected.data()));
        run(ex, source.on(x[0].data()), source.on(x.back().data()), target.on(y.data()));
    }
    EXPECT_EQ(ex.latest_axis_way(), cuda::axis_way::columns);
    const std::vector<Out> got = y.read();
    ASSERT_EQ(first_difference(got.data(), expected.data(), got.size()), got.size());
    for (int k = 0; k < Inputs; ++k) {
        const std::vector<In> kept = x[static_cast<std::size_t>(k)].read();
        ASSERT_EQ(
            std::memcmp(kept.data(), host_x[static_cast<std::size_t>(k)].data(), kept.size() * sizeof(In)), 0)
            << "input " << k << " was changed";
    }
}

std::string text_of(const shape_of_view& shape) {
    std::string text;
    for (const std::int64_t extent : shape) text += std::to_string(extent) + " ";
    return text;
}

struct kind {
    bool exclusive, reverse, initial;
};
constexpr kind kinds[] = {{false, false, false},
                          {true, false, false},
                          {false, true, true},
                          {true, true, false},
                          {true, false, true}};

template <class In, class Out = In, class Op = plus>
void expect_sums(const shape_of_view& shape, int axis, const kind& what, const placement& from = {},
                 const placement& to = {}, bool in_place = false) {
    SCOPED_TRACE(text_of(shape) + "axis " + std::to_string(axis) + (what.exclusive ? " exclusive" : "") +
                 (what.reverse ? " reverse" : "") + (what.initial ? " initial" : "") + " offsets " +
                 std::to_string(from.offset) + " " + std::to_string(to.offset) + " gaps " +
                 std::to_string(from.gap) + " " + std::to_string(to.gap) + (in_place ? " in place" : ""));
    using acc = std::conditional_t<std::is_same_v<In, Out>, deduced, Out>;
    expect_columns<In, Out, 1>(
        shape,
        [&](auto& ex, const auto& in, const auto& out) {
            batch_options<core::accumulator_for<acc, In, Op>> options{.reverse = what.reverse};
            if (what.initial) options.initial = core::accumulator_for<acc, In, Op>(3);
            if (what.exclusive)
                exclusive_scan<acc>(ex, in, out, axis, Op{}, options);
            else
                inclusive_scan<acc>(ex, in, out, axis, Op{}, options);
        },
        from, to, in_place);
}
template <class T>
void expect_recurrence(const shape_of_view& shape, int axis, bool reverse, const placement& from = {},
                       const placement& to = {}, bool in_place = false) {
    SCOPED_TRACE(text_of(shape) + "recurrence along " + std::to_string(axis));
    expect_columns<T, T, 2>(
        shape,
        [&](auto& ex, const auto& a, const auto& b, const auto& out) {
            linear_recurrence(ex, a, b, T(0.5), out, axis, {.reverse = reverse});
        },
        from, to, in_place);
}

TEST(cuda_columns, every_width) {
    for (const std::int64_t width : {1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 31, 32, 33, 64, 100, 256}) {
        for (const std::int64_t length : {1, 2, 127, 128, 129, 4095, 4096, 4097, 9001})
            for (const kind& what : kinds) expect_sums<float>({length, width}, 0, what);
    }
}
TEST(cuda_columns, around_supers) {
    for (const std::int64_t width : {2, 3, 5, 16, 32, 33, 100}) {
        for (const std::int64_t length : {131071, 131072, 131073, 300007})
            expect_sums<float>({length, width}, 0, kinds[length % 5]);
    }
}
TEST(cuda_columns, more_units_than_warps) {
    expect_sums<float>({4'000'003, 3}, 0, kinds[0]);
    expect_sums<float>({1'000'003, 16}, 0, kinds[3]);
    expect_sums<float>({150'001, 130}, 0, kinds[2]);
    expect_sums<std::uint8_t, std::uint32_t>({5000, 7680}, 0, kinds[0]);
}
TEST(cuda_columns, start_anew) {
    for (const shape_of_view& shape : {shape_of_view{5, 4099, 3},
                                       {7, 300, 33},
                                       {3, 140001, 2},
                                       {2, 3, 5000, 16},
                                       {40, 129, 5},
                                       {2, 270001, 40}}) {
        for (const kind& what : {kinds[0], kinds[2], kinds[3]})
            expect_sums<float>(shape, static_cast<int>(shape.size()) - 2, what);
    }
    expect_recurrence<float>({3, 140001, 6}, 1, false);
}
TEST(cuda_columns, anywhere_in_memory) {
    for (const std::int64_t width : {3, 6, 16, 33, 64}) {
        for (const std::size_t offset : {1, 2, 3, 4}) {
            for (const std::size_t other : {std::size_t{0}, offset}) {
                expect_sums<float>({4301, width}, 0, kinds[0], {offset}, {other});
                expect_sums<float>({4301, width}, 0, kinds[3], {other}, {offset});
            }
        }
        for (const std::int64_t gap : {1, 4, 16}) {
            expect_sums<float>({4301, width}, 0, kinds[0], {0, gap}, {0, gap});
            expect_sums<float>({4301, width}, 0, kinds[3], {0, gap}, {1, 0});
            expect_sums<float>({4301, width}, 0, kinds[4], {}, {0, gap});
        }
    }
    for (const std::size_t offset : {1, 2, 7, 15}) {
        expect_sums<std::uint8_t>({4301, 5}, 0, kinds[0], {offset}, {offset});
        expect_sums<std::uint8_t>({4301, 19}, 0, kinds[3], {offset}, {});
        expect_sums<std::uint16_t>({4301, 7}, 0, kinds[2], {offset}, {3});
        expect_sums<double>({4301, 7}, 0, kinds[3], {offset}, {offset});
    }
}
TEST(cuda_columns, in_place) {
    for (const std::int64_t width : {3, 16, 33, 64}) {
        for (const kind& what : kinds) {
            expect_sums<float>({9001, width}, 0, what, {}, {}, true);
            expect_sums<float>({9001, width}, 0, what, {1, 4}, {1, 4}, true);
        }
        expect_recurrence<float>({9001, width}, 0, true, {}, {}, true);
    }
}
TEST(cuda_columns, types) {
    for (const std::int64_t width : {2, 3, 8, 16, 33, 80}) {
        for (const kind& what : kinds) {
            expect_sums<std::uint8_t, std::uint32_t>({9001, width}, 0, what);
            expect_sums<float, double>({9001, width}, 0, what);
            expect_sums<double, float>({9001, width}, 0, what);
            expect_sums<std::int16_t>({9001, width}, 0, what);
            expect_sums<std::uint64_t>({9001, width}, 0, what);
            expect_sums<double, double, multiplies>({9001, width}, 0, what);
            expect_sums<float, float, maximum>({9001, width}, 0, what);
        }
    }
}
// An operator whose results name the tree that made them.
TEST(cuda_columns, keep_the_tree) {
    for (const std::int64_t width : {2, 3, 16, 33}) {
        for (const std::int64_t length : {127, 4097, 140001}) {
            for (const kind& what : {kinds[0], kinds[2], kinds[4]})
                expect_sums<std::uint64_t, std::uint64_t, fingerprint>({length, width}, 0, what);
        }
    }
    expect_sums<std::uint64_t, std::uint64_t, fingerprint>({3, 140001, 5}, 1, kinds[2]);
}
TEST(cuda_columns, recurrences) {
    for (const std::int64_t width : {1, 3, 8, 16, 33, 100}) {
        for (const std::int64_t length : {1, 129, 4097, 140001}) {
            expect_recurrence<float>({length, width}, 0, length % 2 == 0);
            expect_recurrence<double>({length, width}, 0, true);
        }
        expect_recurrence<float>({4301, width}, 0, true, {1}, {3});
        expect_recurrence<float>({4301, width}, 0, false, {0, 4}, {2});
    }
}
// One column of a matrix, and columns that are apart: neither neighbours nor whole pieces.
// Gaps everywhere, and rows that follow each other in opposite directions in the two arrays.
TEST(cuda_columns, any_strides) {
    struct side {
        std::int64_t first;
        shape_of_view strides;
    };
    struct layout {
        shape_of_view shape;
        side in, out;
    };
    const std::vector<layout> layouts = {
        {{9001, 2}, {0, {4, 2}}, {0, {4, 2}}},      {{9001, 3}, {27000, {-3, 1}}, {27000, {-3, 1}}},
        {{9001, 3}, {27000, {-3, 1}}, {0, {3, 1}}}, {{9001, 3}, {0, {3, 1}}, {27000, {-3, 1}}},
        {{9001, 1}, {9000, {-1, 1}}, {0, {1, 1}}},  {{130, 5}, {645, {-5, 1}}, {0, {5, 1}}}};
    const device_array<float> x = random_array<float>(40000, 3);
    const std::vector<float> in = x.read();
    cuda::executor ex;
    ex.set_axis_way(cuda::axis_way::columns);
    cpu::executor host(1);
    for (const auto& [shape, from, to] : layouts) {
        SCOPED_TRACE(text_of(shape) + "strides " + std::to_string(from.strides[0]) + " " +
                     std::to_string(to.strides[0]));
        std::vector<float> expected(40000, 0.0f);
        device_array<float> y(40000);
        y.assign(expected);
        inclusive_scan(ex, cuda::device_view<const float>(x.data() + from.first, shape, from.strides),
                       cuda::device_view<float>(y.data() + to.first, shape, to.strides), 0);
        inclusive_scan(host, strided_view<const float>(in.data() + from.first, shape, from.strides),
                       strided_view<float>(expected.data() + to.first, shape, to.strides), 0);
        EXPECT_EQ(y.read(), expected);
    }
}

// Two streams at once, each with scratch of its own that other scans use too, and tags that begin again.
TEST(cuda_columns, share_the_device) {
    const shape_of_view shape{300'001, 5};
    const std::size_t n = 1'500'005;
    const device_array<float> x = random_array<float>(n, 4);
    std::vector<float> in = x.read(), expected(n), flat(n);
    cpu::executor host(1);
    inclusive_scan(host, strided_view<const float>(in.data(), shape),
                   strided_view<float>(expected.data(), shape), 0);
    inclusive_scan(host, in, flat);
    const device_array<float> wanted(expected), wanted_flat(flat);
    const std::size_t bytes =
        std::max(cuda::axis_scan_workspace_bytes<float>(300'001, 5), cuda::scan_workspace_bytes<float>(n));
    struct lane {
        test_stream stream;
        device_array<std::byte> scratch;
        device_array<float> y, z;
        std::unique_ptr<cuda::executor> ex;
    };
    std::vector<std::unique_ptr<lane>> lanes;
    for (int k = 0; k < 2; ++k) {
        auto own = std::make_unique<lane>();
        own->scratch = device_array<std::byte>(bytes);
        own->y = device_array<float>(n);
        own->z = device_array<float>(n);
        own->ex = std::make_unique<cuda::executor>(own->stream, own->scratch.span());
        own->ex->set_axis_way(cuda::axis_way::columns);
        expect_success(cudaDeviceSynchronize(), "clearing");
        // Near the last tag.
        cuda::launch_state state{};
        state.ticket = static_cast<unsigned long long>(0u - 4u) << 32;
        expect_success(cudaMemcpy(own->scratch.data(), &state, sizeof state, cudaMemcpyHostToDevice),
                       "wearing");
        lanes.push_back(std::move(own));
    }
    for (int repetition = 0; repetition < 8; ++repetition) {
        for (const auto& own : lanes) {
            own->y.poison();
            own->z.poison();
        }
        for (const auto& own : lanes) {
            inclusive_scan(*own->ex, cuda::device_view<const float>(x.data(), shape),
                           cuda::device_view<float>(own->y.data(), shape), 0);
            inclusive_scan(*own->ex, x.view(), own->z.span());
        }
        for (const auto& own : lanes) {
            ASSERT_EQ(differences(own->y, wanted, own->stream), 0u) << repetition;
            ASSERT_EQ(differences(own->z, wanted_flat, own->stream), 0u) << repetition;
        }
    }
}

}  // namespace
}  // namespace upsweep::test
