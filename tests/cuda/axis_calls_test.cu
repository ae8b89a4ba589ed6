// What CUDA's axis scans have beside the CPU's: device memory that is checked, ways that are chosen by shape,
// scratch that other scans share, graphs, and more elements than 32 bits count.
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "cuda/captured_graph.hpp"
#include "cuda/device_array.cuh"
#include "support/bits.hpp"
#include "support/refused.hpp"
#include "upsweep/axis_scan.hpp"
#include "upsweep/cuda/axis_scan.cuh"
#include "upsweep/cuda/recurrence.cuh"
#include "upsweep/cuda/tuning.hpp"

namespace upsweep::test {
namespace {

using shape_of_view = std::vector<std::int64_t>;

template <class T>
std::vector<T> cpu_scan(const std::vector<T>& in, const shape_of_view& shape, int axis) {
    cpu::executor ex(1);
    std::vector<T> out(in.size());
    inclusive_scan(ex, strided_view<const T>(in.data(), shape), strided_view<T>(out.data(), shape), axis);
    return out;
}

struct first_of_lines {  // without an identity
    UPSWEEP_HOST_DEVICE float operator()(float a, float) const { return a; }
};

class cuda_axis : public ::testing::Test {
  protected:
    cuda::executor ex;
    device_array<float> x{std::vector<float>(60, 1.0f)};
    device_array<float> y{std::vector<float>(60, 7.0f)};
    cuda::device_view<const float> in{x.data(), {5, 12}};
    cuda::device_view<float> out{y.data(), {5, 12}};

    void TearDown() override { EXPECT_EQ(y.read(), std::vector<float>(60, 7.0f)) << "something was written"; }
};

TEST_F(cuda_axis, refuses_shapes_that_do_not_fit) {
    expect_refused("axis: expected -2 to 1", [&] { inclusive_scan(ex, in, out, 2); });
    expect_refused("axis: expected -2 to 1", [&] { exclusive_scan(ex, in, out, -3); });
    expect_refused("out: its shape differs", [&] {
        inclusive_scan(ex, in, cuda::device_view<float>(y.data(), {12, 5}), 0);
    });
    expect_refused("out: stride 0", [&] {
        inclusive_scan(ex, in, cuda::device_view<float>(y.data(), {5, 12}, {0, 1}), 0);
    });
    expect_refused("out: overlaps in", [&] {
        inclusive_scan(ex, cuda::device_view<const float>(y.data(), {6, 6}),
                       cuda::device_view<float>(y.data(), {6, 6}, {1, 6}), 0);
    });
    expect_refused("options.initial:", [&] { exclusive_scan(ex, in, out, 0, first_of_lines{}); });
}
TEST_F(cuda_axis, refuses_memory_that_is_not_the_devices) {
    std::vector<float> host(60, 1.0f);
    expect_refused("in: ", [&] {
        inclusive_scan(ex, cuda::device_view<float>(host.data(), {5, 12}), out, 0);
    });
    expect_refused("out: ", [&] {
        inclusive_scan(ex, in, cuda::device_view<float>(host.data(), {5, 12}), 0);
    });
    expect_refused("in: ", [&] { inclusive_scan(ex, cuda::device_view<float>(nullptr, {5, 12}), out, 0); });
    auto* const crooked = reinterpret_cast<float*>(reinterpret_cast<char*>(x.data()) + 1);
    expect_refused("in: the pointer is not aligned", [&] {
        inclusive_scan(ex, cuda::device_view<float>(crooked, {2, 3}),
                       cuda::device_view<float>(y.data(), {2, 3}), 0);
    });
    // Without elements no pointer is looked at.
    inclusive_scan(ex, cuda::device_view<float>(nullptr, {5, 0}), cuda::device_view<float>(nullptr, {5, 0}),
                   0);
}
TEST_F(cuda_axis, refuses_ways_that_strides_forbid) {
    for (const cuda::axis_way way :
         {cuda::axis_way::lines, cuda::axis_way::line_tiles, cuda::axis_way::lines_ahead,
          cuda::axis_way::line_by_line, cuda::axis_way::chunked_lanes, cuda::axis_way::word_lanes,
          cuda::axis_way::short_lines, cuda::axis_way::packed_lanes}) {
        ex.set_axis_way(way);
        expect_refused(
            std::string("axis_way: these arrays cannot be scanned by ") + cuda::name(way),
            [&] { inclusive_scan(ex, in, out, 0); }, errc::unsupported);
    }
}
TEST_F(cuda_axis, refuses_recurrences_that_do_not_fit) {
    const cuda::device_view<const float> turned(x.data(), {12, 5}), before(y.data(), {5, 11});
    const cuda::device_view<float> behind(y.data() + 1, {5, 11});
    const cuda::device_view<const float> part(x.data(), {5, 11});
    expect_refused("axis: expected -2 to 1", [&] { linear_recurrence(ex, in, in, 1.0f, out, 2); });
    expect_refused("out: its shape differs from that of a",
                   [&] { linear_recurrence(ex, turned, in, 1.0f, out, 0); });
    expect_refused("out: its shape differs from that of b",
                   [&] { linear_recurrence(ex, in, turned, 1.0f, out, 0); });
    expect_refused("out: overlaps a", [&] { linear_recurrence(ex, before, part, 1.0f, behind, 0); });
    expect_refused("out: overlaps b", [&] { linear_recurrence(ex, part, before, 1.0f, behind, 1); });
    std::vector<float> host(60, 1.0f);
    expect_refused("b: ", [&] {
        linear_recurrence(ex, in, cuda::device_view<const float>(host.data(), {5, 12}), 1.0f, out, 0);
    });
}
TEST_F(cuda_axis, refuses_scratch_that_is_too_small) {
    const device_array<std::byte> memory(256);
    const device_array<float> from(200 * 9);
    device_array<float> to(200 * 9);
    to.poison();
    cuda::executor small(nullptr, {memory.data(), memory.size()});
    expect_refused(
        "workspace",
        [&] {
            inclusive_scan(small, cuda::device_view<const float>(from.data(), {200, 9}),
                           cuda::device_view<float>(to.data(), {200, 9}), 0);
        },
        errc::out_of_memory);
    for (const float value : to.read()) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        ASSERT_EQ(bits, 0x01010101u * device_staging::poison) << "something was written";
    }
    // Sequences of one row of the tree need none.
    device_array<float> sums(60);
    inclusive_scan(small, in, cuda::device_view<float>(sums.data(), {5, 12}), 0);
    EXPECT_EQ(small.latest_axis_way(), cuda::axis_way::rows);
    EXPECT_EQ(sums.read().back(), 5.0f);
}

TEST(cuda_axis_ways, follow_shape_and_strides) {
    cuda::executor ex;
    const auto processors = static_cast<std::int64_t>(ex.multiprocessors());
    const auto many = processors * static_cast<std::int64_t>(cuda::lanes_from_sequences);
    const auto way_of_elements = [&]<class T>(std::type_identity<T>, const shape_of_view& shape, int axis) {
        std::int64_t size = 1;
        for (const std::int64_t extent : shape) size *= extent;
        const device_array<T> x(static_cast<std::size_t>(size));
        device_array<T> y(static_cast<std::size_t>(size));
        expect_success(cudaMemset(x.data(), 0, x.size() * sizeof(T)), "clearing");
        inclusive_scan(ex, cuda::device_view<const T>(x.data(), shape), cuda::device_view<T>(y.data(), shape),
                       axis);
        ex.wait();
        return ex.latest_axis_way();
    };
    const auto way_of = [&](const shape_of_view& shape, int axis) {
        return way_of_elements(std::type_identity<float>{}, shape, axis);
    };
    using enum cuda::axis_way;
    EXPECT_EQ(way_of({1000, many}, 0), lanes);
    EXPECT_EQ(way_of({100, many}, 0), rows);  // one row of the tree each
    EXPECT_EQ(way_of({100000, 16}, 0), columns);
    EXPECT_EQ(way_of({100000, 3}, 0), columns);
    EXPECT_EQ(way_of({1000, 16}, 0), rows);  // too short
    EXPECT_EQ(way_of({3, 50000, 16}, 1), columns);
    EXPECT_EQ(way_of({50000, 96}, 0), columns);
    EXPECT_EQ(way_of({50000, 97}, 0), columns);
    EXPECT_EQ(way_of({many, 64}, 1), short_lines);
    EXPECT_EQ(way_of({5, 12}, 1), short_lines);
    EXPECT_EQ(way_of({many, 128}, 1), chunked_lanes);  // too long, and all lanes meet in a bank
    EXPECT_EQ(way_of({many, 68}, 1), packed_lanes);
    EXPECT_EQ(way_of({many, 63}, 1), packed_lanes);
    EXPECT_EQ(way_of({many, 3}, 1), packed_lanes);
    EXPECT_EQ(way_of({many, 513}, 1), turned_lanes);  // too long
    EXPECT_EQ(way_of({3 * processors, 5000}, 1), lines);
    EXPECT_EQ(way_of({1, 50000}, 1), line_by_line);
    const auto ahead_or = [&](cuda::axis_way other) {
        return ex.compute_capability() >= 90 ? lines_ahead : other;
    };
    EXPECT_EQ(way_of({7, 50000}, 1), ahead_or(line_tiles));
    EXPECT_EQ(way_of({2, 4 << 20}, 1), ahead_or(line_by_line));
    EXPECT_EQ(way_of({5, 8192}, 1), ahead_or(line_tiles));
    EXPECT_EQ(way_of({processors, 9000}, 1), line_tiles);  // more units than blocks, and few of them full
    EXPECT_EQ(way_of({2 * processors, 16384}, 1), ahead_or(lines));
    EXPECT_EQ(way_of({2 * processors, 20000}, 1), lines);
    EXPECT_EQ(way_of({2 * processors, 50000}, 1), ahead_or(lines));
    EXPECT_EQ(way_of({2 * processors, 32769}, 1), ahead_or(lines));  // not aligned

    const std::type_identity<float16> half;
    EXPECT_EQ(way_of_elements(half, {many, 32}, 1), short_lines);
    EXPECT_EQ(way_of_elements(half, {2 * processors, 16384}, 1), ahead_or(lines));
    EXPECT_EQ(way_of_elements(half, {2 * processors, 100000}, 1), lines);
    EXPECT_EQ(way_of_elements(half, {many, 64}, 1), chunked_lanes);
    EXPECT_EQ(way_of_elements(half, {1000, 2 * many}, 0), word_lanes);
    EXPECT_EQ(way_of_elements(half, {1000, many}, 0), rows);
    EXPECT_EQ(way_of_elements(half, {1000, 2 * many + 1}, 0), rows);  // no whole words
    EXPECT_EQ(way_of_elements(half, {1000, 16}, 0), rows);
    EXPECT_EQ(way_of_elements(half, {50000, 96}, 0), columns);
    EXPECT_EQ(way_of_elements(half, {50000, 97}, 0), rows);  // no whole pieces of 16 bytes

    // An executor that is told another algorithm keeps to it.
    ex = cuda::executor(nullptr, cuda::algorithm::look_back);
    EXPECT_EQ(way_of({7, 50000}, 1), line_tiles);

    // Recurrences have twice as much to do for each position.
    const auto way_of_smoothing = [&](const shape_of_view& shape) {
        const auto size = static_cast<std::size_t>(shape[0] * shape[1]);
        const std::vector<float16> zeros(size);
        const device_array<float16> x(zeros);
        device_array<float16> y(size);
        linear_recurrence(ex, 0.5f, cuda::device_view<const float16>(x.data(), shape), 0.0f,
                          cuda::device_view<float16>(y.data(), shape), 0);
        ex.wait();
        return ex.latest_axis_way();
    };
    EXPECT_EQ(way_of_smoothing({2000, 4 * many}), word_lanes);
    EXPECT_EQ(way_of_smoothing({2000, 3 * many}), columns);
}

// What an axis scan leaves in the scratch must not look like another scan's totals, nor the other way round.
TEST(cuda_axis_scratch, is_shared_with_other_scans) {
    const shape_of_view shape{50000, 9};
    const device_array<float> x = random_array<float>(450000, 5);
    device_array<float> y(x.size()), z(x.size());
    const std::vector<float> in = x.read(), along = cpu_scan(in, shape, 0);
    const std::vector<float> flat = cpu_scan(in, {450000}, 0);
    const std::size_t bytes =
        std::max(cuda::axis_scan_workspace_bytes<float>(50000, 9), cuda::scan_workspace_bytes<float>(450000));
    const device_array<std::byte> memory(bytes);
    cuda::executor own(nullptr, cuda::algorithm::look_back);
    cuda::executor given(nullptr, {memory.data(), memory.size()}, cuda::algorithm::look_back);
    for (cuda::executor* const ex : {&own, &given}) {
        for (int repetition = 0; repetition < 5; ++repetition) {
            y.poison();
            z.poison();
            const cuda::axis_way way = repetition % 2 == 0 ? cuda::axis_way::rows : cuda::axis_way::columns;
            ex->set_axis_way(way);
            inclusive_scan(*ex, cuda::device_view<const float>(x.data(), shape),
                           cuda::device_view<float>(y.data(), shape), 0);
            EXPECT_EQ(ex->latest_axis_way(), way);
            inclusive_scan(*ex, x.view(), z.span());
            const std::vector<float> got = y.read(), got_flat = z.read();
            ASSERT_EQ(first_difference(got.data(), along.data(), got.size()), got.size());
            ASSERT_EQ(first_difference(got_flat.data(), flat.data(), flat.size()), flat.size());
        }
    }
}

TEST(cuda_axis_scratch, of_a_graph) {
    const shape_of_view shape{50000, 9};
    const device_array<float> x = random_array<float>(450000, 6);
    device_array<float> y(x.size());
    const std::vector<float> expected = cpu_scan(x.read(), shape, 0);
    const test_stream stream;
    const auto capture = [&] {  // by an executor that does not outlive it
        cuda::executor ex(stream);
        return captured_graph(stream, [&] {
            inclusive_scan(ex, cuda::device_view<const float>(x.data(), shape),
                           cuda::device_view<float>(y.data(), shape), 0);
        });
    };
    const captured_graph captured = capture();
    for (int repetition = 0; repetition < 3; ++repetition) {
        y.poison();
        captured.launch(stream);
        stream.wait();
        ASSERT_EQ(first_difference(y.read().data(), expected.data(), expected.size()), expected.size());
    }
}

// Compares columns [first, first + count) of two arrays of `width` columns.
void expect_columns(const device_array<std::uint8_t>& in, const device_array<std::uint8_t>& out,
                    std::size_t height, std::size_t width, std::size_t first, std::size_t count, int axis) {
    std::vector<std::uint8_t> x(height * count), y(height * count);
    for (const auto& [from, to] : {std::pair{in.data(), x.data()}, std::pair{out.data(), y.data()}}) {
        expect_success(cudaMemcpy2D(to, count, from + first, width, count, height, cudaMemcpyDeviceToHost),
                       "reading columns");
    }
    const auto rows = static_cast<std::int64_t>(height), columns = static_cast<std::int64_t>(count);
    EXPECT_EQ(y, cpu_scan(x, {rows, columns}, axis));
}
TEST(cuda_large, axes_of_arrays_of_more_than_two_to_the_32_elements) {
    constexpr std::int64_t height = 70001, width = 62003;
    constexpr std::size_t size = std::size_t{height} * width;
    std::size_t free_bytes = 0, all = 0;
    expect_success(cudaMemGetInfo(&free_bytes, &all), "asking for free memory");
    if (free_bytes < 3 * size) GTEST_SKIP() << "needs 13 GiB of device memory";
    const device_array<std::uint8_t> x = random_array<std::uint8_t>(size, 8);
    device_array<std::uint8_t> y(size);
    const cuda::device_view<const std::uint8_t> in(x.data(), {height, width});
    const cuda::device_view<std::uint8_t> out(y.data(), {height, width});
    cuda::executor ex;
    for (const cuda::axis_way way :
         {cuda::axis_way::automatic, cuda::axis_way::rows, cuda::axis_way::lanes}) {
        SCOPED_TRACE(cuda::name(way));
        ex.set_axis_way(way);
        y.poison();
        inclusive_scan(ex, in, out, 0);
        ex.wait();
        for (const std::int64_t first : {std::int64_t{0}, width / 2, width - 64})
            expect_columns(x, y, height, width, static_cast<std::size_t>(first), 64, 0);
    }
    for (const cuda::axis_way way :
         {cuda::axis_way::automatic, cuda::axis_way::turned_lanes, cuda::axis_way::line_tiles}) {
        SCOPED_TRACE(cuda::name(way));
        ex.set_axis_way(way);
        y.poison();
        inclusive_scan(ex, in, out, 1);
        ex.wait();
        for (const std::int64_t row : {std::int64_t{0}, height / 2, height - 3}) {
            const auto first = static_cast<std::size_t>(row * width),
                       count = static_cast<std::size_t>(3 * width);
            const std::vector<std::uint8_t> from = x.read(first, count);
            EXPECT_EQ(y.read(first, count), cpu_scan(from, {3, width}, 1));
        }
    }
}

}  // namespace
}  // namespace upsweep::test
