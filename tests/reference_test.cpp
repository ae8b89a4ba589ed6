// The oracle itself: the odometer of core/reference.hpp against groupings written out by hand from
// docs/numerics.md, and against that page's definition of prefix(p), evaluated directly.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/bits.hpp"
#include "support/monoids.hpp"
#include "support/random.hpp"
#include "upsweep/core/reference.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/operators.hpp"

namespace upsweep::test {
namespace {

// "a", "b", ..., "z", "a", ...
std::string letter(std::size_t i) { return std::string(1, static_cast<char>('a' + i % 26)); }

std::string grouping(std::size_t p, std::optional<std::string> initial = {}) {
    core::odometer<std::string, parenthesise> odometer({}, std::move(initial));
    for (std::size_t i = 0; i < p; ++i) odometer.take(letter(i));
    return odometer.value().value_or("absent");
}

TEST(reference, sizes_of_the_levels) {
    EXPECT_EQ(core::run_size, 4u);
    EXPECT_EQ(core::row_size, 128u);
    EXPECT_EQ(core::tile_size, 4096u);
    EXPECT_EQ(core::super_size, 131072u);
}

TEST(reference, runs_by_hand) {
    EXPECT_EQ(grouping(0), "absent");
    EXPECT_EQ(grouping(1), "a");
    EXPECT_EQ(grouping(2), "(a+b)");
    EXPECT_EQ(grouping(3), "((a+b)+c)");
    EXPECT_EQ(grouping(4), "(((a+b)+c)+d)");
    EXPECT_EQ(grouping(5), "((((a+b)+c)+d)+e)");
    EXPECT_EQ(grouping(6), "((((a+b)+c)+d)+(e+f))");
    EXPECT_EQ(grouping(8), "((((a+b)+c)+d)+(((e+f)+g)+h))");
    EXPECT_EQ(grouping(9), "(((((a+b)+c)+d)+(((e+f)+g)+h))+i)");
    EXPECT_EQ(grouping(13), "((((((a+b)+c)+d)+(((e+f)+g)+h))+(((i+j)+k)+l))+m)");
}

TEST(reference, an_initial_value_stands_in_front_of_the_supers) {
    EXPECT_EQ(grouping(0, "S"), "S");
    EXPECT_EQ(grouping(1, "S"), "(S+a)");
    EXPECT_EQ(grouping(2, "S"), "(S+(a+b))");
    EXPECT_EQ(grouping(5, "S"), "(S+((((a+b)+c)+d)+e))");
}

// An operand with its size: folding equals into a level names the level, so that the nesting can be read off.
struct part {
    std::string text;
    std::size_t size;
    static std::string name(std::size_t size, const std::string& otherwise) {
        if (size % core::super_size == 0) return "S";
        if (size < core::super_size && size % core::tile_size == 0) return "T";
        if (size < core::tile_size && size % core::row_size == 0) return "R";
        if (size < core::row_size && size % core::run_size == 0) return "V";
        if (size < core::run_size) return "L";
        return otherwise;
    }
};
struct name_parts {
    part operator()(const part& a, const part& b) const {
        const std::size_t size = a.size + b.size;
        return {part::name(size, "(" + a.text + "+" + b.text + ")"), size};
    }
};
TEST(reference, levels_nest_to_the_right) {
    const std::map<std::size_t, std::string> expected{
        {127, "(V+L)"},
        {4096 - 1, "(R+(V+L))"},
        {4096 + 130, "(T+(R+L))"},
        {2 * 4096 + 127, "(T+(V+L))"},
        {131072 - 1, "(T+(R+(V+L)))"},
        {131072 + 1, "(S+L)"},
        {131072 + 4096 + 128 + 4 + 1, "(S+(T+(R+(V+L))))"},
        {2 * 131072 + 132, "(S+(R+V))"},
    };
    core::odometer<part, name_parts> odometer(name_parts{});
    std::size_t seen = 0;
    for (std::size_t p = 1; p <= 2 * core::super_size + 200; ++p) {
        odometer.take({"L", 1});
        if (const auto here = expected.find(p); here != expected.end()) {
            EXPECT_EQ(odometer.value()->text, here->second) << p;
            ++seen;
        }
    }
    EXPECT_EQ(seen, expected.size());
}

// prefix(p) straight from the definition: left folds of totals of complete levels, nested to the right.
class definition {
  public:
    definition(const std::vector<std::uint64_t>& x, std::optional<std::uint64_t> initial)
        : x_(x), initial_(initial) {}

    [[nodiscard]] std::optional<std::uint64_t> prefix(std::size_t p) const {
        std::size_t at = 0;
        std::vector<std::optional<std::uint64_t>> parts;  // S, T, R, V, L
        for (const std::size_t size :
             {core::super_size, core::tile_size, core::row_size, core::run_size, std::size_t{1}}) {
            parts.push_back(parts.empty() ? initial_ : std::nullopt);
            for (; at + size <= p; at += size) fold(parts.back(), total(at, size));
        }
        std::optional<std::uint64_t> nested;
        for (std::size_t i = parts.size(); i-- != 0;) {
            if (nested && parts[i])
                nested = fingerprint()(*parts[i], *nested);
            else if (parts[i])
                nested = parts[i];
        }
        return nested;
    }

  private:
    static void fold(std::optional<std::uint64_t>& left, std::uint64_t right) {
        left = left ? fingerprint()(*left, right) : right;
    }

    // Of a complete part: the left fold of its children's totals. A run has 4 children, anything above it 32.
    [[nodiscard]] std::uint64_t total(std::size_t first, std::size_t size) const {
        if (size == 1) return x_[first];
        const std::size_t child = size == core::run_size ? 1 : size / 32;
        std::optional<std::uint64_t> folded;
        for (std::size_t i = 0; i < size; i += child) fold(folded, total(first + i, child));
        return *folded;
    }

    const std::vector<std::uint64_t>& x_;
    std::optional<std::uint64_t> initial_;
};

TEST(reference, is_the_definition) {
    random_bits random(3);
    std::vector<std::uint64_t> x(3 * core::super_size + 5);
    for (auto& v : x) v = random();
    for (const std::optional<std::uint64_t> initial :
         {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(99)}) {
        const definition expected(x, initial);
        core::odometer<std::uint64_t, fingerprint> odometer({}, initial);
        for (std::size_t p = 0; p <= x.size(); ++p) {
            const bool near_a_tile =
                (p + 6) % core::tile_size < 12 && p % (5 * core::tile_size) < 2 * core::tile_size;
            if (p < 700 || near_a_tile || (p + 5) % core::super_size < 10) {
                ASSERT_EQ(odometer.value(), expected.prefix(p)) << p;
            }
            if (p < x.size()) odometer.take(x[p]);
        }
    }
}

// The carry between tiles that engines keep is the odometer's.
TEST(reference, tree_carry_is_the_odometer_at_tile_boundaries) {
    random_bits random(4);
    core::odometer<std::uint64_t, fingerprint> odometer({}, 7u);
    core::tree_carry<std::uint64_t> carry{7u, {}, 0};
    for (std::size_t tile = 0; tile < 70; ++tile) {
        EXPECT_EQ(carry.value(fingerprint()), odometer.value()) << tile;
        core::odometer<std::uint64_t, fingerprint> alone({});
        for (std::size_t i = 0; i < core::tile_size; ++i) {
            const std::uint64_t x = random();
            odometer.take(x);
            alone.take(x);
        }
        carry.push_tile(*alone.value(), fingerprint());
    }
}

// Rounding is monotone and a carry changes nothing, so running sums of non-negative numbers cannot decrease.
TEST(reference, sums_of_non_negative_numbers_never_decrease) {
    random_bits random(5);
    core::odometer<float, plus> odometer(plus{});
    float before = 0;
    for (std::size_t i = 0; i < 1000000; ++i) {
        odometer.take(static_cast<float>(random.unit()));
        ASSERT_LE(before, *odometer.value()) << i;
        before = *odometer.value();
    }
}

// Small floats that a left fold would lose one by one, worked out by hand: 2^24 + 1 is 2^24 in float, ties to
// even.
TEST(reference, a_rounded_sum_by_hand) {
    core::odometer<float, plus> odometer(plus{});
    const std::vector<float> x{16777216.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f};
    // L = 2^24, then + 1 three times without effect; the next run is summed by itself: 2^24 + (1 + 1), + (1 +
    // 1 + 1)
    const std::vector<float> expected{16777216.0f, 16777216.0f, 16777216.0f, 16777216.0f,
                                      16777216.0f, 16777218.0f, 16777220.0f};
    for (std::size_t i = 0; i < x.size(); ++i) {
        odometer.take(x[i]);
        EXPECT_EQ(*odometer.value(), expected[i]) << i;
    }
}

}  // namespace
}  // namespace upsweep::test
