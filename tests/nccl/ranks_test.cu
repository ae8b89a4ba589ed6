// What only ranks of NCCL have: distributions, neighbours, errors, histograms and compaction of all.
#include "nccl/backend.cuh"

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "cuda/device_array.cuh"
#include "support/random.hpp"
#include "upsweep/bin_range.hpp"
#include "upsweep/compact.hpp"
#include "upsweep/histogram.hpp"
#include "upsweep/nccl/nccl.cuh"

namespace upsweep::test {
namespace {

template <class Body>
void for_each_team(const Body& body) {
    for (const nccl_backend& backend : nccl_backends()) {
        SCOPED_TRACE(backend.name);
        body(backend.executor->team());
    }
}
std::string message_of(const std::exception_ptr& thrown) {
    if (!thrown) return {};
    try {
        std::rethrow_exception(thrown);
    } catch (const error& e) {
        return e.what();
    }
}
std::vector<float> floats(std::size_t n) {
    random_bits random(n);
    std::vector<float> made(n);
    for (float& x : made) x = static_cast<float>(random.between(0, 1));
    return made;
}
template <class T>
device_array<T> part_of(const std::vector<T>& all, const std::vector<std::size_t>& cuts, int rank) {
    const auto k = static_cast<std::ptrdiff_t>(rank);
    return device_array<T>(std::vector<T>(all.begin() + std::ptrdiff_t(cuts[std::size_t(k)]),
                                          all.begin() + std::ptrdiff_t(cuts[std::size_t(k) + 1])));
}

struct smaller {  // has no identity
    UPSWEEP_HOST_DEVICE float operator()(float a, float b) const { return a < b ? a : b; }
};
struct bin_of {
    bin_range<float> range;
    __device__ int operator()(float x) const { return int(find_bin(range, x)); }
};

TEST(nccl_distribution, knows_who_has_what) {
    const std::vector<std::uint64_t> counts{0, 5, 0, 7, 2, 0};
    const nccl::distribution elements{counts};
    EXPECT_EQ(elements.size(), 6);
    EXPECT_EQ(elements.total(), 14u);
    EXPECT_EQ(elements.first(3), 5u);
    EXPECT_EQ(elements.count(3), 7u);
    EXPECT_EQ(elements.most(), 7u);
    const auto check = [&](int rank, bool reverse, std::uint64_t first, int previous, bool is_last,
                           int last) {
        const nccl::place place = nccl::place_of(elements, rank, reverse);
        EXPECT_EQ(place.first, first) << rank << reverse;
        EXPECT_EQ(place.previous, previous) << rank << reverse;
        EXPECT_EQ(place.is_first(), previous < 0) << rank << reverse;
        EXPECT_EQ(place.is_last, is_last) << rank << reverse;
        EXPECT_EQ(place.last, last) << rank << reverse;
        EXPECT_TRUE(place.is_shared) << rank << reverse;
    };
    check(0, false, 0, -1, false, 4);
    check(1, false, 0, -1, false, 4);
    check(2, false, 5, 1, false, 4);
    check(3, false, 5, 1, false, 4);
    check(4, false, 12, 3, true, 4);
    check(5, false, 14, 4, true, 4);
    check(4, true, 0, -1, false, 1);
    check(3, true, 2, 4, false, 1);
    check(1, true, 9, 3, true, 1);
    check(0, true, 14, 1, true, 1);
    const std::vector<std::uint64_t> one{0, 0, 3, 0};
    for (int rank = 0; rank < 4; ++rank)
        EXPECT_FALSE(nccl::place_of(nccl::distribution{one}, rank, rank % 2 == 0).is_shared) << rank;
    const std::vector<std::uint64_t> none(3, 0);
    EXPECT_EQ(nccl::place_of(nccl::distribution{none}, 1, false).last, -1);
    EXPECT_FALSE(nccl::place_of(nccl::distribution{none}, 1, false).is_shared);
    const std::vector<std::uint64_t> too_many{~0ull, 1};
    EXPECT_THROW(nccl::distribution{too_many}, error);
}

TEST(nccl_distribution, is_agreed_on) {
    for_each_team([](rank_team& team) {
        team.run([&](test_rank& rank, int number) {
            const nccl::distribution elements(rank.ranks, 3u + 10u * unsigned(number));
            EXPECT_EQ(elements.size(), team.size());
            for (int k = 0; k < team.size(); ++k) EXPECT_EQ(elements.count(k), 3u + 10u * unsigned(k));
        });
    });
}

TEST(nccl_errors, name_the_argument_on_every_rank) {
    for_each_team([](rank_team& team) {
        const std::vector<std::uint64_t> counts(std::size_t(team.size()) + 1, 4);
        const nccl::distribution too_many{counts};
        std::vector<std::uint64_t> fives(std::size_t(team.size()), 5);
        const nccl::distribution other{fives};
        const auto expect = [&](const std::string& wanted, const auto& call) {
            team.run_all([&](test_rank& rank, int) {
                const device_array<float> x(std::vector<float>(4, 1));
                device_array<float> y(4);
                call(rank, x, y);
            });
            for (const std::exception_ptr& thrown : team.thrown()) {
                const std::string message = message_of(thrown);
                EXPECT_NE(message.find(wanted), std::string::npos) << message;
            }
        };
        expect("options.elements: expected " + std::to_string(team.size()) + " ranks",
               [&](test_rank& rank, const auto& x, auto& y) {
                   inclusive_scan(rank.ranks, x.view(), y.span(), plus{}, {.elements = &too_many});
               });
        expect("options.elements: expected 4 elements for this rank, as many as in has, but it has 5",
               [&](test_rank& rank, const auto& x, auto& y) {
                   inclusive_scan(rank.ranks, x.view(), y.span(), plus{}, {.elements = &other});
               });
        expect("out: expected 4 elements, as many as in, but it has 3",
               [&](test_rank& rank, const auto& x, auto& y) {
                   inclusive_scan(rank.ranks, x.view(), y.span().subspan(0, 3));
               });
        expect("options.initial: an exclusive scan needs an initial value",
               [&](test_rank& rank, const auto& x, auto& y) {
                   exclusive_scan(rank.ranks, x.view(), y.span(), smaller{});
               });
        expect("segments: expected 4 keys, one an element, but there are 3",
               [&](test_rank& rank, const auto& x, auto& y) {
                   inclusive_scan_by_key(rank.ranks, x.view().subspan(0, 3), x.view(), y.span());
               });
        expect("options.initial: an exclusive scan needs an initial value",
               [&](test_rank& rank, const auto& x, auto& y) {
                   exclusive_segmented_scan(rank.ranks, cuda::by_head_flags(x.view()), x.view(), y.span(),
                                            smaller{});
               });
        expect("options.total: the total of no elements needs an initial value",
               [&](test_rank& rank, const auto& x, auto& y) {
                   inclusive_scan(rank.ranks, x.view().subspan(0, 0), y.span().subspan(0, 0), smaller{},
                                  {.total = y.data()});
               });
    });
}

TEST(nccl_errors, executors_are_of_the_communicators_device) {
    cuda::executor local;
    try {
        nccl::executor made(nullptr, local);
        FAIL();
    } catch (const error& e) {
        EXPECT_STREQ(e.what(), "comm: expected a communicator, but it is null");
    }
}

TEST(nccl_histogram, counts_the_elements_of_all) {
    for_each_team([](rank_team& team) {
        const std::vector<float> x = floats(100'003);
        const bin_range<float> range{.lo = 0, .hi = 1, .count = 37};
        std::vector<std::uint64_t> expected(37);
        cpu::executor host(1);
        histogram(host, x, expected, range);
        for (unsigned turn = 0; turn < 5; ++turn) {
            const auto cuts = cut_among(team.size(), x.size(), turn);
            team.run([&](test_rank& rank, int number) {
                const device_array<float> own = part_of(x, cuts, number);
                device_array<std::uint64_t> counts(37);
                counts.poison();
                if (turn % 2 == 0)
                    histogram(rank.ranks, own.view(), counts.span(), range);
                else
                    histogram_by(rank.ranks, own.view(), counts.span(), bin_of{range});
                rank.local.wait();
                EXPECT_EQ(counts.read(), expected) << "rank " << number;
            });
        }
    });
}

TEST(nccl_compact, tells_where_a_ranks_elements_are) {
    for_each_team([](rank_team& team) {
        const std::vector<float> x = floats(70'001);
        std::vector<float> expected;
        for (const float v : x)
            if (v < 0.3f) expected.push_back(v);
        for (unsigned turn = 0; turn < 5; ++turn) {
            const auto cuts = cut_among(team.size(), x.size(), turn);
            std::vector<float> packed(expected.size());
            team.run([&](test_rank& rank, int number) {
                const device_array<float> own = part_of(x, cuts, number);
                device_array<float> out(own.size());
                device_array<nccl::compaction> part(1);
                part.poison();
                compact_if(rank.ranks, own.view(), out.span(), less_than(0.3f), part.data());
                rank.local.wait();
                const nccl::compaction found = part.read().front();
                EXPECT_EQ(found.total, expected.size());
                ASSERT_LE(found.first + found.kept, packed.size());
                const std::vector<float> kept = out.read(0, found.kept);
                std::copy(kept.begin(), kept.end(), packed.begin() + std::ptrdiff_t(found.first));
            });
            EXPECT_EQ(packed, expected);
        }
    });
}

// More elements than a super on every rank, which is where their bodies begin, and a total that all receive.
TEST(nccl_scan, long_sequences_have_the_bits_of_one_gpu) {
    for_each_team([](rank_team& team) {
        const std::size_t n = 3'000'017;
        const device_array<float> x = random_array<float>(n, 5);
        device_array<float> y(n);
        device_array<float> total(1);
        cuda::executor one;
        inclusive_scan(one, x.view(), y.span(), plus{}, {.total = total.data()});
        const std::vector<float> in = x.read(), expected = y.read(), sum = total.read();
        for (unsigned turn = 0; turn < 10; ++turn) {
            const auto cuts = cut_among(team.size(), n, turn);
            team.run([&](test_rank& rank, int number) {
                const device_array<float> own = part_of(in, cuts, number);
                device_array<float> out(own.size()), all(1);
                out.poison();
                inclusive_scan(rank.ranks, own.view(), out.span(), plus{}, {.total = all.data()});
                rank.local.wait();
                const std::vector<float> results = out.read();
                const auto begin = expected.begin() + std::ptrdiff_t(cuts[std::size_t(number)]);
                EXPECT_TRUE(std::equal(results.begin(), results.end(), begin)) << "rank " << number;
                EXPECT_EQ(all.read(), sum);
            });
        }
    });
}

// Segments that end on the rank where they begin, and some that others have nothing but.
TEST(nccl_segmented_scan, long_sequences_have_the_bits_of_one_gpu) {
    for_each_team([](rank_team& team) {
        const std::size_t n = 3'000'017;
        const device_array<float> x = random_array<float>(n, 5);
        const std::vector<float> in = x.read();
        for (const std::size_t length : {std::size_t{9}, std::size_t{400'000}, n}) {
            std::vector<std::int32_t> keys(n);
            for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::int32_t>(i / length);
            const device_array<std::int32_t> all_keys(keys);
            for (unsigned turn = 0; turn < 10; ++turn) {
                const bool reverse = turn % 2 == 1;
                device_array<float> y(n);
                cuda::executor one;
                exclusive_segmented_scan(one, cuda::by_keys(all_keys.view()), x.view(), y.span(), plus{},
                                         {.initial = 0.1f, .reverse = reverse});
                const std::vector<float> expected = y.read();
                const auto cuts = cut_among(team.size(), n, turn);
                team.run([&](test_rank& rank, int number) {
                    const device_array<float> own = part_of(in, cuts, number);
                    const device_array<std::int32_t> own_keys = part_of(keys, cuts, number);
                    device_array<float> out(own.size());
                    out.poison();
                    exclusive_segmented_scan(rank.ranks, cuda::by_keys(own_keys.view()), own.view(),
                                             out.span(), plus{}, {.initial = 0.1f, .reverse = reverse});
                    rank.local.wait();
                    const std::vector<float> results = out.read();
                    const auto begin = expected.begin() + std::ptrdiff_t(cuts[std::size_t(number)]);
                    EXPECT_TRUE(std::equal(results.begin(), results.end(), begin))
                        << "rank " << number << ", segments of " << length;
                });
            }
        }
    });
}

}  // namespace
}  // namespace upsweep::test
