// What goes wrong on one rank in a partition, an extraction of bins or a sort is heard of on the others, and
// nothing has been written then.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "mpi/refusals.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/error.hpp"
#include "upsweep/mpi/bins.hpp"
#include "upsweep/mpi/executor.hpp"
#include "upsweep/mpi/partition.hpp"
#include "upsweep/mpi/sort.hpp"
#include "upsweep/predicates.hpp"

namespace upsweep::test {
namespace {

class mpi_moves_errors : public ::testing::Test {
  protected:
    void TearDown() override {
        std::vector<int> out(1);
        sort(ex_, std::vector<int>{-ex_.rank()}, out);
        EXPECT_EQ(out[0], ex_.rank() + 1 - ex_.size()) << "the executor is of no use any more";
    }
    void expect_unwritten() const {
        EXPECT_EQ(out_, std::vector<float>(5, 7));
        EXPECT_EQ(indices_, std::vector<std::int64_t>(5, 7));
    }
    template <class Call>
    void expect_of_each(const std::string& words, const Call& call) {
        test::expect_of_each(ex_, words, call, [this] { expect_unwritten(); });
    }
    template <class Call>
    void expect_on_all(const std::string& words, const Call& call) {
        test::expect_on_all(words, call, [this] { expect_unwritten(); });
    }
    [[nodiscard]] std::span<float> out_of(bool is_guilty) { return std::span(out_).first(is_guilty ? 4 : 5); }

    cpu::executor local_{1};
    mpi::executor ex_{MPI_COMM_WORLD, local_};
    const std::vector<float> in_{0.5f, 3, 1, 0.25f, 2};
    std::vector<float> out_ = std::vector<float>(5, 7);
    std::vector<std::int64_t> indices_ = std::vector<std::int64_t>(5, 7);
    std::vector<std::uint64_t> offsets_ = std::vector<std::uint64_t>(5, 7);
};

TEST_F(mpi_moves_errors, partitions_that_are_refused) {
    const std::vector<int> flags(5, 1);
    const std::string size = "out: expected 5 elements, as many as in, but it has 4";
    expect_of_each(size, [&](bool guilty) { partition_if(ex_, in_, out_of(guilty), less_than(1.0f)); });
    expect_of_each(size, [&](bool guilty) { partition(ex_, flags, in_, out_of(guilty)); });
    expect_of_each("flags: expected 5, one for each element of in, but there are 4",
                   [&](bool guilty) { partition(ex_, std::span(flags).first(guilty ? 4 : 5), in_, out_); });
    std::vector<float> same = in_;
    expect_of_each("out: overlaps in", [&](bool guilty) {
        partition_if(ex_, same, guilty ? std::span(same) : std::span(out_), less_than(1.0f));
    });
    EXPECT_EQ(same, in_);
    expect_of_each("out: expected 5", [&](bool guilty) {
        partition_indices(ex_, flags, std::span(indices_).first(guilty ? 4 : 5));
    });
    expect_of_each("out: expected 5", [&](bool guilty) {
        partition_indices_if(ex_, in_, std::span(indices_).first(guilty ? 4 : 5), less_than(1.0f));
    });
}
TEST_F(mpi_moves_errors, bins_that_are_refused) {
    expect_of_each("range: expected lo < hi, but lo is 1 and hi is 0", [&](bool guilty) {
        bins(ex_, in_, out_, offsets_, {.lo = guilty ? 1.0f : -1.0f, .hi = 0, .count = 4});
    });
    expect_of_each("out: overlaps in", [&](bool guilty) {
        bins(ex_, std::span<const float>(guilty ? out_ : in_), out_, offsets_,
             {.lo = 0, .hi = 1, .count = 4});
    });
    const std::vector<float> edges{0, 1, 2, 3, 4}, descending{0, 1, 0, 1, 2};
    expect_of_each("edges: expected ascending numbers", [&](bool guilty) {
        bins(ex_, in_, out_, offsets_, bin_edges<float>{guilty ? descending : edges});
    });
    EXPECT_EQ(offsets_, std::vector<std::uint64_t>(5, 7));
    if (ex_.size() == 1) return;
    expect_on_all("ex: the ranks call different functions", [&] {
        const std::uint32_t count = ex_.rank() == 0 ? 4 : 3;
        bins(ex_, in_, out_, std::span(offsets_).first(count + 1), {.lo = 0, .hi = 1, .count = count});
    });
    EXPECT_EQ(offsets_, std::vector<std::uint64_t>(5, 7));
}
TEST_F(mpi_moves_errors, sorts_that_are_refused) {
    const std::string size = "out: expected 5 elements, as many as in, but it has 4";
    expect_of_each(size, [&](bool guilty) { sort(ex_, in_, out_of(guilty)); });
    expect_of_each(size, [&](bool guilty) { sort_by(ex_, in_, out_of(guilty), std::negate<>()); });
    expect_of_each(size,
                   [&](bool guilty) { sort_indices(ex_, in_, std::span(indices_).first(guilty ? 4 : 5)); });
    expect_of_each("values: expected 5 elements, as many as keys, but it has 4", [&](bool guilty) {
        sort_by_key(ex_, in_, std::vector<std::int64_t>(guilty ? 4 : 5), out_, indices_);
    });
    std::vector<float> memory{5, 4, 3, 2, 1, 0};
    expect_of_each("out: overlaps in; it must be the same array or disjoint from it", [&](bool guilty) {
        sort(ex_, std::span(memory).first(5), guilty ? std::span(memory).last(5) : std::span(out_));
    });
    EXPECT_EQ(memory, (std::vector<float>{5, 4, 3, 2, 1, 0}));
    if (ex_.size() == 1) return;
    const bool odd = ex_.rank() == 1;
    const std::string different = "ex: the ranks call different functions";
    expect_on_all(different, [&] { sort(ex_, in_, out_, {.descending = odd}); });
    expect_on_all(different, [&] {
        if (odd)
            sort(ex_, in_, out_);
        else
            partition_if(ex_, in_, out_, less_than(1.0f));
    });
    std::vector<std::int32_t> integers(5), sorted(5);
    expect_on_all(different, [&] {
        if (odd)
            sort(ex_, in_, out_);
        else
            sort(ex_, integers, sorted);
    });
    expect_on_all(different, [&] {
        if (odd)
            sort_indices(ex_, in_, indices_);
        else
            sort_indices(ex_, in_, sorted);
    });
}

// Of all ranks' elements together there are too many.
TEST_F(mpi_moves_errors, indices_that_do_not_fit) {
    const std::size_t n = 300 / static_cast<std::size_t>(ex_.size());
    const std::vector<float> in(n);
    std::vector<std::int8_t> indices(n, 7);
    std::vector<std::uint64_t> offsets(3);
    const std::string words =
        "out: index " + std::to_string(n * static_cast<std::size_t>(ex_.size()) - 1) + " does not fit";
    expect_on_all(words, [&] { sort_indices(ex_, in, indices); });
    expect_on_all(words, [&] { partition_indices_if(ex_, in, indices, less_than(1.0f)); });
    expect_on_all(words, [&] { partition_indices(ex_, in, indices); });
    expect_on_all(words, [&] { bin_indices(ex_, in, indices, offsets, {.lo = 0, .hi = 1, .count = 2}); });
    EXPECT_EQ(indices, std::vector<std::int8_t>(n, 7));
}

TEST_F(mpi_moves_errors, functions_that_throw) {
    bool throws = false;
    const auto number = [&](float x) {
        if (throws && x == 1) throw std::runtime_error("one");
        return static_cast<int>(x);
    };
    expect_of_each("one", [&](bool guilty) {
        throws = guilty;
        partition_if(ex_, in_, out_, [&](float x) { return number(x) == 0; });
    });
    expect_of_each("one", [&](bool guilty) {
        throws = guilty;
        partition_indices_if(ex_, in_, indices_, [&](float x) { return number(x) == 0; });
    });
    expect_of_each("one", [&](bool guilty) {
        throws = guilty;
        bins_by(ex_, in_, out_, offsets_, number);
    });
    expect_of_each("one", [&](bool guilty) {
        throws = guilty;
        sort_by(ex_, in_, out_, number);
    });
}

}  // namespace
}  // namespace upsweep::test
