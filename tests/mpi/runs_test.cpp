// Totals of segments and runs of sequences on many ranks, as a caller of upsweep::mpi sees them: who keeps
// what, outputs without room, what is refused, what throws. The CPU's tests of both run between ranks in
// segmented_reduce_test.cpp and unique_test.cpp.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/cuts.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/error.hpp"
#include "upsweep/mpi/mpi.hpp"
#include "upsweep/segmented_reduce.hpp"
#include "upsweep/unique.hpp"

namespace upsweep::test {
namespace {

class mpi_runs : public ::testing::Test {
  protected:
    template <class T>
    std::vector<T> part_of(const std::vector<T>& all, const std::vector<std::size_t>& cuts) const {
        const auto rank = static_cast<std::size_t>(ex_.rank());
        return {all.begin() + static_cast<std::ptrdiff_t>(cuts[rank]),
                all.begin() + static_cast<std::ptrdiff_t>(cuts[rank + 1])};
    }
    template <class Call>
    static std::string message_of(const Call& call) {
        try {
            call();
        } catch (const error& e) {
            return e.what();
        }
        return "nothing was thrown";
    }
    // A message of that rank's, as everybody has it.
    [[nodiscard]] std::string of(int rank, const std::string& words) const {
        return (ex_.rank() == rank ? "" : "rank " + std::to_string(rank) + ": ") + words;
    }

    cpu::executor local_{2};
    mpi::executor ex_{MPI_COMM_WORLD, local_};
};

// Runs of all lengths up to that of supers, cut anywhere; every rank keeps what begins on it.
TEST_F(mpi_runs, of_a_long_sequence) {
    constexpr std::size_t n = 300'007;
    std::vector<float> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = 0.1f + static_cast<float>(i % 1000) * 0.001f;
    for (unsigned turn = 0; turn < 12; ++turn) {
        std::vector<std::int16_t> keys(n);
        for (std::size_t i = 0; i < n; ++i)
            keys[i] = static_cast<std::int16_t>(turn % 3 == 0 ? i / 5000 : i < 150'000 ? i / 50'000 : 99);
        std::vector<std::int16_t> first_keys(n);
        std::vector<float> totals(n);
        std::vector<std::int32_t> lengths(n);
        const std::size_t count =
            reduce_by_key(local_, keys, x, first_keys, totals, plus{}, {.initial = 0.25f});
        run_length_encode(local_, keys, first_keys, lengths);

        const auto cuts = cut_among(ex_.size(), n, turn);
        const std::vector<std::int16_t> own_keys = part_of(keys, cuts);
        const std::vector<float> own = part_of(x, cuts);
        // On some turns without room for all.
        const std::size_t room = turn % 4 == 3 ? std::min<std::size_t>(own.size(), 2) : own.size();
        std::vector<std::int16_t> keys_out(own.size(), -1);
        std::vector<float> out(room, -1);
        std::vector<std::int32_t> own_lengths(room, -1);
        const mpi::compaction made =
            reduce_by_key(ex_, own_keys, own, keys_out, out, plus{}, {.initial = 0.25f});
        const mpi::compaction same = run_length_encode(ex_, own_keys, keys_out, own_lengths);
        EXPECT_EQ(made.total, count);
        EXPECT_EQ(same.first, made.first);
        // As many as heads in the rank's part, behind those of earlier ones.
        const auto heads_before = [&](std::size_t end) {
            std::size_t heads = 0;
            for (std::size_t i = 0; i < end; ++i) heads += i == 0 || keys[i] != keys[i - 1] ? 1 : 0;
            return heads;
        };
        const auto rank = static_cast<std::size_t>(ex_.rank());
        EXPECT_EQ(made.first, heads_before(cuts[rank]));
        EXPECT_EQ(made.first + made.kept, heads_before(cuts[rank + 1]));
        for (std::size_t k = 0; k < made.kept; ++k) {
            EXPECT_EQ(keys_out[k], first_keys[made.first + k]);
            if (k >= room) continue;
            EXPECT_EQ(out[k], totals[made.first + k]) << turn << ", segment " << made.first + k;
            EXPECT_EQ(own_lengths[k], lengths[made.first + k]);
        }
        if (made.kept < room) {
            EXPECT_EQ(out[made.kept], -1.0f);
            EXPECT_EQ(own_lengths[made.kept], -1);
        }
    }
}

// One run over all ranks is the first one's.
TEST_F(mpi_runs, that_goes_over_all_ranks) {
    const std::vector<int> ones(5, 1);
    std::vector<int> keys_out(5);
    std::vector<std::int64_t> out(5), lengths(5);
    const mpi::compaction made = reduce_by_key<std::int64_t>(ex_, ones, ones, keys_out, out);
    const mpi::compaction runs = run_length_encode(ex_, ones, keys_out, lengths);
    const mpi::compaction kept = unique(ex_, ones, keys_out);
    for (const mpi::compaction& each : {made, runs, kept}) {
        EXPECT_EQ(each.kept, ex_.rank() == 0 ? 1u : 0u);
        EXPECT_EQ(each.total, 1u);
    }
    EXPECT_EQ(out[0], ex_.rank() == 0 ? 5 * ex_.size() : 0);
    EXPECT_EQ(lengths[0], ex_.rank() == 0 ? 5 * ex_.size() : 0);
    // Nothing anywhere.
    const std::span<const int> none;
    EXPECT_EQ(unique(ex_, none, keys_out).total, 0u);
    EXPECT_EQ(reduce_by_key(ex_, none, none, keys_out, out).total, 0u);
    EXPECT_EQ(run_length_encode(ex_, none, keys_out, lengths).total, 0u);
}

TEST_F(mpi_runs, that_are_refused) {
    const int guilty = ex_.size() - 1;
    const bool wrong = ex_.rank() == guilty;
    const std::vector<float> in(3, 1);
    std::vector<float> out(3, 7);
    const std::vector<int> keys(wrong ? 2 : 3);
    std::vector<int> keys_out(3, 7);
    EXPECT_EQ(message_of([&] { segmented_reduce(ex_, by_head_flags(keys), in, out); }),
              of(guilty, "segments: expected 3 head flags, one an element, but there are 2"));
    EXPECT_EQ(message_of([&] { reduce_by_key(ex_, keys, in, keys_out, out); }),
              of(guilty, "keys: expected 3, one for each element of in, but there are 2"));
    EXPECT_EQ(message_of([&] { unique_by_key(ex_, keys, in, keys_out, out); }),
              of(guilty, "keys: expected 3, one for each element of in, but there are 2"));
    const std::string overlap = of(guilty, "out: ");
    const auto from = wrong ? std::span<const float>(out).last(2) : std::span<const float>(in);
    EXPECT_EQ(message_of([&] { unique(ex_, from, out); }).substr(0, overlap.size()), overlap);
    EXPECT_EQ(out, std::vector<float>(3, 7)) << "written";
    EXPECT_EQ(keys_out, std::vector<int>(3, 7)) << "written";
    if (ex_.size() == 1) return;
    EXPECT_NE(message_of([&] {
                  if (wrong)
                      unique(ex_, in, out);
                  else
                      segmented_reduce(ex_, by_head_flags(std::vector<int>(3)), in, out);
              }).find("different functions"),
              std::string::npos);
    // All lengths together do not fit.
    const std::vector<int> same(100);
    std::vector<int> firsts(100);
    std::vector<std::int8_t> small(100);
    EXPECT_NE(message_of([&] { run_length_encode(ex_, same, firsts, small); }).find("lengths: "),
              std::string::npos);
}

// On one rank: all hear of it, and nobody waits.
TEST_F(mpi_runs, whose_functions_throw) {
    const int guilty = ex_.size() / 2;
    const std::vector<float> in(10, 1);
    std::vector<float> out(10);
    const std::vector<int> keys(10);
    std::vector<int> keys_out(10);
    const auto expect_thrown = [&](const auto& call) {
        try {
            call();
            ADD_FAILURE() << "nothing was thrown";
        } catch (const error& e) {
            EXPECT_NE(ex_.rank(), guilty);
            EXPECT_EQ(std::string(e.what()), "rank " + std::to_string(guilty) + ": no sum");
        } catch (const std::runtime_error&) {
            EXPECT_EQ(ex_.rank(), guilty);
        }
    };
    const auto add = [&](float a, float b) {
        if (ex_.rank() == guilty) throw std::runtime_error("no sum");
        return a + b;
    };
    expect_thrown([&] { reduce_by_key(ex_, keys, in, keys_out, out, add); });
    const auto equal = [&](float a, float b) {
        if (ex_.rank() == guilty) throw std::runtime_error("no sum");
        return a == b;
    };
    expect_thrown([&] { unique(ex_, in, out, equal); });
    std::vector<int> lengths(10);
    expect_thrown([&] { run_length_encode(ex_, in, out, lengths, equal); });
}

}  // namespace
}  // namespace upsweep::test
