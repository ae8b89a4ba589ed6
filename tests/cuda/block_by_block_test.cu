// Scans that are given block by block: what a carry is for, and what it refuses. That blocks of any size have
// the bits of the whole, for every type and operator, is in the tests that backend.cuh runs.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cuda/captured_graph.hpp"
#include "cuda/device_array.cuh"
#include "support/build.hpp"
#include "support/cuts.hpp"
#include "upsweep/cuda/block_by_block.cuh"
#include "upsweep/error.hpp"

namespace upsweep::test {
namespace {

struct smaller {  // has no identity
    UPSWEEP_HOST_DEVICE float operator()(float a, float b) const { return a < b ? a : b; }
};

template <class Call>
std::string message_of(const Call& call) {
    try {
        call();
    } catch (const error& e) {
        EXPECT_EQ(e.code(), errc::invalid_argument);
        return e.what();
    }
    return {};
}

class cuda_blocks : public ::testing::Test {
  protected:
    static constexpr std::size_t n = 700'003;
    test_stream stream;
    cuda::executor ex{stream};
    device_array<float> x = random_array<float>(n, 3);
    device_array<float> y{n}, expected{n}, total{1}, expected_total{1};

    [[nodiscard]] auto in(std::size_t begin, std::size_t end) const {
        return x.view().subspan(begin, end - begin);
    }
    [[nodiscard]] auto out(std::size_t begin, std::size_t end) const {
        return y.span().subspan(begin, end - begin);
    }
    template <class Body>
    static void for_each_block(const std::vector<std::size_t>& cuts, const Body& body) {
        for (std::size_t k = 0; k + 1 < cuts.size(); ++k) body(cuts[k], cuts[k + 1]);
    }
    void scan_whole(const cuda::scan_options<float>& options = {}) {
        cuda::scan_options<float> all = options;
        all.total = expected_total.data();
        inclusive_scan(ex, x.view(), expected.span(), plus{}, all);
    }
    void expect_whole() {
        EXPECT_EQ(differences(y, expected, stream), 0u);
        EXPECT_EQ(total.read(), expected_total.read());
    }
};

TEST_F(cuda_blocks, the_total_so_far_is_told_after_every_block) {
    scan_whole();
    ex.wait();
    const std::vector<float> sums = expected.read();
    for (unsigned turn = 0; turn < 5; ++turn) {
        cuda::scan_carry<float> carry(ex);
        y.poison();
        for_each_block(cut_among(6, n, turn), [&](std::size_t begin, std::size_t end) {
            inclusive_scan(ex, carry, in(begin, end), out(begin, end), plus{}, {.total = total.data()});
            EXPECT_EQ(carry.element_count(), end);
            ex.wait();
            EXPECT_EQ(total.read().front(), end == 0 ? 0.0f : sums[end - 1]);
        });
        expect_whole();
    }
}

TEST_F(cuda_blocks, a_carry_is_reset_and_moved) {
    scan_whole();
    cuda::scan_carry<float> carry(ex);
    inclusive_scan(ex, carry, in(0, 1000), out(0, 1000));
    carry.reset();
    EXPECT_EQ(carry.element_count(), 0u);
    inclusive_scan(ex, carry, in(0, 200'000), out(0, 200'000));
    cuda::scan_carry<float> other(std::move(carry));
    EXPECT_EQ(other.element_count(), 200'000u);
    inclusive_scan(ex, other, in(200'000, 200'001), out(200'000, 200'001));
    carry = std::move(other);
    inclusive_scan(ex, carry, in(200'001, n), out(200'001, n), plus{}, {.total = total.data()});
    expect_whole();
}

// Also of a block without elements, and read from device memory; later ones are not asked for theirs.
TEST_F(cuda_blocks, the_initial_value_is_the_first_calls) {
    scan_whole({.initial = 0.3f});
    const device_array<float> initial(std::vector<float>{0.3f}), wrong(std::vector<float>{100.0f});
    for (const bool begins_empty : {false, true}) {
        y.poison();
        cuda::scan_carry<float> carry(ex);
        const std::size_t first = begins_empty ? 0 : 131'000;
        inclusive_scan(ex, carry, in(0, first), out(0, first), plus{}, {.device_initial = initial.data()});
        for_each_block({first, 131'072, 400'000, 400'000, n}, [&](std::size_t begin, std::size_t end) {
            inclusive_scan(ex, carry, in(begin, end), out(begin, end), plus{},
                           {.device_initial = wrong.data(), .total = total.data()});
        });
        expect_whole();
    }
    y.poison();
    cuda::scan_carry<float> carry(ex);
    inclusive_scan(ex, carry, in(0, 0), out(0, 0));
    inclusive_scan(ex, carry, in(0, n), out(0, n), plus{}, {.initial = 0.3f, .total = total.data()});
    expect_whole();
}

TEST_F(cuda_blocks, backwards_the_last_block_is_first) {
    scan_whole({.reverse = true});
    cuda::scan_carry<float> carry(ex);
    for (const auto& [begin, end] : {std::pair{500'001, 700'003}, {499'999, 500'001}, {1, 499'999}, {0, 1}})
        inclusive_scan(ex, carry, in(begin, end), out(begin, end), plus{},
                       {.reverse = true, .total = total.data()});
    expect_whole();
}

// An operator without an identity, which needs an initial value for the very first element alone.
TEST_F(cuda_blocks, exclusive_without_an_identity) {
    exclusive_scan(ex, x.view(), expected.span(), smaller{}, {.initial = 2.0f});
    cuda::scan_carry<float> carry(ex);
    for_each_block({0, 1, 4, 130, 4097, 140'000, n}, [&](std::size_t begin, std::size_t end) {
        const cuda::scan_options<float> first{.initial = 2.0f};
        exclusive_scan(ex, carry, in(begin, end), out(begin, end), smaller{},
                       begin == 0 ? first : cuda::scan_options<float>{});
    });
    EXPECT_EQ(differences(y, expected, stream), 0u);
}

TEST_F(cuda_blocks, in_memory_of_the_callers) {
    scan_whole();
    const std::size_t block = 300'000, bytes = cuda::block_scan_workspace_bytes<float>(block);
    const device_array<std::byte> memory(bytes);
    cuda::executor own(stream, memory.span());
    cuda::scan_carry<float> carry(own);
    for_each_block({0, 299'999, 599'999, n}, [&](std::size_t begin, std::size_t end) {
        inclusive_scan(own, carry, in(begin, end), out(begin, end), plus{}, {.total = total.data()});
    });
    expect_whole();
    EXPECT_LE(cuda::block_scan_workspace_bytes<float>(1000), bytes);
    const device_array<std::byte> less(bytes - 256);
    cuda::executor small(stream, less.span());
    cuda::scan_carry<float> other(small);
    EXPECT_THROW(inclusive_scan(small, other, in(0, block), out(0, block)), error);
}

TEST_F(cuda_blocks, in_a_graph) {
    scan_whole();
    ex.wait();
    cuda::scan_carry<float> carry(ex);
    const captured_graph graph(stream, [&] {
        carry.reset();
        for_each_block({0, 100'001, 400'001, n}, [&](std::size_t begin, std::size_t end) {
            inclusive_scan(ex, carry, in(begin, end), out(begin, end), plus{}, {.total = total.data()});
        });
    });
    for (int k = 0; k < 2; ++k) {
        y.poison();
        total.poison();
        graph.launch(stream);
        stream.wait();
        expect_whole();
    }
}

TEST_F(cuda_blocks, errors_leave_the_carry_as_it_was) {
    scan_whole();
    cuda::scan_carry<float> carry(ex);
    inclusive_scan(ex, carry, in(0, 5), out(0, 5));
    EXPECT_EQ(message_of([&] { inclusive_scan(ex, carry, in(5, 10), out(5, 9)); }),
              "out: expected 5 elements, as many as in, but it has 4");
    const device_array<std::uint64_t> length(1);
    EXPECT_EQ(message_of(
                  [&] { inclusive_scan(ex, carry, in(5, 9), out(5, 9), plus{}, {.length = length.data()}); }),
              "options.length: expected none, because a scan in blocks has to know where it stands");
    const test_stream another;
    cuda::executor other(another);
    EXPECT_EQ(message_of([&] { inclusive_scan(other, carry, in(5, 9), out(5, 9)); }),
              "carry: expected one that was made for the executor's stream");
    cuda::scan_carry<float> fresh(ex);
    EXPECT_NE(message_of([&] {
                  exclusive_scan(ex, fresh, in(0, 5), out(0, 5), smaller{});
              }).find("options.initial: an exclusive scan needs an initial value"),
              std::string::npos);
    EXPECT_EQ(carry.element_count(), 5u);
    inclusive_scan(ex, carry, in(5, n), out(5, n), plus{}, {.total = total.data()});
    expect_whole();
}

}  // namespace
}  // namespace upsweep::test
