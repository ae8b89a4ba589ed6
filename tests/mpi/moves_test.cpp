// What ranks move: stretches of elements in messages of any size, and the sequences that partition, bins and
// sorts make of all ranks' elements, on communicators of any order. The CPU's own tests run between ranks in
// partition_test.cpp, bins_test.cpp and sort_test.cpp.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "mpi/backend.hpp"
#include "support/choices.hpp"
#include "support/guarded.hpp"
#include "support/random.hpp"
#include "support/sorted.hpp"
#include "upsweep/bins.hpp"
#include "upsweep/core/key_order.hpp"
#include "upsweep/mpi/bins.hpp"
#include "upsweep/mpi/executor.hpp"
#include "upsweep/mpi/partition.hpp"
#include "upsweep/mpi/redistribute.hpp"
#include "upsweep/mpi/sort.hpp"
#include "upsweep/mpi/splits.hpp"
#include "upsweep/partition.hpp"
#include "upsweep/sort.hpp"

namespace upsweep::test {
namespace {

// Stretches of every rank, of any length, of one sequence of n places, some of which belong to nobody.
std::vector<std::vector<mpi::stretch>> stretches_of(int size, std::uint64_t n, std::uint64_t longest,
                                                    std::uint64_t seed) {
    std::vector<std::vector<mpi::stretch>> made(static_cast<std::size_t>(size));
    random_bits random(seed);
    for (std::uint64_t first = 0; first < n;) {
        const std::uint64_t count = std::min(n - first, 1 + random.below(1 + random.below(longest)));
        if (random.below(10) != 0) made[random.below(made.size())].push_back({first, count});
        if (random.below(10) == 0) made[random.below(made.size())].push_back({first + count, 0});
        first += count;
    }
    return made;
}

// Elements come to their places and to no others, those behind the last place nowhere.
template <class T>
void check_moves(mpi::executor& ex, std::uint64_t n, std::uint64_t longest, std::size_t most, unsigned turn) {
    SCOPED_TRACE(std::to_string(n) + " places, messages of " + std::to_string(most) + " bytes");
    const auto rank = static_cast<std::size_t>(ex.rank());
    const std::vector<T> whole = random_elements<T>(n, turn);
    const auto all = stretches_of(ex.size(), n, longest, turn + n);
    std::vector<T> own, own_again;
    for (const mpi::stretch& each : all[rank])
        own.insert(own.end(), whole.begin() + static_cast<std::ptrdiff_t>(each.first),
                   whole.begin() + static_cast<std::ptrdiff_t>(each.first + each.count));

    const auto cuts = cut_among(ex.size(), n - n / 50, turn);
    guarded<T> expected(cuts[rank + 1] - cuts[rank], 1), out(expected.size(), 1);
    for (const auto& of_rank : all) {
        for (const mpi::stretch& each : of_rank) {
            for (std::uint64_t place = each.first; place < each.first + each.count; ++place)
                if (place >= cuts[rank] && place < cuts[rank + 1])
                    expected.data()[place - cuts[rank]] = whole[place];
        }
    }
    // Another rank's messages may be of another size.
    ex.send_at_most(ex.rank() % 2 == 0 ? most : std::min(2 * most, mpi::message_limit));
    mpi::redistribution ways(ex);
    ways.cut(expected.size());
    ASSERT_TRUE(std::equal(cuts.begin(), cuts.end(), ways.cuts().begin(), ways.cuts().end()));
    ways.plan(all[rank], sizeof(T));
    for (int again = 0; again < 2; ++again) {
        out.reset(expected.size(), 1);
        ways.move(own.data(), out.data(), sizeof(T));
        EXPECT_TRUE(same_bytes<T>(out.span(), expected.span()));
        EXPECT_TRUE(out.sentinels_intact());
    }
    ex.send_at_most(mpi::message_limit);
}
TEST(moves, stretches_of_any_length) {
    cpu::executor local(1);
    mpi::executor ex(MPI_COMM_WORLD, local);
    for (unsigned turn = 0; turn < 10; ++turn) {
        check_moves<std::uint8_t>(ex, 0, 1, 1, turn);
        check_moves<std::uint8_t>(ex, 301, 5, 1, turn);
        check_moves<record_of<3>>(ex, 301, 40, 2, turn);
        check_moves<record_of<80>>(ex, 1001, 300, 1000, turn);
        check_moves<std::uint32_t>(ex, 60'001, 20'000, 4001, turn);
        check_moves<std::uint64_t>(ex, 60'001, 9'000, mpi::message_limit, turn);
        check_moves<record_of<3>>(ex, 60'001, 30'000, mpi::message_limit, turn);
    }
}
TEST(moves, messages_that_are_too_large) {
    cpu::executor local(1);
    mpi::executor ex(MPI_COMM_WORLD, local);
    EXPECT_THROW(ex.send_at_most(0), error);
    EXPECT_THROW(ex.send_at_most(mpi::message_limit + 1), error);
    EXPECT_EQ(ex.most_sent(), mpi::message_limit);
}

class mpi_moves : public ::testing::Test {
  protected:
    [[nodiscard]] std::vector<std::size_t> cuts(std::size_t n, unsigned turn) const {
        return cut_among(ex_.size(), n, turn);
    }
    template <class T>
    std::vector<T> part_of(const std::vector<T>& all, const std::vector<std::size_t>& cuts) const {
        const auto rank = static_cast<std::size_t>(ex_.rank());
        return {all.begin() + static_cast<std::ptrdiff_t>(cuts[rank]),
                all.begin() + static_cast<std::ptrdiff_t>(cuts[rank + 1])};
    }
    template <class T>
    void expect_part(const std::vector<T>& own, const std::vector<T>& all,
                     const std::vector<std::size_t>& cuts) const {
        EXPECT_TRUE(same_bytes<T>(own, part_of(all, cuts)));
    }

    cpu::executor local_{2};
    mpi::executor ex_{MPI_COMM_WORLD, local_};
};

// Beside what the CPU's call returns.
TEST_F(mpi_moves, what_is_returned) {
    const std::size_t n = 3001;
    const std::vector<std::int32_t> x = random_elements<std::int32_t>(n, 1);
    for (unsigned turn = 0; turn < 10; ++turn) {
        const auto where = cuts(n, turn);
        const std::vector<std::int32_t> own = part_of(x, where);
        std::vector<std::int32_t> all(n), out(own.size());
        const std::size_t chosen = partition_if(local_, x, all, less_than(turn < 5 ? -2'000'000'000 : 7));
        const mpi::division made = partition_if(ex_, own, out, less_than(turn < 5 ? -2'000'000'000 : 7));
        EXPECT_EQ(made.chosen, chosen);
        expect_part(out, all, where);
        for (std::size_t i = 0; i < out.size(); ++i)
            EXPECT_EQ(i < made.front, out[i] < (turn < 5 ? -2'000'000'000 : 7));

        const auto bin = [](std::int32_t v) { return v % 7 - 1; };
        std::vector<std::uint64_t> offsets(5), begins(5);
        const std::size_t total = bins_by(local_, x, all, begins, bin);
        const mpi::extraction found = bins_by(ex_, own, out, offsets, bin);
        EXPECT_EQ(offsets, begins);
        EXPECT_EQ(found.total, total);
        EXPECT_EQ(found.first, where[static_cast<std::size_t>(ex_.rank())]);
        for (std::size_t i = 0; i < found.written; ++i) {
            const auto at = static_cast<std::ptrdiff_t>(found.first + i);
            EXPECT_EQ(bin(out[i]),
                      std::upper_bound(offsets.begin(), offsets.end(), at) - offsets.begin() - 1);
        }
        EXPECT_EQ(found.written, std::min<std::uint64_t>(out.size(), total - std::min(total, found.first)));
    }
}

// Keys that are equal come in the order of ranks, wherever ranks' parts end; so do zeros of both signs and
// NaNs, which are told apart by their bits alone.
template <class Key>
void check_ties(mpi::executor& ex, cpu::executor& local, const std::vector<Key>& keys, unsigned turn) {
    const std::size_t n = keys.size();
    const auto cuts = cut_among(ex.size(), n, turn);
    const auto rank = static_cast<std::size_t>(ex.rank());
    const std::size_t first = cuts[rank], count = cuts[rank + 1] - first;
    const std::span<const Key> own = std::span(keys).subspan(first, count);
    for (const bool descending : {false, true}) {
        std::vector<std::uint64_t> all(n), out(count);
        sort_indices(local, keys, all, {.descending = descending});
        sort_indices(ex, own, out, {.descending = descending});
        EXPECT_TRUE(std::equal(out.begin(), out.end(), all.begin() + static_cast<std::ptrdiff_t>(first)));
        std::vector<Key> sorted(n), own_sorted(count);
        sort(local, keys, sorted, {.descending = descending});
        sort(ex, own, own_sorted, {.descending = descending});
        EXPECT_TRUE(same_bytes<Key>(own_sorted, std::span(sorted).subspan(first, count)));
    }
}
TEST_F(mpi_moves, equal_keys_in_the_order_of_ranks) {
    for (unsigned turn = 0; turn < 10; ++turn) {
        check_ties<float>(ex_, local_, keys_of<float>("equal", 1000 + turn, turn), turn);
        check_ties<double>(ex_, local_, keys_of<double>("special", 1000 + turn, turn), turn);
        check_ties<std::uint8_t>(ex_, local_, keys_of<std::uint8_t>("few values", 1000 + turn, turn), turn);
        std::vector<float> zeros(999), nans(999);
        random_bits random(turn);
        for (float& x : zeros) x = random.below(2) == 0 ? 0.0f : -0.0f;
        for (float& x : nans) x = key_of_bits<float>(random() | 0x7fc00000);
        check_ties<float>(ex_, local_, zeros, turn);
        check_ties<float>(ex_, local_, nans, turn);
    }
}

// With as few counts in a round as on hundreds of ranks.
TEST_F(mpi_moves, splits_by_few_bits_at_a_time) {
    const core::key_order order = core::order_of<std::int32_t>(false);
    for (unsigned turn = 0; turn < 10; ++turn) {
        const auto where = cuts(5000, turn);
        std::vector<std::int32_t> own = part_of(keys_of<std::int32_t>(key_kinds[turn], 5000, turn), where);
        std::stable_sort(own.begin(), own.end());
        const std::vector<std::uint64_t> parts(where.begin(), where.end());
        const auto split = [&](std::size_t counts) {
            mpi::exact_splits splits(ex_, counts);
            splits.find(order, own.data(), own.size(), parts);
            std::vector<std::uint64_t> made;
            for (const mpi::stretch& each : splits.own()) made.insert(made.end(), {each.first, each.count});
            return made;
        };
        const auto expected = split(4096);
        for (const std::size_t counts : {1, 12, 100}) EXPECT_EQ(split(counts), expected);
    }
}

// Bits that are looked at in the last round, and all those of the greatest numbers.
TEST_F(mpi_moves, keys_at_the_ends_of_their_type) {
    for (unsigned turn = 0; turn < 5; ++turn) {
        std::vector<std::uint64_t> keys(600);
        random_bits random(turn);
        for (std::uint64_t& key : keys) key = ~random.below(3);
        check_ties<std::uint64_t>(ex_, local_, keys, turn);
        for (std::uint64_t& key : keys) key = random.below(3);
        check_ties<std::uint64_t>(ex_, local_, keys, turn);
        for (std::uint64_t& key : keys) key = (random.below(2) << 63) + random.below(2);
        check_ties<std::uint64_t>(ex_, local_, keys, turn);
    }
}

TEST_F(mpi_moves, on_a_communicator_in_another_order) {
    MPI_Comm backwards = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, ex_.rank() % 2, -ex_.rank(), &backwards);
    {
        mpi::executor ex(backwards, local_);
        check_ties<std::int16_t>(ex, local_, keys_of<std::int16_t>("few values", 2000, 1), 2);
        check_ties<float16>(ex, local_, keys_of<float16>("special", 2000, 1), 1);
    }
    MPI_Comm_free(&backwards);
}

// One byte at a time.
TEST_F(mpi_moves, in_messages_of_few_bytes) {
    const std::size_t n = 200;
    const std::vector<record_of<3>> x = random_elements<record_of<3>>(n, 4);
    const auto key = [](const record_of<3>& e) { return static_cast<std::int8_t>(e.byte[0] % 5); };
    const auto chosen = [](const record_of<3>& e) { return e.byte[1] % 2 == 0; };
    for (unsigned turn = 0; turn < 10; ++turn) {
        ex_.send_at_most(1 + turn % 4);
        const auto where = cuts(n, turn);
        const std::vector<record_of<3>> own = part_of(x, where);
        std::vector<record_of<3>> all(n), out(own.size());
        sort_by(local_, x, all, key);
        sort_by(ex_, own, out, key);
        expect_part(out, all, where);
        partition_if(local_, x, all, chosen);
        partition_if(ex_, own, out, chosen);
        expect_part(out, all, where);
        std::vector<std::uint64_t> offsets(6);
        bins_by(local_, x, all, offsets, key);
        bins_by(ex_, own, out, offsets, key);
        expect_part(out, all, where);
    }
}

}  // namespace
}  // namespace upsweep::test
