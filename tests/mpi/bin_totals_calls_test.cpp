// Totals by bin between ranks: by functions, under operators without an identity, and what goes wrong on one
// rank, of which all hear before anything is written.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "mpi/refusals.hpp"
#include "support/monoids.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/error.hpp"
#include "upsweep/mpi/bin_totals.hpp"
#include "upsweep/mpi/executor.hpp"

namespace upsweep::test {
namespace {

// The later of two.
struct latest {
    std::int64_t operator()(std::int64_t, std::int64_t b) const { return b; }
};

class mpi_bin_totals : public ::testing::Test {
  protected:
    void TearDown() override {
        std::vector<int> totals(1);
        EXPECT_EQ(bin_totals(ex_, std::vector<int>{0}, std::vector<int>{1}, totals, {0, 1, 1}),
                  static_cast<std::uint64_t>(ex_.size()));
        EXPECT_EQ(totals[0], ex_.size()) << "the executor is of no use any more";
    }
    [[nodiscard]] int rank() const { return ex_.rank(); }
    void expect_unwritten() const { EXPECT_EQ(totals_, std::vector<double>(3, 7)); }
    template <class Call>
    void expect_of_each(const std::string& words, const Call& call) {
        test::expect_of_each(ex_, words, call, [this] { expect_unwritten(); });
    }
    template <class Call>
    void expect_on_all(const std::string& words, const Call& call) {
        test::expect_on_all(words, call, [this] { expect_unwritten(); });
    }

    cpu::executor local_{1};
    mpi::executor ex_{MPI_COMM_WORLD, local_};
    const std::vector<float> in_{0.5f, 3, 1, 0.25f, 2};
    const std::vector<double> values_{1, 2, 3, 4, 5};
    std::vector<double> totals_ = std::vector<double>(3, 7);
};

// Element i of all goes to bin i % 3 - 1, so that every third one has none; each rank has as many as its
// number.
TEST_F(mpi_bin_totals, by_a_function) {
    const std::size_t n = static_cast<std::size_t>(rank());
    const std::size_t before = n * (n - (n != 0 ? 1 : 0)) / 2;
    std::vector<std::int64_t> in(n), values(n);
    for (std::size_t i = 0; i < n; ++i) {
        in[i] = static_cast<std::int64_t>(before + i);
        values[i] = 100 + in[i];
    }
    const auto bin = [](std::int64_t x) { return static_cast<int>(x % 3) - 1; };
    const auto all = static_cast<std::int64_t>(ex_.size()) * (ex_.size() - 1) / 2;
    std::int64_t sums[2]{}, last[2]{-1, -1};
    std::uint64_t inside = 0;
    for (std::int64_t x = 0; x < all; ++x) {
        if (x % 3 == 0) continue;
        ++inside;
        sums[x % 3 - 1] += 100 + x;
        last[x % 3 - 1] = 100 + x;
    }
    std::vector<std::int64_t> totals(2);
    EXPECT_EQ(bin_totals_by(ex_, in, values, totals, bin), inside);
    EXPECT_EQ(totals, (std::vector<std::int64_t>{sums[0], sums[1]}));
    EXPECT_EQ(bin_totals_by(ex_, in, values, totals, bin, latest{}, {.initial = -1}), inside);
    EXPECT_EQ(totals, (std::vector<std::int64_t>{last[0], last[1]}));
    EXPECT_EQ(bin_totals_by(ex_, in, values, std::span<std::int64_t>(), bin), 0u);
}
// An initial value is the first rank's, and counts once.
TEST_F(mpi_bin_totals, initial_values) {
    const double own = rank() == 0 ? 0.5 : 100;
    EXPECT_EQ(bin_totals(ex_, in_, values_, totals_, {0, 3, 3}, plus{}, {.initial = own}), 4u * ex_.size());
    EXPECT_EQ(totals_,
              (std::vector<double>{0.5 + 5 * ex_.size(), 0.5 + 3 * ex_.size(), 0.5 + 5 * ex_.size()}));
    std::vector<std::int32_t> integers(3);
    bin_totals(ex_, in_, std::vector<std::int32_t>{1, 2, 3, 4, 5}, integers, {0, 3, 3}, plus{},
               {.initial = rank() == 0 ? 7 : 1000});
    EXPECT_EQ(integers,
              (std::vector<std::int32_t>{7 + 5 * ex_.size(), 7 + 3 * ex_.size(), 7 + 5 * ex_.size()}));
}
// More bins than go in a message.
TEST_F(mpi_bin_totals, messages_of_some_bins) {
    const std::size_t bins = 5'000;
    std::vector<std::uint32_t> in(bins);
    std::vector<double> values(bins), totals(bins), want(bins);
    for (std::size_t i = 0; i < bins; ++i) in[i] = static_cast<std::uint32_t>(i * 7 % bins);
    for (std::size_t b = 0; b < bins; ++b) {
        values[b] = 0.1 * static_cast<double>(b + static_cast<std::size_t>(rank()));
        for (int r = 0; r < ex_.size(); ++r) {
            const double value = 0.1 * static_cast<double>(b + static_cast<std::size_t>(r));
            // Of up to five values the tree is a fold from the left.
            want[in[b]] = r == 0 ? value : want[in[b]] + value;
        }
    }
    EXPECT_EQ(bin_totals(ex_, in, values, totals, {0, 5'000, 5'000}), bins * ex_.size());
    EXPECT_EQ(totals, want);
}

TEST_F(mpi_bin_totals, arguments_that_are_refused) {
    expect_of_each("range: expected lo < hi, but lo is 1 and hi is 0", [&](bool guilty) {
        bin_totals(ex_, in_, values_, totals_, {.lo = guilty ? 1.0f : -1.0f, .hi = 0, .count = 3});
    });
    expect_of_each("values: expected 5 elements, as many as in, but it has 4", [&](bool guilty) {
        bin_totals(ex_, in_, std::span(values_).first(guilty ? 4 : 5), totals_, {0, 3, 3});
    });
    expect_of_each("totals: overlaps values", [&](bool guilty) {
        bin_totals(ex_, std::span(in_).first(3),
                   guilty ? std::span<const double>(totals_) : std::span(values_).first(3), totals_,
                   {0, 3, 3});
    });
    const std::vector<float> edges{0, 1, 2, 3}, descending{0, 1, 0, 1};
    expect_of_each("edges: expected ascending numbers", [&](bool guilty) {
        bin_totals(ex_, in_, values_, totals_, bin_edges<float>{guilty ? descending : edges});
    });
    const auto nowhere = [](float) { return 3; };
    expect_on_all(
        "options.initial: bin 0 is empty, and its total needs an initial value, because the "
        "operator has no identity",
        [&] { bin_totals_by(ex_, in_, std::vector<std::int64_t>(5), totals_, nowhere, latest{}); });
    if (ex_.size() == 1) return;
    expect_on_all("ex: the ranks call different functions", [&] {
        const std::uint32_t count = rank() == 0 ? 2 : 3;
        bin_totals(ex_, in_, values_, std::span(totals_).first(count), {0, 3, count});
    });
    expect_on_all("options.initial: expected the same on every rank", [&] {
        bin_totals(ex_, in_, values_, totals_, {0, 3, 3}, plus{},
                   {.initial = rank() == 0 ? std::optional(1.0) : std::nullopt});
    });
}
TEST_F(mpi_bin_totals, exceptions) {
    expect_of_each("no bin today", [&](bool guilty) {
        bin_totals_by(ex_, in_, values_, totals_, [&](float x) {
            if (guilty && x == 1) throw std::runtime_error("no bin today");
            return 0;
        });
    });
    // Of two values on each rank, which that rank folds.
    expect_of_each("no sum today", [&](bool guilty) {
        const auto sum = [&](double a, double b) {
            if (guilty) throw std::runtime_error("no sum today");
            return a + b;
        };
        bin_totals_by(ex_, in_, values_, totals_, [](float x) { return x < 1   ? 0
                                                                       : x < 2 ? 1
                                                                               : 2; }, sum,
                      {.initial = 0.0});
    });
}

}  // namespace
}  // namespace upsweep::test
