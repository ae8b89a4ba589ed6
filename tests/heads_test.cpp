// Where segments start, as bits: every description of segments from any element on, front to back and back to
// front, and the kernels that make the bits, at every SIMD level.
#include <gtest/gtest.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/backend.hpp"
#include "support/guarded.hpp"
#include "support/random.hpp"
#include "upsweep/cpu/heads.hpp"
#include "upsweep/segmented_scan.hpp"

namespace upsweep::test {
namespace {

bool bit(const std::uint64_t* bits, std::size_t i) { return (bits[i / 64] >> (i % 64) & 1) != 0; }

// Bits [0, count) as expected, those past them 0, and the next word untouched.
template <class Expected>
void expect_bits(const std::vector<std::uint64_t>& bits, std::size_t count, const Expected& expected) {
    for (std::size_t i = 0; i < 64 * cpu::words_of(count); ++i)
        ASSERT_EQ(bit(bits.data(), i), i < count && expected(i)) << "bit " << i << " of " << count;
    EXPECT_EQ(bits[cpu::words_of(count)], std::uint64_t{0x5555555555555555});
}
std::vector<std::uint64_t> poisoned(std::size_t count) {
    std::vector<std::uint64_t> bits(cpu::words_of(count) + 1, ~std::uint64_t{0});
    bits.back() = 0x5555555555555555;
    return bits;
}

TEST(heads, reverse_bits_turns_them_around) {
    random_bits random(3);
    for (std::size_t count = 0; count <= 300; ++count) {
        auto bits = poisoned(count);
        std::vector<bool> expected(count);
        for (std::size_t word = 0; word < cpu::words_of(count); ++word) bits[word] = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const bool set = random.below(2) != 0;
            expected[count - 1 - i] = set;
            bits[i / 64] |= static_cast<std::uint64_t>(set) << (i % 64);
        }
        cpu::reverse_bits(bits.data(), count);
        expect_bits(bits, count, [&](std::size_t i) { return expected[i]; });
    }
}

TEST(heads, bytes_that_are_not_zero) {
    for_each_backend(coverage::levels, [](const auto& backend) {
        const cpu::memory_kernels& memory = cpu::memory_kernels_for(backend.level);
        random_bits random(5);
        for (std::size_t count = 0; count <= 260; ++count) {
            guarded<std::uint8_t> bytes(count, count % 64);
            for (std::size_t i = 0; i < count; ++i)
                bytes.data()[i] = random.below(3) == 0 ? static_cast<std::uint8_t>(1u << random.below(8)) : 0;
            auto bits = poisoned(count);
            memory.mark_nonzero[0](bytes.data(), count, bits.data());
            expect_bits(bits, count, [&](std::size_t i) { return bytes.data()[i] != 0; });
        }
    });
}

template <class Key>
void check_changes() {
    for_each_backend(coverage::levels, [](const auto& backend) {
        const auto& mark = cpu::memory_kernels_for(backend.level).mark_changes[cpu::log2_size<Key>];
        random_bits random(7);
        for (std::size_t count = 0; count <= 260; ++count) {
            guarded<Key> keys(count + 1, count % 64);
            // A change may be in any one bit.
            for (std::size_t i = 0; i <= count; ++i) {
                const Key before = i == 0 ? Key(9) : keys.data()[i - 1];
                const bool changes = random.below(4) == 0;
                keys.data()[i] =
                    static_cast<Key>(before ^ Key(Key(changes) << random.below(8 * sizeof(Key))));
            }
            auto bits = poisoned(count);
            mark(keys.data() + 1, count, bits.data());
            expect_bits(bits, count, [&](std::size_t i) { return keys.data()[i] != keys.data()[i + 1]; });
        }
    });
}
TEST(heads, keys_that_differ_from_the_one_before) {
    check_changes<std::uint8_t>();
    check_changes<std::uint16_t>();
    check_changes<std::uint32_t>();
    check_changes<std::uint64_t>();
}

// Every part [first, first + count) of the sequence, in its order and in none.
template <class Segments>
void check_marks(const Segments& segments, const std::vector<bool>& starts, const std::string& name) {
    SCOPED_TRACE(name);
    const std::size_t n = starts.size();
    const cpu::memory_kernels& memory = cpu::memory_kernels_for(cpu::supported_simd_levels().back());
    for (const bool backwards : {false, true}) {
        const cpu::head_marks marks = cpu::marks_of(segments, n, backwards);
        const auto is_head = [&](std::size_t i) {
            return backwards ? i == 0 || starts[n - i] : static_cast<bool>(starts[i]);
        };
        const auto check = [&](std::size_t first, std::size_t count, std::size_t& hint) {
            auto bits = poisoned(count);
            marks.mark(marks, memory, first, count, bits.data(), hint);
            SCOPED_TRACE(std::string(backwards ? "backwards, " : "") + "from " + std::to_string(first));
            expect_bits(bits, count, [&](std::size_t i) { return is_head(first + i); });
        };
        for (const std::size_t step : {1u, 7u, 64u, 100u, 128u}) {
            std::size_t hint = 0;
            for (std::size_t first = 0; first < n; first += step)
                check(first, std::min<std::size_t>(step, n - first), hint);
        }
        random_bits random(n);
        std::size_t hint = 0;
        for (std::size_t i = 0; i < 50; ++i) {
            const std::size_t first = random.below(n);
            check(first, 1 + random.below(std::min<std::size_t>(n - first, 200)), hint);
        }
        if (::testing::Test::HasFailure()) return;
    }
}

TEST(heads, every_description_from_every_element) {
    random_bits random(11);
    for (const std::size_t n : {1u, 2u, 63u, 64u, 65u, 129u, 500u}) {
        for (const std::size_t mean : {1u, 3u, 40u, 1000u}) {
            SCOPED_TRACE(std::to_string(n) + " elements, segments of about " + std::to_string(mean));
            std::vector<bool> starts(n);
            std::vector<std::int32_t> offsets{0};
            std::vector<std::uint8_t> bytes(n);
            std::vector<float> flags(n);
            std::vector<std::uint16_t> keys(n);
            std::vector<std::string> names(n);
            for (std::size_t i = 0; i < n; ++i) {
                starts[i] = i == 0 || random.below(mean) == 0;
                while (starts[i] && random.below(4) == 0) offsets.push_back(static_cast<std::int32_t>(i));
                if (starts[i] && i != 0) offsets.push_back(static_cast<std::int32_t>(i));
                bytes[i] = i != 0 && starts[i] ? 4 : 0;  // element 0 starts one whatever its flag
                flags[i] = starts[i] ? -0.5f : 0.0f;
                keys[i] = static_cast<std::uint16_t>(i == 0 ? 7 : keys[i - 1] + (starts[i] ? 300 : 0));
                names[i] = std::to_string(keys[i]);
            }
            offsets.push_back(static_cast<std::int32_t>(n));
            check_marks(by_offsets(offsets), starts, "offsets");
            check_marks(by_head_flags(bytes), starts, "bytes");
            check_marks(by_head_flags(flags), starts, "flags of another type");
            check_marks(by_keys(keys), starts, "keys");
            check_marks(by_keys(names), starts, "names");
            if (HasFailure()) return;
        }
    }
}

}  // namespace
}  // namespace upsweep::test
