// What goes wrong on one rank is heard of on the others: nobody waits, and the executor works on.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/guarded.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/error.hpp"
#include "upsweep/mpi/executor.hpp"
#include "upsweep/mpi/reduce.hpp"
#include "upsweep/mpi/scan.hpp"

namespace upsweep::test {
namespace {

// The message of the upsweep::error that a call throws; "": it throws none.
template <class Call>
std::string message_of(const Call& call) {
    try {
        call();
    } catch (const error& e) {
        return e.what();
    }
    return {};
}

// Before main(), where MPI is not running.
const std::string before_init = message_of([] {
    cpu::executor local(1);
    const mpi::executor ex(MPI_COMM_WORLD, local);
});

class mpi_errors : public ::testing::Test {
  protected:
    void TearDown() override {
        std::vector<int> out(2);
        inclusive_scan(ex_, std::vector<int>{1, 1}, out);
        EXPECT_EQ(out.back(), 2 * rank() + 2) << "the executor is of no use any more";
    }
    [[nodiscard]] int rank() const { return ex_.rank(); }
    [[nodiscard]] int size() const { return ex_.size(); }
    // What the others say of rank `guilty`.
    [[nodiscard]] std::string told(int guilty, const std::string& words) const {
        return rank() == guilty ? words : "rank " + std::to_string(guilty) + ": " + words;
    }

    cpu::executor local_{1};
    mpi::executor ex_{MPI_COMM_WORLD, local_};
};

TEST_F(mpi_errors, before_mpi_runs) {
    EXPECT_EQ(before_init,
              "comm: MPI is not running; an executor is made after MPI_Init and before MPI_Finalize");
}
TEST_F(mpi_errors, no_communicator) {
    const auto words = message_of([&] { const mpi::executor none(MPI_COMM_NULL, local_); });
    EXPECT_NE(words.find("comm: "), std::string::npos) << words;
    EXPECT_NE(words.find("MPI_COMM_NULL"), std::string::npos) << words;
}
TEST_F(mpi_errors, a_communicator_between_two_groups) {
    if (size() < 2) return;  // one rank agrees with itself
    MPI_Comm half = MPI_COMM_NULL, between = MPI_COMM_NULL;
    const int side = rank() % 2;
    MPI_Comm_split(MPI_COMM_WORLD, side, rank(), &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 7, &between);
    const auto words = message_of([&] { const mpi::executor none(between, local_); });
    EXPECT_NE(words.find("inter-communicator"), std::string::npos) << words;
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
}

// Every rank in turn is the one that is wrong.
TEST_F(mpi_errors, sizes_differ_on_one_rank) {
    for (int guilty = 0; guilty < size(); ++guilty) {
        const std::vector<float> in(5, 1.0f);
        guarded<float> out(rank() == guilty ? 4 : 5);
        const auto words = message_of([&] { inclusive_scan(ex_, in, out.span()); });
        EXPECT_EQ(words, told(guilty, "out: expected 5 elements, as many as in, but it has 4"));
        EXPECT_TRUE(out.untouched());
    }
}
TEST_F(mpi_errors, overlap_on_all_ranks) {
    std::vector<float> memory(10);
    const std::span<float> all(memory);
    EXPECT_EQ(message_of([&] { inclusive_scan(ex_, all.first(5), all.subspan(1, 5)); }).substr(0, 17),
              "out: overlaps in;");
}
TEST_F(mpi_errors, a_carry) {
    scan_carry<float> carry;
    guarded<float> out(3);
    const bool is_guilty = rank() == size() - 1;
    const auto words = message_of([&] {
        inclusive_scan(ex_, std::vector<float>(3), out.span(), plus{},
                       {.carry = is_guilty ? &carry : nullptr});
    });
    EXPECT_EQ(words, told(size() - 1,
                          "options.carry: expected none, because a scan over ranks is not given "
                          "in blocks"));
    EXPECT_TRUE(out.untouched());
}

TEST_F(mpi_errors, ranks_that_ask_for_different_things) {
    if (size() < 2) return;  // one rank agrees with itself
    const bool odd = rank() == 1;
    const std::vector<float> in(3, 1.0f);
    guarded<float> out(3);
    const auto begins = [&](const std::string& argument, const auto& call) {
        const std::string words = message_of(call);
        EXPECT_EQ(words.substr(0, argument.size()), argument) << words;
        EXPECT_TRUE(out.untouched());
    };
    begins("options.reverse: ", [&] { inclusive_scan(ex_, in, out.span(), plus{}, {.reverse = odd}); });
    begins("options.initial: ", [&] {
        inclusive_scan(ex_, in, out.span(), plus{},
                       {.initial = odd ? std::optional<float>(1.0f) : std::nullopt});
    });
    begins("ex: the ranks call different functions", [&] {
        if (odd)
            inclusive_scan(ex_, in, out.span());
        else
            exclusive_scan(ex_, in, out.span());
    });
    begins("ex: the ranks call different functions", [&] {
        if (odd)
            inclusive_scan<double>(ex_, in, out.span());
        else
            inclusive_scan(ex_, in, out.span());
    });
}

const auto left_one = [](float a, float) { return a; };

TEST_F(mpi_errors, without_an_identity) {
    guarded<float> out(2);
    const std::vector<float> in(2);
    const std::vector<float> none;
    EXPECT_EQ(message_of([&] { exclusive_scan(ex_, in, out.span(), left_one); }).substr(0, 16),
              "options.initial:");
    EXPECT_TRUE(out.untouched());
    // Asked for by one, it is an error of all.
    float total = 5;
    const auto words = message_of([&] {
        inclusive_scan(ex_, none, std::span<float>(), left_one, {.total = rank() == 0 ? &total : nullptr});
    });
    EXPECT_EQ(words.substr(0, 14), "options.total:");
    EXPECT_EQ(total, 5);
    EXPECT_EQ(message_of([&] { exclusive_scan(ex_, none, std::span<float>(), left_one); }), "");
}

// The later of two, unless one is -1.
struct refuses_minus_one {
    float operator()(float a, float b) const {
        if (a == -1 || b == -1) throw std::runtime_error("-1");
        return b;
    }
};
struct refuses_it_exactly : refuses_minus_one {
    static constexpr bool exact = true;
};
template <class Op>
void throw_on(mpi::executor& ex, int guilty, bool reverse, bool with_total) {
    SCOPED_TRACE(std::to_string(guilty) + (reverse ? ", reverse" : "") + (with_total ? ", total" : ""));
    std::vector<float> in(200, 1.0f), out(200);
    if (ex.rank() == guilty) in[100] = -1;
    float total = 0;
    std::string thrown, words;
    try {
        words = message_of([&] {
            inclusive_scan(ex, in, out, Op{}, {.reverse = reverse, .total = with_total ? &total : nullptr});
        });
    } catch (const std::runtime_error& e) {
        thrown = e.what();
    }
    EXPECT_EQ(thrown, ex.rank() == guilty ? "-1" : "");
    const bool is_behind = reverse ? ex.rank() < guilty : ex.rank() > guilty;
    EXPECT_EQ(words,
              ex.rank() != guilty && (is_behind || with_total)
                  ? "rank " + std::to_string(guilty) + ": threw an exception in the middle of this call"
                  : "");
    if (thrown.empty() && words.empty()) {
        EXPECT_EQ(out, std::vector<float>(200, 1.0f));
    }
}
TEST_F(mpi_errors, an_operator_that_throws) {
    for (int guilty = 0; guilty < size(); ++guilty) {
        for (const bool reverse : {false, true}) {
            for (const bool with_total : {false, true}) {
                throw_on<refuses_minus_one>(ex_, guilty, reverse, with_total);
                throw_on<refuses_it_exactly>(ex_, guilty, reverse, with_total);
            }
        }
    }
}

// All get a total, or none does.
template <class Op>
void throw_in_a_total(mpi::executor& ex, int guilty) {
    SCOPED_TRACE(guilty);
    std::vector<float> in(200, 1.0f);
    if (ex.rank() == guilty) in[100] = -1;
    std::string thrown, words;
    try {
        words = message_of([&] { static_cast<void>(reduce(ex, in, Op{})); });
    } catch (const std::runtime_error& e) {
        thrown = e.what();
    }
    EXPECT_EQ(thrown, ex.rank() == guilty ? "-1" : "");
    EXPECT_EQ(words, ex.rank() == guilty ? ""
                                         : "rank " + std::to_string(guilty) +
                                               ": threw an exception in the middle of this call");
    in.assign(200, 1.0f);
    EXPECT_EQ(reduce(ex, in, Op{}), 1.0f);
}
TEST_F(mpi_errors, totals) {
    for (int guilty = 0; guilty < size(); ++guilty) {
        throw_in_a_total<refuses_minus_one>(ex_, guilty);
        throw_in_a_total<refuses_it_exactly>(ex_, guilty);
    }
    const std::vector<float> none;
    EXPECT_EQ(message_of([&] { static_cast<void>(reduce(ex_, none, left_one)); }).substr(0, 16),
              "options.initial:");
    EXPECT_EQ(reduce(ex_, none, left_one, {.initial = 3.0f}), 3.0f);
    EXPECT_EQ(reduce(ex_, std::vector<int>(std::size_t(rank()), 1)), size() * (size() - 1) / 2);
}

}  // namespace
}  // namespace upsweep::test
