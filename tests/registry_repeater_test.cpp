// The registry's repeated elements, of every number of bytes, against copies made one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "registry/repeater.hpp"
#include "support/build.hpp"
#include "upsweep/error.hpp"

namespace upsweep::test {
namespace {

using registry::dtype;
using bytes = std::vector<std::byte>;

bytes some_bytes(std::size_t size) {
    bytes made(size);
    for (std::size_t i = 0; i < size; ++i)
        made[i] = static_cast<std::byte>(static_cast<std::uint32_t>(i + 1) * 2654435761u >> 24);
    return made;
}
// Many of them 0, some of them large.
std::vector<std::int32_t> some_counts(std::size_t n) {
    std::vector<std::int32_t> made(n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto word = static_cast<std::uint32_t>(i + 5) * 2654435761u >> 16;
        made[i] = static_cast<std::int32_t>(word % 97 == 0 ? word % 1000 : word % 3);
    }
    return made;
}
std::vector<std::int64_t> offsets_of(const std::vector<std::int32_t>& counts) {
    std::vector<std::int64_t> made{0};
    for (const std::int32_t count : counts) made.push_back(made.back() + count);
    return made;
}
registry::repeat_counts given(const std::vector<std::int32_t>& counts) {
    return {dtype::int32, counts.data(), counts.size(), false};
}
bytes expected(const bytes& in, std::size_t sequences, std::size_t size,
               const std::vector<std::int32_t>& counts) {
    bytes made;
    auto at = in.begin();
    for (std::size_t s = 0; s < sequences; ++s) {
        for (const std::int32_t count : counts) {
            for (std::int32_t k = 0; k < count; ++k)
                made.insert(made.end(), at, at + static_cast<std::ptrdiff_t>(size));
            at += static_cast<std::ptrdiff_t>(size);
        }
    }
    return made;
}

// What is behind the results of a call stays as it is.
constexpr std::byte poison{0xa5};
constexpr std::size_t guard = 64;
void expect_repeated(const registry::device& device, const registry::repeat_counts& counts,
                     registry::rows_to_repeat call, const bytes& wanted) {
    for (const std::size_t shift : {0, 1}) {  // elements that are aligned, and others
        bytes out(shift + wanted.size() + guard, poison);
        call.out = out.data() + shift;
        EXPECT_EQ(registry::repeat_rows(device, counts, call), call.room);
        EXPECT_TRUE(
            std::equal(wanted.begin(), wanted.end(), out.begin() + static_cast<std::ptrdiff_t>(shift)));
        EXPECT_EQ(std::count(out.end() - guard, out.end(), poison), std::ptrdiff_t{guard});
    }
}

TEST(registry_repeater, elements_of_every_number_of_bytes) {
    for (const int threads : {1, 3}) {
        const registry::device device("cpu", threads);
        for (const std::size_t size :
             {1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 24, 64, 127, 128, 129, 1000, 9000}) {
            SCOPED_TRACE(std::to_string(size) + " bytes");
            for (const std::size_t sequences : {1, 2, 5}) {
                const std::size_t n = std::max<std::size_t>(2, repetitions(40'000, 8'000) / size);
                const std::vector<std::int32_t> counts = some_counts(n);
                const std::vector<std::int64_t> offsets = offsets_of(counts);
                const bytes in = some_bytes(sequences * n * size);
                const auto room = static_cast<std::size_t>(offsets.back());
                const registry::rows_to_repeat call{in.data(), nullptr, sequences, n, size, room};
                const bytes wanted = expected(in, sequences, size, counts);
                EXPECT_EQ(registry::count_repeats(device, given(counts), n), room);
                expect_repeated(device, given(counts), call, wanted);
                expect_repeated(device, {dtype::int64, offsets.data(), n + 1, true}, call, wanted);
                for (const std::uint8_t each : {0, 1, 3}) {
                    const registry::repeat_counts all{dtype::uint8, &each, 1, false};
                    registry::rows_to_repeat same = call;
                    same.room = n * each;
                    expect_repeated(device, all, same,
                                    expected(in, sequences, size, std::vector<std::int32_t>(n, each)));
                }
            }
        }
    }
}

TEST(registry_repeater, less_room) {
    const registry::device device("cpu", 2);
    const std::vector<std::int32_t> counts = some_counts(500);
    const bytes in = some_bytes(500 * 6);
    bytes wanted = expected(in, 1, 6, counts), out(wanted.size(), poison);
    const std::size_t results = wanted.size() / 6;
    for (const std::size_t room : {std::size_t{0}, std::size_t{1}, results / 2, results - 1}) {
        std::ranges::fill(out, poison);
        EXPECT_EQ(registry::repeat_rows(device, given(counts), {in.data(), out.data(), 1, 500, 6, room}),
                  results);
        EXPECT_TRUE(
            std::equal(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(6 * room), wanted.begin()));
        EXPECT_EQ(std::count(out.begin() + static_cast<std::ptrdiff_t>(6 * room), out.end(), poison),
                  static_cast<std::ptrdiff_t>(out.size() - 6 * room));
    }
    std::ranges::fill(out, poison);  // of several sequences nothing is written then
    const std::vector<std::int32_t> few(counts.begin(), counts.begin() + 250);
    EXPECT_NE(registry::repeat_rows(device, given(few), {in.data(), out.data(), 2, 250, 6, 9}), 9u);
    EXPECT_EQ(std::ranges::count(out, poison), static_cast<std::ptrdiff_t>(out.size()));
}

TEST(registry_repeater, indices) {
    const registry::device device("cpu", 2);
    const std::vector<std::int32_t> counts = some_counts(repetitions(20'000, 3'000));
    const std::vector<std::int64_t> offsets = offsets_of(counts);
    std::vector<std::int64_t> wanted, out(static_cast<std::size_t>(offsets.back()));
    for (std::size_t i = 0; i < counts.size(); ++i)
        wanted.insert(wanted.end(), static_cast<std::size_t>(counts[i]), static_cast<std::int64_t>(i));
    EXPECT_EQ(registry::repeat_indices(device, given(counts), out.data(), out.size()), out.size());
    EXPECT_EQ(out, wanted);
    std::ranges::fill(out, -1);
    EXPECT_EQ(registry::repeat_indices(device, {dtype::int64, offsets.data(), offsets.size(), true},
                                       out.data(), out.size()),
              out.size());
    EXPECT_EQ(out, wanted);
}

TEST(registry_repeater, what_is_refused) {
    const registry::device device("cpu", 2);
    const std::int8_t negative[] = {1, -1, 2};
    const float numbers[] = {1, 2};
    const std::uint64_t large[] = {std::uint64_t{1} << 63, std::uint64_t{1} << 63};
    EXPECT_THROW(registry::count_repeats(device, {dtype::int8, negative, 3, false}, 3), error);
    EXPECT_THROW(registry::count_repeats(device, {dtype::int8, negative + 1, 1, false}, 7), error);
    EXPECT_THROW(registry::count_repeats(device, {dtype::int8, negative, 3, false}, 4), error);
    EXPECT_THROW(registry::count_repeats(device, {dtype::int8, negative, 3, true}, 2), error);
    EXPECT_THROW(registry::count_repeats(device, {dtype::float32, numbers, 2, false}, 2), error);
    EXPECT_THROW(registry::count_repeats(device, {dtype::uint64, large, 2, false}, 2), error);
    EXPECT_THROW(registry::count_repeats(device, {dtype::uint64, large, 1, false}, 2), error);
}

}  // namespace
}  // namespace upsweep::test
