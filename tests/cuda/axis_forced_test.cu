// Scans by columns and of lines by one look-ahead, forced: widths and lengths around what units, tiles and
// supers of the tree end at, more units than the device has warps or blocks, and arrays that are copied in
// every other way.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cuda/axis_forced.cuh"
#include "cuda/device_array.cuh"
#include "support/monoids.hpp"
#include "upsweep/axis_scan.hpp"
#include "upsweep/cuda/axis_scan.cuh"

namespace upsweep::test {
namespace {

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
// Where several warps copy rows together: the last of them with fewer columns or with none, rows that are
// apart or begin anywhere, elements of every size.
TEST(cuda_columns, warps_together) {
    for (const std::int64_t width : {60, 64, 68, 96, 132, 200, 260}) {
        for (const std::int64_t length : {1, 129, 4097, 9001}) {
            for (const kind& what : kinds) expect_sums<float>({length, width}, 0, what);
            expect_recurrence<float>({length, width}, 0, length % 2 == 0);
        }
        expect_sums<std::int16_t>({4301, width}, 0, kinds[2]);
        expect_sums<std::uint8_t, std::uint32_t>({4301, 2 * width}, 0, kinds[0]);
        expect_sums<float, double>({4301, width}, 0, kinds[3]);
        expect_sums<std::uint64_t, std::uint64_t, fingerprint>({4301, width}, 0, kinds[4]);
        for (const std::int64_t gap : {1, 4, 28}) {
            for (const std::size_t offset : {0, 1, 4})
                expect_sums<float>({4301, width}, 0, kinds[gap % 3], {offset, gap}, {4, gap});
            expect_recurrence<float>({4301, width}, 0, true, {4, gap}, {0, gap});
            expect_sums<std::int16_t>({4301, width}, 0, kinds[0], {8, gap}, {1, gap});
        }
    }
    for (const std::int64_t width : {64, 100, 132}) {
        expect_sums<float>({270'007, width}, 0, kinds[2], {0, 4}, {0, 4}, true);
        expect_recurrence<float>({140'001, width}, 0, false);
    }
    expect_sums<float>({270'007, 260}, 0, kinds[3]);
    for (const shape_of_view& shape :
         {shape_of_view{3, 5, 1300, 96}, {4, 131'073, 64}, {5, 2, 129, 132}, {2, 270'001, 68}}) {
        for (const kind& what : {kinds[0], kinds[2], kinds[3]})
            expect_sums<float>(shape, static_cast<int>(shape.size()) - 2, what);
        expect_recurrence<float>(shape, static_cast<int>(shape.size()) - 2, true);
    }
    expect_sums<float>({5001, 4000}, 0, kinds[0]);
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
    const std::vector<layout> columns = {
        {{9001, 2}, {0, {4, 2}}, {0, {4, 2}}},      {{9001, 3}, {27000, {-3, 1}}, {27000, {-3, 1}}},
        {{9001, 3}, {27000, {-3, 1}}, {0, {3, 1}}}, {{9001, 3}, {0, {3, 1}}, {27000, {-3, 1}}},
        {{9001, 1}, {9000, {-1, 1}}, {0, {1, 1}}},  {{130, 5}, {645, {-5, 1}}, {0, {5, 1}}}};
    // Along their first axis, which is the fastest in memory: lines.
    const std::vector<layout> lines = {
        {{9001, 4}, {3, {1, 9001}}, {0, {1, 9004}}},
        {{9001, 4}, {9000, {-1, 9003}}, {9007, {-1, 9001}}},
        {{8200, 4}, {0, {1, 8200}}, {24600, {1, -8200}}},
        {{5000, 2, 3}, {1, {1, 15020, 5001}}, {0, {1, 5200, 10500}}},
        {{300, 2, 3, 5}, {12000, {-1, 15000, -5001, -399}}, {13001, {-1, 15000, -5001, -400}}}};
    const device_array<float> x = random_array<float>(40000, 3);
    const std::vector<float> in = x.read();
    cuda::executor ex;
    cpu::executor host(1);
    for (const std::vector<layout>* const layouts : {&columns, &lines}) {
        const bool ahead = layouts == &lines;
        if (ahead && ex.compute_capability() < 90) continue;
        ex.set_axis_way(ahead ? cuda::axis_way::lines_ahead : cuda::axis_way::columns);
        for (const auto& [shape, from, to] : *layouts) {
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
}

// Two streams at once, each with scratch of its own that other scans use too, and tags that begin again.
void share_the_device(cuda::axis_way way, const shape_of_view& shape, int axis) {
    const std::size_t n = 1'500'005;
    const device_array<float> x = random_array<float>(n, 4);
    std::vector<float> in = x.read(), expected(n), flat(n);
    cpu::executor host(1);
    inclusive_scan(host, strided_view<const float>(in.data(), shape),
                   strided_view<float>(expected.data(), shape), axis);
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
        own->ex->set_axis_way(way);
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
                           cuda::device_view<float>(own->y.data(), shape), axis);
            inclusive_scan(*own->ex, x.view(), own->z.span());
        }
        for (const auto& own : lanes) {
            ASSERT_EQ(differences(own->y, wanted, own->stream), 0u) << repetition;
            ASSERT_EQ(differences(own->z, wanted_flat, own->stream), 0u) << repetition;
        }
    }
}
TEST(cuda_columns, share_the_device) { share_the_device(cuda::axis_way::columns, {300'001, 5}, 0); }

// Lines by one look-ahead.
class cuda_lines_ahead : public ::testing::Test {
  protected:
    void SetUp() override {
        if (cuda::executor().compute_capability() < 90) GTEST_SKIP() << "needs compute capability 9.0";
    }
};
TEST_F(cuda_lines_ahead, of_every_length) {
    for (const std::int64_t lines : {1, 2, 7, 300}) {
        for (const std::int64_t length : {1, 127, 129, 4095, 4096, 4097, 8191, 8192, 8193, 20001})
            for (const kind& what : kinds) expect_sums<float>({lines, length}, 1, what);
    }
}
// Of a line, more than the device has blocks; of all, some in every stage of every block.
TEST_F(cuda_lines_ahead, more_units_than_blocks) {
    for (const std::int64_t length : {131072, 2'200'003})
        expect_sums<float>({3, length}, 1, kinds[length % 3]);
    for (const kind& what : kinds) expect_sums<float>({900, 12301}, 1, what);
}
TEST_F(cuda_lines_ahead, anywhere_in_memory) {
    for (const std::size_t offset : {1, 2, 3, 4}) {
        for (const std::size_t other : {std::size_t{0}, offset}) {
            expect_sums<float>({7, 16384}, 1, kinds[offset], {offset, 1}, {other, 1});
            expect_sums<float>({7, 16384}, 1, kinds[other], {other, 4}, {offset, 2});
            expect_sums<double>({7, 12301}, 1, kinds[2], {offset}, {other, 1});
            expect_sums<std::uint8_t>({7, 70001}, 1, kinds[other], {offset, 3}, {other});
        }
    }
}
TEST_F(cuda_lines_ahead, in_place) {
    for (const kind& what : kinds) {
        expect_sums<float>({9, 20001}, 1, what, {}, {}, true);
        expect_sums<std::int16_t>({9, 40001}, 1, what, {1, 4}, {1, 4}, true);
    }
    expect_recurrence<float>({9, 20001}, 1, true, {1}, {1}, true);
}
TEST_F(cuda_lines_ahead, types) {
    for (const kind& what : kinds) {
        expect_sums<std::uint8_t, std::uint32_t>({3, 70001}, 1, what);
        expect_sums<double, float>({3, 20001}, 1, what);
        expect_sums<double, double, multiplies>({3, 300001}, 1, what);
    }
    for (const kind& what : {kinds[0], kinds[2], kinds[4]})
        expect_sums<std::uint64_t, std::uint64_t, fingerprint>({3, 300001}, 1, what);
    for (const bool reverse : {false, true}) {
        expect_recurrence<float>({5, 140001}, 1, reverse);
        expect_recurrence<double>({5, 140001}, 1, reverse, {1}, {0, 1});  // units are parts of tiles
    }
}
TEST_F(cuda_lines_ahead, share_the_device) { share_the_device(cuda::axis_way::lines_ahead, {5, 300'001}, 1); }

}  // namespace
}  // namespace upsweep::test
