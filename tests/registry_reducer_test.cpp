// The registry's totals of segments, against the last results of its segmented scans, and its runs of equal
// neighbours, of every type.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "registry/reducer.hpp"
#include "registry/runs.hpp"
#include "registry/scanner.hpp"
#include "registry/visit.hpp"
#include "support/build.hpp"
#include "upsweep/error.hpp"

namespace upsweep::test {
namespace {

using registry::dtype;
using registry::operation;
using description = registry::segments_given::description;

constexpr dtype all_types[] = {
#define UPSWEEP_LISTED(enumerator, text, code, type, result) dtype::enumerator,
    UPSWEEP_DTYPES(UPSWEEP_LISTED)
#undef UPSWEEP_LISTED
};

// Whole numbers from 0 to 4, of which products and sums are exact in every type.
std::vector<std::byte> small_numbers(dtype type, std::size_t n) {
    std::vector<std::byte> made(n * registry::size_of(type));
    registry::visit_type(type, [&]<class T>(std::type_identity<T>) {
        for (std::size_t i = 0; i < n; ++i) {
            const auto word = static_cast<std::uint32_t>(i + 1) * 2654435761u;
            const T element(static_cast<float>(word >> 24) < 100 ? 1.0f : static_cast<float>(word >> 24 & 3));
            std::memcpy(made.data() + i * sizeof(T), &element, sizeof(T));
        }
    });
    return made;
}

struct segments {
    std::vector<std::uint8_t> flags;
    std::vector<std::int32_t> keys;
    std::vector<std::int64_t> offsets;  // of segments, every third of which is followed by an empty one
    std::vector<std::size_t> ends;
};
segments make_segments(std::size_t n, std::size_t longest) {
    segments made{std::vector<std::uint8_t>(n), std::vector<std::int32_t>(n), {0}, {}};
    for (std::size_t begin = 0, k = 0; begin < n; ++k) {
        const std::size_t end = std::min(n, begin + 1 + k * 7919 % longest);
        made.flags[begin] = 2;
        for (std::size_t i = begin; i < end; ++i) made.keys[i] = static_cast<std::int32_t>(k % 5);
        made.offsets.push_back(static_cast<std::int64_t>(end));
        if (k % 3 == 0) made.offsets.push_back(static_cast<std::int64_t>(end));
        made.ends.push_back(end);
        begin = end;
    }
    return made;
}

void check_totals(const registry::device& device, const registry::scan_request& request, std::size_t n,
                  std::size_t longest) {
    SCOPED_TRACE(std::string(registry::name(request.op)) + " of " +
                 std::string(registry::name(request.types.input)) + ", " + std::to_string(n));
    const segments described = make_segments(n, longest);
    const std::vector<std::byte> in = small_numbers(request.types.input, n);
    const std::size_t size = registry::size_of(request.types.output);
    std::vector<std::byte> scanned(n * size);
    registry::make_scanner(device, request)
        ->scan_segments(in.data(), described.flags.data(), scanned.data(), n);
    std::vector<std::byte> expected;
    for (const std::size_t end : described.ends)
        expected.insert(expected.end(), scanned.data() + (end - 1) * size, scanned.data() + end * size);

    const std::size_t count = described.ends.size();
    const auto reduce = [&](description by, dtype type, const auto& data, void* keys_out, std::size_t room) {
        std::vector<std::byte> out(room * size);
        const registry::segments_given given{by, type, data.data(), data.size()};
        const std::size_t found =
            registry::reduce_segments(device, request, given, in.data(), n, keys_out, out.data());
        out.resize(std::min(found, room) * size);
        return out;
    };
    EXPECT_EQ(reduce(description::flags, dtype::uint8, described.flags, nullptr, n), expected);
    EXPECT_EQ(reduce(description::keys, dtype::int32, described.keys, nullptr, n), expected);
    std::vector<std::int32_t> first(n);
    EXPECT_EQ(reduce(description::keys, dtype::int32, described.keys, first.data(), n), expected);
    for (std::size_t k = 0; k < count; ++k) EXPECT_EQ(first[k], static_cast<std::int32_t>(k % 5));

    registry::scan_request exclusive = request;
    exclusive.exclusive = true;
    std::vector<std::byte> empty(size), spread;
    registry::make_scanner(device, exclusive)->scan(in.data(), empty.data(), 1);
    for (std::size_t k = 0; k < count; ++k) {
        spread.insert(spread.end(), expected.data() + k * size, expected.data() + (k + 1) * size);
        if (k % 3 == 0) spread.insert(spread.end(), empty.begin(), empty.end());
    }
    const std::size_t room = described.offsets.size() - 1;
    EXPECT_EQ(reduce(description::offsets, dtype::int64, described.offsets, nullptr, room), spread);
    const std::vector<std::int32_t> narrow(described.offsets.begin(), described.offsets.end());
    EXPECT_EQ(reduce(description::offsets, dtype::int32, narrow, nullptr, room), spread);
}

TEST(registry_reducer, totals_of_every_type_and_operator) {
    const registry::device device("cpu", 2);
    int checked = 0;
    for (const operation op : registry::operations()) {
        for (const dtype input : all_types) {
            registry::scan_request request;
            request.op = op;
            try {
                request.types = registry::resolve_types(op, input);
            } catch (const error&) {
                continue;
            }
            check_totals(device, request, repetitions(9001, 1301), 60);
            ++checked;
        }
    }
    EXPECT_GT(checked, 80);
}

TEST(registry_reducer, totals_from_initial_values_of_other_types) {
    const registry::device device("cpu", 3);
    for (const dtype output : {dtype::int64, dtype::float16, dtype::float32, dtype::complex128}) {
        registry::scan_request request;
        request.types = registry::resolve_types(operation::plus, dtype::int8, output);
        request.initial = registry::parse_value("3", request.types.accumulator);
        for (const std::size_t longest : {std::size_t{1}, std::size_t{9}, std::size_t{20'000}})
            check_totals(device, request, repetitions(140'001, 40'001), longest);
    }
}

TEST(registry_reducer, no_elements_and_what_is_refused) {
    const registry::device device("cpu", 2);
    const registry::scan_request request;  // of doubles
    const std::vector<std::int64_t> empty(3);
    std::vector<double> out(2, 1.0);
    const registry::segments_given none{description::offsets, dtype::int64, empty.data(), empty.size()};
    EXPECT_EQ(registry::reduce_segments(device, request, none, nullptr, 0, nullptr, out.data()), 2u);
    for (const double total : out) EXPECT_TRUE(total == 0.0 && std::signbit(total));
    const registry::segments_given flags{description::flags, dtype::uint8, nullptr, 0};
    EXPECT_EQ(registry::reduce_segments(device, request, flags, nullptr, 0, nullptr, out.data()), 0u);

    const std::vector<double> in(4, 1.0);
    for (const std::vector<std::int64_t>& offsets :
         {std::vector<std::int64_t>{0, 3}, {1, 4}, {0, 5, 4}, {0, -1, 4}, {}}) {
        const registry::segments_given bad{description::offsets, dtype::int64, offsets.data(),
                                           offsets.size()};
        EXPECT_THROW(registry::reduce_segments(device, request, bad, in.data(), 4, nullptr, out.data()),
                     error);
    }
    const registry::segments_given bytes{description::offsets, dtype::uint8, empty.data(), 1};
    EXPECT_THROW(registry::reduce_segments(device, request, bytes, in.data(), 4, nullptr, out.data()), error);
}

TEST(registry_reducer, runs_of_every_type) {
    const registry::device device("cpu", 2);
    for (const dtype type : all_types) {
        SCOPED_TRACE(registry::name(type));
        const std::size_t n = repetitions(9001, 1301), size = registry::size_of(type);
        const std::vector<std::byte> in = small_numbers(type, n);
        std::vector<std::byte> out(n * size), first(n * size);
        std::vector<std::int64_t> lengths(n), numbers(n);
        const std::size_t count =
            registry::encode_runs(device, type, in.data(), n, out.data(), lengths.data());
        EXPECT_EQ(registry::encode_runs(device, type, in.data(), n, first.data(), nullptr), count);
        first.resize(count * size);
        out.resize(count * size);
        EXPECT_EQ(first, out);
        registry::number_runs(device, type, in.data(), n, numbers.data());
        // Put together again.
        std::size_t at = 0;
        for (std::size_t k = 0; k < count; ++k) {
            for (std::int64_t i = 0; i < lengths[k]; ++i, ++at) {
                ASSERT_LT(at, n);
                EXPECT_EQ(numbers[at], static_cast<std::int64_t>(k));
                EXPECT_EQ(std::memcmp(out.data() + k * size, in.data() + at * size, size), 0);
            }
            if (k == 0) continue;
            EXPECT_NE(std::memcmp(out.data() + k * size, out.data() + (k - 1) * size, size), 0);
        }
        EXPECT_EQ(at, n);
        EXPECT_EQ(registry::encode_runs(device, type, in.data(), 0, out.data(), lengths.data()), 0u);
    }
}

}  // namespace
}  // namespace upsweep::test
