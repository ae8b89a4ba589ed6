// A sequence that is cut anywhere: summaries of pieces, the place behind them, and their scans, handed from
// piece to piece as ranks of a cluster do, but by one thread and without messages.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/build.hpp"
#include "support/sweep.hpp"
#include "upsweep/core/piece.hpp"
#include "upsweep/mpi/piece.hpp"

namespace upsweep::test {
namespace {

// ---- core/piece.hpp alone ----

// The places before every element and behind the last, by single elements.
template <class Acc, class Op>
std::vector<core::tree_place<Acc>> places_of(const std::vector<Acc>& x, const Op& op,
                                             const std::optional<Acc>& initial = {}) {
    core::tree_place<Acc> place;
    place.parts[core::super_level] = initial;
    std::vector<core::tree_place<Acc>> made{place};
    for (const Acc& element : x) {
        place.push(0, element, op);
        made.push_back(place);
    }
    return made;
}
template <class Acc, class Op>
core::piece_summary<Acc> summary_of(const std::vector<Acc>& x, std::size_t first, std::size_t end,
                                    const Op& op) {
    core::piece_summary<Acc> made;
    core::for_each_block(first, end, [&](std::size_t level, std::uint64_t at) {
        const auto read = [&, i = static_cast<std::size_t>(at)]() mutable { return x[i++]; };
        const auto total = [&]<std::size_t k>() {
            auto reader = read;
            return core::fold_block<k, Acc>(reader, op);
        };
        switch (level) {
            case 0:
                return made.add(level, total.template operator()<0>(), op);
            case 1:
                return made.add(level, total.template operator()<1>(), op);
            case 2:
                return made.add(level, total.template operator()<2>(), op);
            case 3:
                return made.add(level, total.template operator()<3>(), op);
            default:
                return made.add(level, total.template operator()<4>(), op);
        }
    });
    return made;
}
template <class Acc>
bool same_place(const core::tree_place<Acc>& a, const core::tree_place<Acc>& b) {
    if (a.element_count != b.element_count) return false;
    for (std::size_t level = 0; level < core::level_count; ++level) {
        if (a.parts[level].has_value() != b.parts[level].has_value()) return false;
        if (a.parts[level] && !same_bits(*a.parts[level], *b.parts[level])) return false;
    }
    return true;
}
std::vector<std::uint64_t> numbers(std::size_t n) {
    std::vector<std::uint64_t> made(n);
    random_bits random(n);
    for (std::uint64_t& x : made) x = random();
    return made;
}

TEST(piece, a_place_has_the_value_of_the_reference) {
    const std::size_t n = core::super_size + 2 * core::tile_size + 77;
    const std::vector<std::uint64_t> x = numbers(n);
    for (const std::optional<std::uint64_t> initial : {std::optional<std::uint64_t>(), {5}}) {
        core::odometer<std::uint64_t, fingerprint> odometer(fingerprint{}, initial);
        const auto places = places_of(x, fingerprint{}, initial);
        for (std::size_t i = 0; i <= n; ++i) {
            ASSERT_EQ(places[i].value(fingerprint{}), odometer.value()) << i;
            if (i < n) odometer.take(x[i]);
        }
    }
}

TEST(piece, blocks_are_the_largest_that_fit) {
    std::string blocks;
    core::for_each_block(126, 4360, [&](std::size_t level, std::uint64_t first) {
        blocks += std::to_string(level) + "@" + std::to_string(first) + " ";
    });
    EXPECT_EQ(blocks.substr(0, 28), "0@126 0@127 2@128 2@256 2@38");
    EXPECT_EQ(blocks.substr(blocks.size() - 28), "2@4096 2@4224 1@4352 1@4356 ");
    core::for_each_block(5, 5, [](std::size_t, std::uint64_t) { FAIL() << "nothing has no blocks"; });
}

// Every piece of a short sequence.
TEST(piece, summaries_lead_from_place_to_place) {
    const std::size_t n = (sanitized ? 1 : 3) * core::row_size + 9;
    const std::vector<std::uint64_t> x = numbers(n);
    const auto places = places_of(x, fingerprint{});
    for (std::size_t first = 0; first <= n; ++first) {
        for (std::size_t end = first; end <= n; ++end) {
            core::tree_place<std::uint64_t> place = places[first];
            summary_of(x, first, end, fingerprint{}).advance(place, fingerprint{});
            ASSERT_TRUE(same_place(place, places[end])) << first << " to " << end;
        }
    }
}
// Pieces that begin and end around every level of a long one.
TEST(piece, summaries_lead_over_every_level) {
    const std::size_t n = 2 * core::super_size + 3 * core::tile_size;
    const std::vector<std::uint64_t> x = numbers(n);
    const auto places = places_of(x, fingerprint{}, std::optional<std::uint64_t>(7));
    std::vector<std::size_t> cuts{0, n};
    for (const std::size_t size : core::level_sizes) {
        for (const std::size_t base : {size, 31 * size, core::super_size - size, core::super_size + size}) {
            for (const std::size_t cut : {base - 1, base, base + 1}) {
                // Under a sanitizer, of before and behind, one in turn.
                if (cut <= n && (!sanitized || cut == (cuts.size() % 2 == 0 ? base - 1 : base + 1)))
                    cuts.push_back(cut);
            }
        }
    }
    for (const std::size_t first : cuts) {
        for (const std::size_t end : cuts) {
            if (end < first) continue;
            core::tree_place<std::uint64_t> place = places[first];
            summary_of(x, first, end, fingerprint{}).advance(place, fingerprint{});
            ASSERT_TRUE(same_place(place, places[end])) << first << " to " << end;
        }
    }
}

// ---- with the engines of the CPU ----

struct piece_mode {
    bool exclusive, reverse, initial, in_place;
    friend std::ostream& operator<<(std::ostream& out, const piece_mode& mode) {
        return out << (mode.exclusive ? "exclusive" : "inclusive") << (mode.reverse ? ", reverse" : "")
                   << (mode.initial ? ", initial" : "") << (mode.in_place ? ", in place" : "");
    }
};

// Pieces of one sequence, each in memory of its own, scanned one after the other.
template <class In, class Out, class Acc, class Op, class Function>
class relay {
  public:
    relay(const Op& op, const Function& function, array_of<In> x, std::optional<Acc> initial)
        : op_(op), function_(function), x_(std::move(x)), initial_(std::move(initial)) {}

    // `cuts` in scan order, the first 0 and the last the length.
    void check(cpu::executor& ex, const std::vector<std::size_t>& cuts, piece_mode mode) {
        const auto& expected = expected_for(mode);
        core::tree_place<Acc> place;
        std::optional<Acc> before;
        if (mode.initial) place.parts[core::super_level] = before = initial_;
        std::optional<Acc> start;
        if (mode.exclusive) start = detail::exclusive_start<Acc>(op_, !mode.initial);
        for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
            const std::size_t first = cuts[k];
            const std::size_t n = cuts[k + 1] - first;
            in_.reset(n, (first + k) % 8);
            out_.reset(n, (3 * first + k + 5) % 8);
            std::copy_n(std::begin(x_) + first, n, in_.data());
            if (mode.reverse) std::reverse(in_.data(), in_.data() + n);
            Out* out = out_.data();
            if constexpr (std::is_same_v<In, Out>) {
                if (mode.in_place) out = in_.data();
            }
            const mpi::share<Acc, In, Out, Op, Function> own{
                in_.data(),   out, {n, mode.exclusive, mode.in_place, n * (sizeof(In) + sizeof(Out))},
                mode.reverse, op_, function_,
                start};
            std::optional<Acc> last;
            mpi::with_piece(ex, own, [&](const auto& piece) {
                if constexpr (is_exact<Op, Acc>) {
                    const std::optional<Acc> total = cpu::fold_exact(ex, piece);
                    ASSERT_EQ(total.has_value(), n != 0);
                    if (n != 0) last = cpu::scan_piece(ex, piece, before);
                    if (total) core::fold_into(before, *total, piece.combine());
                    if (last) {
                        ASSERT_TRUE(same_bits(*last, *before));
                    }
                } else {
                    const auto summary = cpu::summarise(ex, piece, place.element_count);
                    if (n != 0) last = cpu::scan_piece(ex, piece, place);
                    summary.advance(place, piece.combine());
                    if (last) {
                        ASSERT_TRUE(same_bits(*last, *place.value(piece.combine())));
                    }
                }
            });
            if (mode.reverse) std::reverse(out, out + n);
            const Out* wanted = std::begin(expected) + first + (mode.exclusive ? 0 : 1);
            const std::size_t wrong = first_difference(out, wanted, n);
            ASSERT_EQ(wrong, n) << mode << ", piece " << first << " to " << first + n << ": out[" << wrong
                                << "] is " << describe(out[wrong]) << ", expected "
                                << describe(wanted[wrong]);
            ASSERT_TRUE(in_.sentinels_intact() && out_.sentinels_intact()) << mode << ", from " << first;
        }
    }

  private:
    const array_of<Out>& expected_for(piece_mode mode) {
        array_of<Out>& made = expected_[2 * mode.reverse + mode.initial];
        if (made.size() == 0) {
            array_of<Acc> elements(x_.size());
            for (std::size_t i = 0; i < x_.size(); ++i)
                elements[i] = cpu::convert<Acc>(std::invoke(function_, x_[i]));
            const std::span<const Acc> sequence = span_of(elements);
            const std::optional<Acc> initial = mode.initial ? initial_ : std::nullopt;
            const array_of<Acc> prefix = mode.reverse && !is_commutative<Op>
                                             ? prefixes<Acc>(sequence, turned<Op>{op_}, initial)
                                             : prefixes<Acc>(sequence, op_, initial);
            made.resize(prefix.size());
            std::transform(std::begin(prefix), std::end(prefix), std::begin(made), cpu::convert<Out, Acc>);
        }
        return made;
    }

    Op op_;
    Function function_;
    array_of<In> x_;
    std::optional<Acc> initial_;
    std::array<array_of<Out>, 4> expected_;
    guarded<In> in_;
    guarded<Out> out_;
};

// Ways to cut n elements: at odd places, around levels, with empty pieces, one element here and there.
std::vector<std::vector<std::size_t>> ways_to_cut(std::size_t n) {
    std::vector<std::vector<std::size_t>> ways{{0, n}, {0, 0, n, n}, {0, n / 2, n}, {0, 1, n}};
    for (const std::size_t size : {core::run_size, core::row_size, core::tile_size, core::super_size}) {
        std::vector<std::size_t> cuts{0};
        for (std::size_t cut = size - 1; cut < n && cuts.size() < 60; cut += size + 1) cuts.push_back(cut);
        cuts.push_back(n);
        ways.push_back(cuts);
        if (size <= n) ways.push_back({0, size, size, n});
    }
    random_bits random(n);
    for (std::size_t repetition = 0; repetition < repetitions(6, 1); ++repetition) {
        std::vector<std::size_t> cuts{0, n};
        for (int k = 0; k < 6; ++k) cuts.push_back(random.below(n + 1));
        std::ranges::sort(cuts);
        ways.push_back(cuts);
    }
    return ways;
}

template <class In, class Op, class Out = In, class Acc = core::accumulator_for<deduced, In, Op>,
          class Function = std::identity>
void check_pieces(std::type_identity_t<Acc> initial, const Op& op = {}, const Function& function = {}) {
    const std::size_t longest =
        sanitized ? 5 * core::tile_size + 3 : core::super_size + 5 * core::tile_size + 3;
    for (const std::size_t n : {std::size_t{1}, std::size_t{130}, 3 * core::tile_size + 5, longest}) {
        if (sanitized && n == 3 * core::tile_size + 5) continue;
        const auto x = sequence<In, Op>(n, 7);
        relay<In, Out, Acc, Op, Function> checked(op, function, x, initial);
        unsigned salt = 0;
        for_each_backend(cpu::has_kernels<Acc, Op> ? coverage::levels : coverage::threads,
                         [&](const auto& backend) {
                             for (const std::vector<std::size_t>& cuts : ways_to_cut(n)) {
                                 const unsigned bits = salt++ * 5 + 3;
                                 piece_mode mode{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0,
                                                 (bits & 8) != 0 && std::is_same_v<In, Out>};
                                 if (!has_identity<Op, Acc>) mode.initial |= mode.exclusive;
                                 checked.check(*backend.executor, cuts, mode);
                                 if (::testing::Test::HasFatalFailure()) return;
                             }
                         });
    }
}

TEST(piece, sums_that_round) {
    check_pieces<float, plus>(0.3f);
    check_pieces<double, plus>(0.3);
    check_pieces<float, multiplies>(0.9f);
}
TEST(piece, exact_operators) {
    check_pieces<std::int32_t, plus>(3);
    check_pieces<std::uint8_t, plus>(std::uint8_t{200});
    check_pieces<double, minimum>(0.4);
    check_pieces<bool, logical_and>(true);
}
TEST(piece, operators_that_do_not_commute) {
    check_pieces<brackets, bicyclic>({2, 1});
    check_pieces<matrix, matrix_product>({{2, 1, 1, 1}});
    if (!sanitized) check_pieces<word, concatenate>(word::letter('!'));  // longer to compare than to scan
    check_pieces<affine_map<double>, affine>({0.5, 1.5});
    check_pieces<affine_map<std::uint32_t>, affine>({3, 5});
}
TEST(piece, the_grouping_itself) { check_pieces<std::uint64_t, fingerprint>(17u); }
TEST(piece, other_types) {
    check_pieces<float16, plus>(0.5f);
    check_pieces<std::int16_t, plus, float, double>(0.25);
    check_pieces<std::complex<float>, multiplies>({0.5f, 0.5f});
    check_pieces<float, plus, float, float>(0.25f, {}, [](float x) { return 3 * x; });
    check_pieces<std::int32_t, fingerprint, std::uint64_t, std::uint64_t>(9u);
}

}  // namespace
}  // namespace upsweep::test
