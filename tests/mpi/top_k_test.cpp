// top_k_test.cpp between ranks, and what goes wrong on one.
#include "mpi/top_k_backend.hpp"

#include "../top_k_test.cpp"
#include "upsweep/error.hpp"

namespace upsweep::test {
namespace {

// What the call throws on this rank, up to a colon and from there on.
template <class Call>
std::string words_of(const Call& call) {
    try {
        call();
        return "";
    } catch (const error& refused) {
        return refused.what();
    }
}

TEST(mpi_top_k, refusals_reach_all_ranks) {
    cpu::executor local(1);
    mpi::executor ranks(MPI_COMM_WORLD, local);
    const std::size_t all = 3 * static_cast<std::size_t>(ranks.size());
    std::vector<float> x(3, 1.0f), out(all + 1, 7.0f);
    std::vector<std::int64_t> places(2, 7);
    EXPECT_EQ(words_of([&] { top_k(ranks, x, out); }),
              "out: expected at most " + std::to_string(all) +
                  " elements, as many as all ranks have, but it has " + std::to_string(all + 1));
    const int last = ranks.size() - 1;
    const bool is_last = ranks.rank() == last;
    const std::string in_front = is_last ? "" : "rank " + std::to_string(last) + ": ";
    EXPECT_EQ(words_of([&] {
                  top_k(ranks, x, is_last ? std::span(x).first(2) : std::span(out).first(2));
              }).substr(0, in_front.size() + 17),
              in_front + "out: overlaps in;");
    std::vector<float> values(is_last ? 2 : 3), values_out(2);
    EXPECT_EQ(words_of([&] {
                  top_k_by_key(ranks, x, values, std::span(out).first(2), values_out);
              }).substr(0, in_front.size() + 27),
              in_front + "values: expected 3 elements");
    if (ranks.size() > 1) {
        EXPECT_NE(words_of([&] { top_k(ranks, x, std::span(out).first(is_last ? 1 : 2)); }), "");
        EXPECT_NE(words_of([&] { top_k(ranks, x, std::span(out).first(2), {.smallest = is_last}); }), "");
    }
    EXPECT_EQ(out, std::vector<float>(all + 1, 7.0f));
    // The executor is of use still.
    x[0] = static_cast<float>(ranks.rank());
    top_k_indices(ranks, x, places, {.smallest = true});
    EXPECT_EQ(places[0], 0);
}

}  // namespace
}  // namespace upsweep::test
