// Who takes part, and what goes between ranks: communicators of some ranks and in other orders, parts of
// every shape, totals for some, and wide accumulators.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mpi/backend.hpp"
#include "support/sweep.hpp"

namespace upsweep::test {
namespace {

// Every part in one call scans [cuts[rank], cuts[rank + 1]) of what all have, and compares its own.
template <class T, class Op>
void check_parts(mpi::executor& ex, const std::vector<T>& x, const std::vector<std::size_t>& cuts,
                 bool reverse) {
    const std::size_t n = x.size();
    const auto rank = static_cast<std::size_t>(ex.rank());
    const std::span<const T> own = std::span(x).subspan(cuts[rank], cuts[rank + 1] - cuts[rank]);
    std::vector<T> turned_x(x.rbegin(), x.rend());
    const std::span<const T> sequence(reverse ? turned_x : x);
    const auto expected = prefixes<T>(sequence, Op{});
    std::vector<T> out(own.size());
    T total{};
    inclusive_scan(ex, own, out, Op{}, {.reverse = reverse, .total = &total});
    for (std::size_t i = 0; i < own.size(); ++i) {
        const std::size_t at = cuts[rank] + i;
        ASSERT_TRUE(same_bits(out[i], expected[reverse ? n - at : at + 1])) << at << " of " << n;
    }
    if (n != 0) {
        EXPECT_TRUE(same_bits(total, expected[n]));
    }
}

// A boundary between ranks at every place of a row, and around each of a tile and a super.
TEST(ranks, boundaries_everywhere) {
    cpu::executor local(1);
    mpi::executor ex(MPI_COMM_WORLD, local);
    const auto values = sequence<float, plus>(core::super_size + core::tile_size + 300, 3);
    const std::vector<float> x(std::begin(values), std::end(values));
    std::vector<std::size_t> places;
    for (std::size_t place = 0; place <= 2 * core::row_size; ++place) places.push_back(place);
    for (const std::size_t level : {core::tile_size, core::super_size}) {
        for (const int d : {-5, -4, -1, 0, 1, 4, 5, 127, 128, 129})
            places.push_back(static_cast<std::size_t>(static_cast<std::ptrdiff_t>(level) + d));
    }
    for (const std::size_t place : places) {
        const std::size_t n = place < 1000 ? 300 : place < 100000 ? 5000 : x.size();
        const std::vector<float> some(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n));
        std::vector<std::size_t> cuts(static_cast<std::size_t>(ex.size()) + 1, n);
        cuts[0] = 0;
        for (std::size_t k = 1; k + 1 < cuts.size(); ++k) cuts[k] = std::min(n, place + (k - 1) * 37);
        check_parts<float, plus>(ex, some, cuts, place % 2 == 1);
        if (HasFailure()) return;
    }
}

TEST(ranks, a_communicator_of_some_and_one_in_another_order) {
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm backwards = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &backwards);
    {
        cpu::executor local(1);
        mpi::executor ex(backwards, local);
        const auto values = sequence<double, plus>(20000, 5);
        const std::vector<double> x(std::begin(values), std::end(values));
        check_parts<double, plus>(ex, x, cut_among(ex.size(), x.size(), 2), false);
        check_parts<double, plus>(ex, x, cut_among(ex.size(), x.size(), 3), true);
    }
    MPI_Comm_free(&backwards);
}

TEST(ranks, a_total_for_one) {
    cpu::executor local(1);
    mpi::executor ex(MPI_COMM_WORLD, local);
    const std::vector<double> in(3, 0.5);
    std::vector<double> out(3);
    double total = -1;
    const bool asks = ex.rank() == ex.size() / 2;
    inclusive_scan(ex, in, out, plus{}, {.initial = 1.0, .total = asks ? &total : nullptr});
    EXPECT_EQ(total, asks ? 1.0 + 1.5 * ex.size() : -1);
    EXPECT_EQ(out.front(), 1.5 + 1.5 * ex.rank());
}

TEST(ranks, the_initial_value_is_the_first_ranks_in_scan_order) {
    cpu::executor local(1);
    mpi::executor ex(MPI_COMM_WORLD, local);
    std::vector<double> out(1);
    const double own = 10.0 * ex.rank();
    exclusive_scan(ex, std::vector<double>{1.0}, out, plus{}, {.initial = own});
    EXPECT_EQ(out[0], ex.rank());
    exclusive_scan(ex, std::vector<double>{1.0}, out, plus{}, {.initial = own, .reverse = true});
    EXPECT_EQ(out[0], 10.0 * (ex.size() - 1) + (ex.size() - 1 - ex.rank()));
}

// An accumulator without a default, larger than what MPI sends eagerly.
struct wide {
    explicit wide(std::uint32_t from) { words.fill(from); }
    std::array<std::uint32_t, 5000> words;
};
struct wide_sum {
    wide operator()(const wide& a, const wide& b) const {
        wide made(0);
        for (std::size_t i = 0; i < made.words.size(); ++i) made.words[i] = a.words[i] * 3 + b.words[i];
        return made;
    }
};
TEST(ranks, wide_accumulators) {
    cpu::executor local(1);
    mpi::executor ex(MPI_COMM_WORLD, local);
    const std::size_t n = 7 * static_cast<std::size_t>(ex.size());
    std::vector<std::uint32_t> expected;
    core::odometer<std::uint32_t, std::uint32_t (*)(std::uint32_t, std::uint32_t)> odometer(
        [](std::uint32_t a, std::uint32_t b) { return a * 3 + b; });
    for (std::size_t i = 0; i < n; ++i) {
        odometer.take(static_cast<std::uint32_t>(i + 1));
        expected.push_back(*odometer.value());
    }
    const std::size_t first = 7 * static_cast<std::size_t>(ex.rank());
    std::vector<wide> x, out(7, wide(0));
    for (std::size_t i = 0; i < 7; ++i) x.emplace_back(static_cast<std::uint32_t>(first + i + 1));
    inclusive_scan(ex, x, out, wide_sum{});
    for (std::size_t i = 0; i < 7; ++i) {
        EXPECT_EQ(out[i].words.front(), expected[first + i]);
        EXPECT_EQ(out[i].words.back(), expected[first + i]);
    }
}

// Distributed, a sum of non-negative numbers stays monotone where ranks meet.
TEST(ranks, sums_never_decrease_from_rank_to_rank) {
    cpu::executor local(1);
    mpi::executor ex(MPI_COMM_WORLD, local);
    random_bits random(11);
    for (unsigned turn = 0; turn < 30; ++turn) {
        std::vector<float> x(50000);
        for (float& v : x) v = static_cast<float>(random.unit());
        const std::vector<std::size_t> cuts = cut_among(ex.size(), x.size(), turn);
        const auto rank = static_cast<std::size_t>(ex.rank());
        const std::span<const float> own = std::span(x).subspan(cuts[rank], cuts[rank + 1] - cuts[rank]);
        std::vector<float> out(own.size());
        inclusive_scan(ex, own, out);
        // The largest of all ranks before this one.
        const float largest = out.empty() ? 0.0f : out.back();
        float before = 0;
        MPI_Exscan(&largest, &before, 1, MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD);
        if (ex.rank() == 0) before = 0;
        for (const float v : out) {
            ASSERT_GE(v, before);
            before = v;
        }
    }
}

}  // namespace
}  // namespace upsweep::test
