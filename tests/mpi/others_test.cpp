// What is built on scans: histograms, compaction and linear recurrences of sequences on many ranks, compared
// with those of the whole.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "mpi/backend.hpp"
#include "support/bits.hpp"
#include "support/random.hpp"
#include "support/sequences.hpp"
#include "upsweep/bin_range.hpp"
#include "upsweep/compact.hpp"
#include "upsweep/error.hpp"
#include "upsweep/histogram.hpp"
#include "upsweep/mpi/compact.hpp"
#include "upsweep/mpi/executor.hpp"
#include "upsweep/mpi/histogram.hpp"
#include "upsweep/mpi/recurrence.hpp"
#include "upsweep/mpi/segmented_scan.hpp"
#include "upsweep/predicates.hpp"
#include "upsweep/recurrence.hpp"
#include "upsweep/segmented_scan.hpp"

namespace upsweep::test {
namespace {

class mpi_others : public ::testing::Test {
  protected:
    // This rank's part of what all have.
    template <class T>
    std::span<T> part_of(std::vector<T>& all, const std::vector<std::size_t>& cuts) const {
        const auto rank = static_cast<std::size_t>(ex_.rank());
        return std::span(all).subspan(cuts[rank], cuts[rank + 1] - cuts[rank]);
    }
    [[nodiscard]] std::vector<float> floats(std::size_t n) const {
        random_bits random(n);
        std::vector<float> made(n);
        for (float& x : made) x = static_cast<float>(random.between(-0.1, 1.1));
        for (std::size_t i = 0; i < n; i += 1000) made[i] = std::numeric_limits<float>::quiet_NaN();
        return made;
    }
    template <class Call>
    std::string message_of(const Call& call) const {
        try {
            call();
        } catch (const error& e) {
            return e.what();
        }
        return {};
    }

    cpu::executor local_{1};
    mpi::executor ex_{MPI_COMM_WORLD, local_};
};

TEST_F(mpi_others, histograms) {
    const std::vector<float> edges{0, 0.1f, 0.5f, 1};
    for (unsigned turn = 0; turn < 10; ++turn) {
        std::vector<float> x = floats(turn == 9 ? 0 : 30000);
        const auto own = part_of(x, cut_among(ex_.size(), x.size(), turn));
        const auto check = [&](std::size_t bins, const auto& call) {
            std::vector<std::uint64_t> expected(bins, 7), counts(bins, 9);
            const std::uint64_t counted = call(local_, std::span<const float>(x), expected);
            EXPECT_EQ(call(ex_, std::span<const float>(own), counts), counted);
            EXPECT_EQ(counts, expected);
        };
        check(8, [](auto& ex, auto in, auto& counts) {
            return histogram(ex, in, counts, {.lo = 0, .hi = 1, .count = 8});
        });
        check(3, [&](auto& ex, auto in, auto& counts) {
            return histogram(ex, in, counts, bin_edges<float>{edges});
        });
        check(5, [](auto& ex, auto in, auto& counts) {
            return histogram_by(ex, in, counts, [](float v) { return v < 0.5f ? 1 : -1; });
        });
    }
}
TEST_F(mpi_others, histograms_that_are_refused) {
    const int guilty = ex_.size() - 1;
    const std::string of_others = ex_.rank() == guilty ? "" : "rank " + std::to_string(guilty) + ": ";
    const std::vector<float> in(5, 0.5f);
    std::vector<std::uint64_t> counts(8, 3);
    EXPECT_EQ(message_of([&] {
                  histogram(ex_, in, std::span(counts).first(ex_.rank() == guilty ? 7 : 8),
                            {.lo = 0, .hi = 1, .count = 8});
              }).substr(0, of_others.size() + 7),
              of_others + "counts:");
    EXPECT_EQ(counts, std::vector<std::uint64_t>(8, 3)) << "written";
    if (ex_.size() > 1) {
        const std::uint32_t bins = ex_.rank() == 0 ? 4 : 8;
        EXPECT_NE(message_of([&] {
                      histogram(ex_, in, std::span(counts).first(bins), {.lo = 0, .hi = 1, .count = bins});
                  }).find("bins of different number"),
                  std::string::npos);
    }
    // An exception of one rank reaches all.
    const auto throwing = [&](float) -> int {
        if (ex_.rank() == guilty) throw std::runtime_error("no bin");
        return 0;
    };
    try {
        histogram_by(ex_, in, counts, throwing);
        ADD_FAILURE() << "nothing was thrown";
    } catch (const error& e) {
        EXPECT_EQ(std::string(e.what()), of_others + "no bin");
        EXPECT_NE(ex_.rank(), guilty);
    } catch (const std::runtime_error&) {
        EXPECT_EQ(ex_.rank(), guilty);
    }
}

TEST_F(mpi_others, compaction) {
    for (unsigned turn = 0; turn < 10; ++turn) {
        std::vector<float> x = floats(turn == 9 ? 0 : 30000);
        const auto cuts = cut_among(ex_.size(), x.size(), turn);
        std::vector<float> expected(x.size());
        expected.resize(compact_if(local_, x, expected, less_than(0.25f)));

        std::vector<std::uint8_t> flags(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) flags[i] = x[i] < 0.25f;
        const auto own = part_of(x, cuts);
        const auto check = [&](const mpi::compaction& made, std::span<const float> out) {
            EXPECT_EQ(made.total, expected.size());
            ASSERT_LE(made.first + made.kept, expected.size());
            EXPECT_EQ(first_difference(out.data(), expected.data() + made.first, made.kept), made.kept);
            std::uint64_t before = 0;
            const std::uint64_t kept = made.kept;
            MPI_Exscan(&kept, &before, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
            EXPECT_EQ(made.first, ex_.rank() == 0 ? 0 : before);
        };
        std::vector<float> out(own.size(), -5);
        check(compact(ex_, part_of(flags, cuts), own, out), out);
        std::vector<float> in_place(own.begin(), own.end());
        check(compact_if(ex_, in_place, in_place, less_than(0.25f)), in_place);
    }
    std::vector<float> few(3), out(3);
    const std::vector<int> flags(ex_.rank() == 0 ? 2 : 3);
    EXPECT_EQ(message_of([&] { compact(ex_, flags, few, out); }),
              std::string(ex_.rank() == 0 ? "" : "rank 0: ") +
                  "flags: expected 3, one for each element of in, but there are 2");
}

template <class T>
void check_recurrences(mpi::executor& ex, cpu::executor& local) {
    for (unsigned turn = 0; turn < 12; ++turn) {
        const std::size_t n = turn == 9 ? 0 : turn < 5 ? 700 : 140000;
        const auto maps = sequence<affine_map<T>, affine>(n, turn);
        std::vector<T> a(n), b(n), expected(n);
        for (std::size_t i = 0; i < n; ++i) a[i] = maps[i].a, b[i] = maps[i].b;
        const bool reverse = turn % 3 == 1;
        linear_recurrence(local, a, b, T(3), expected, {.reverse = reverse});
        const auto cuts = cut_among(ex.size(), n, turn);
        const auto rank = static_cast<std::size_t>(ex.rank());
        const std::size_t first = cuts[rank], count = cuts[rank + 1] - first;
        std::vector<T> own_a(a.begin() + static_cast<std::ptrdiff_t>(first),
                             a.begin() + static_cast<std::ptrdiff_t>(first + count));
        const auto own_b = std::span(b).subspan(first, count);
        linear_recurrence(ex, own_a, own_b, T(3), own_a, {.reverse = reverse});
        EXPECT_EQ(first_difference(own_a.data(), expected.data() + first, count), count) << turn;

        // With one coefficient, which is as many equal ones, or an element of out.
        if (turn % 4 != 0) continue;
        std::ranges::fill(a, std::is_integral_v<T> ? T(3) : T(2) / T(3));
        linear_recurrence(local, a, b, T(3), expected, {.reverse = reverse});
        std::ranges::fill(own_a, a.empty() ? T(0) : a[0]);
        const T none{};
        linear_recurrence(ex, own_a.empty() ? none : own_a.back(), own_b, T(3), own_a, {.reverse = reverse});
        EXPECT_EQ(first_difference(own_a.data(), expected.data() + first, count), count) << turn;
    }
}
TEST_F(mpi_others, linear_recurrences) {
    check_recurrences<float>(ex_, local_);
    check_recurrences<double>(ex_, local_);
    check_recurrences<std::uint32_t>(ex_, local_);
    const std::vector<double> three(3);
    std::vector<double> out(ex_.rank() == 0 ? 2 : 3);
    EXPECT_EQ(message_of([&] { linear_recurrence(ex_, three, three, 0.0, out); }),
              std::string(ex_.rank() == 0 ? "" : "rank 0: ") +
                  "out: expected 3 elements, as many as a, but it has 2");
    EXPECT_EQ(message_of([&] { linear_recurrence(ex_, 0.5, three, 0.0, out); }),
              std::string(ex_.rank() == 0 ? "" : "rank 0: ") +
                  "out: expected 3 elements, as many as b, but it has 2");
}

// Segments of which tiles have heads and supers have not, and the other way round, cut anywhere; compared
// with the CPU's.
TEST_F(mpi_others, segments_of_long_sequences) {
    constexpr std::size_t n = 300'007;
    const std::vector<float> x = [&] {
        std::vector<float> made = floats(n);
        for (float& each : made)
            if (!(each == each)) each = 0.25f;
        return made;
    }();
    for (unsigned turn = 0; turn < 18; ++turn) {
        std::vector<std::int16_t> keys(n);
        for (std::size_t i = 0; i < n; ++i)
            keys[i] = static_cast<std::int16_t>(turn % 2 == 0 ? i / 5000 : i < 140'000 ? i / 50'000 : 99);
        auto cuts = cut_among(ex_.size(), n, turn / 2);
        if (turn == 17) {  // behind a head in the rows of a tile, none in the tiles before it, and a super
            for (std::size_t k = 1; k + 1 < cuts.size(); ++k) cuts[k] = 142'000;
        }
        const auto rank = static_cast<std::size_t>(ex_.rank());
        const std::span<const float> own = std::span(x).subspan(cuts[rank], cuts[rank + 1] - cuts[rank]);
        const auto own_keys = part_of(keys, cuts);
        const auto check = [&](const auto& scan) {
            std::vector<float> expected(n), out(own.size());
            scan(local_, std::span<const std::int16_t>(keys), std::span<const float>(x), expected);
            scan(ex_, std::span<const std::int16_t>(own_keys), own, out);
            EXPECT_EQ(first_difference(out.data(), expected.data() + cuts[rank], out.size()), out.size())
                << turn;
        };
        check([](auto& ex, const auto& described, const auto& in, auto& out) {
            inclusive_scan_by_key(ex, described, in, out);
        });
        check([](auto& ex, const auto& described, const auto& in, auto& out) {
            exclusive_scan_by_key(ex, described, in, out, plus{}, {.initial = 0.1f, .reverse = true});
        });
    }
}
// Segments that go from rank to rank, some of them over ranks without elements: segmented_scan_test.cpp.
// Here, what is refused.
TEST_F(mpi_others, segments_that_are_refused) {
    const std::string of_others = ex_.rank() == 0 ? "" : "rank 0: ";
    const std::vector<float> in(3, 1);
    std::vector<float> out(3, 7);
    const std::vector<int> described(ex_.rank() == 0 ? 2 : 3);
    EXPECT_EQ(message_of([&] { inclusive_scan_by_key(ex_, described, in, out); }),
              of_others + "segments: expected 3 keys, one an element, but there are 2");
    EXPECT_EQ(message_of([&] { exclusive_segmented_scan(ex_, by_head_flags(described), in, out); }),
              of_others + "segments: expected 3 head flags, one an element, but there are 2");
    EXPECT_EQ(out, std::vector<float>(3, 7)) << "written";
    EXPECT_EQ(message_of([&] { inclusive_scan_by_key(ex_, out, in, out); }).substr(0, 23),
              "out: overlaps segments;");
    const auto first = [](float a, float) { return a; };  // without an identity
    const std::vector<int> keys(3);
    EXPECT_EQ(message_of([&] { exclusive_scan_by_key(ex_, keys, in, out, first); }).substr(0, 16),
              "options.initial:");
    exclusive_scan_by_key(ex_, keys, in, out, first, {.initial = 5.0f});
    EXPECT_EQ(out, std::vector<float>(3, 5));
    if (ex_.size() == 1) return;
    EXPECT_NE(message_of([&] {
                  inclusive_scan_by_key(ex_, keys, in, out, plus{}, {.reverse = ex_.rank() == 0});
              }).find("options.reverse"),
              std::string::npos);
    EXPECT_NE(message_of([&] {
                  if (ex_.rank() == 0)
                      inclusive_scan_by_key(ex_, keys, in, out);
                  else
                      inclusive_scan(ex_, in, out);
              }).find("different functions"),
              std::string::npos);
}
// On the first rank, in a segment that goes on: the others hear of it.
TEST_F(mpi_others, segments_whose_operator_throws) {
    const auto add = [&](float a, float b) {
        if (ex_.rank() == 0 && a == 4) throw std::runtime_error("the total of a run");
        return a + b;
    };
    const std::vector<float> in(10, 1);
    std::vector<float> out(10);
    const std::vector<int> keys(10);
    try {
        inclusive_scan_by_key(ex_, keys, in, out, add);
        ADD_FAILURE() << "nothing was thrown";
    } catch (const error& e) {
        EXPECT_NE(ex_.rank(), 0);
        EXPECT_EQ(std::string(e.what()).substr(0, 6), "rank 0");
    } catch (const std::runtime_error&) {
        EXPECT_EQ(ex_.rank(), 0);
    }
}

}  // namespace
}  // namespace upsweep::test
