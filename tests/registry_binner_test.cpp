// The registry's sums by bin, of weights of every type, at once and block by block: each with the bits of the
// total of its bin's weights alone.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "registry/binner.hpp"
#include "registry/reducer.hpp"
#include "registry/scanner.hpp"
#include "registry/visit.hpp"
#include "support/binned.hpp"
#include "support/build.hpp"
#include "support/cuts.hpp"
#include "support/dtypes.hpp"
#include "support/random.hpp"
#include "upsweep/error.hpp"

namespace upsweep::test {
namespace {

using registry::dtype;
using registry::operation;
using registry::size_of;

// Whose sums round, or overflow.
std::vector<std::byte> weights_of(dtype type, std::size_t n) {
    random_bits random(n);
    std::vector<std::byte> made(n * size_of(type));
    registry::visit_type(type, [&]<class T>(std::type_identity<T>) {
        for (std::size_t i = 0; i < n; ++i) {
            const double real = random.between(-1, 1) * std::exp2(static_cast<double>(random.below(10)));
            T element;
            if constexpr (is_complex<T>)
                element = T(static_cast<typename T::value_type>(real),
                            static_cast<typename T::value_type>(random.unit()));
            else if constexpr (std::is_same_v<T, bool>)
                element = real > 0;
            else if constexpr (std::is_integral_v<T>)
                element = static_cast<T>(random());
            else
                element = T(static_cast<float>(real));
            std::memcpy(made.data() + i * sizeof(T), static_cast<const void*>(&element), sizeof(T));
        }
    });
    return made;
}

// The last results of scans of each bin's weights.
std::vector<std::byte> expected_sums(const registry::device& device, const registry::scan_types& types,
                                     const std::vector<std::uint32_t>& found, std::size_t bins,
                                     const std::vector<std::byte>& weights) {
    const std::size_t from = size_of(types.input), to = size_of(types.output);
    registry::scan_request request;
    request.types = types;
    const registry::value nothing = registry::total_of_nothing(request);
    std::vector<std::byte> expected;
    for (std::size_t b = 0; b < bins; ++b) {
        std::vector<std::byte> own;
        for (std::size_t i = 0; i < found.size(); ++i)
            if (found[i] == b)
                own.insert(own.end(), weights.data() + i * from, weights.data() + (i + 1) * from);
        const std::size_t n = own.size() / from;
        std::vector<std::byte> scanned(n * to);
        registry::make_scanner(device, request)->scan(own.data(), scanned.data(), n);
        const std::byte* const last = n == 0 ? nothing.data() : scanned.data() + (n - 1) * to;
        expected.insert(expected.end(), last, last + to);
    }
    return expected;
}

class sums_by_bin {
  public:
    sums_by_bin(const registry::binner& binner, const std::vector<float>& x, std::vector<std::uint32_t> found,
                std::size_t bins)
        : binner_(binner), x_(x), found_(std::move(found)), bins_(bins) {}

    void check(const registry::device& device, const registry::scan_types& types) const {
        SCOPED_TRACE(std::string(registry::name(types.input)) + ", " + std::to_string(bins_) + " bins");
        const std::vector<std::byte> weights = weights_of(types.input, x_.size());
        const auto expected = expected_sums(device, types, found_, bins_, weights);
        std::size_t inside = 0;
        for (const std::uint32_t bin : found_) inside += bin < bins_ ? 1 : 0;
        std::vector<std::byte> sums(expected.size(), std::byte{0x5a});
        EXPECT_EQ(binner_.sum(x_.data(), types, weights.data(), sums.data(), x_.size()), inside);
        EXPECT_EQ(sums, expected);
        for (unsigned turn = 0; turn < 5; ++turn) {
            const auto blocks = binner_.make_sums(types);
            std::size_t placed = 0;
            const std::vector<std::size_t> cuts = cut_among(4, x_.size(), turn);
            for (std::size_t k = 0; k + 1 < cuts.size(); ++k)
                placed +=
                    blocks->take(x_.data() + cuts[k], types.input,
                                 weights.data() + cuts[k] * size_of(types.input), cuts[k + 1] - cuts[k]);
            sums.assign(expected.size(), std::byte{0x5a});
            blocks->store(sums.data());
            EXPECT_EQ(placed, inside);
            EXPECT_EQ(sums, expected) << "turn " << turn;
        }
    }

  private:
    const registry::binner& binner_;
    const std::vector<float>& x_;
    std::vector<std::uint32_t> found_;
    std::size_t bins_;
};

std::vector<float> numbers(std::size_t n) {
    random_bits random(n);
    std::vector<float> made(n);
    for (float& x : made) {
        x = static_cast<float>(random.between(-0.2, 1.2));
        if (random.below(50) == 0) x = std::numeric_limits<float>::quiet_NaN();
    }
    return made;
}
TEST(registry_binner, sums_of_every_type) {
    const registry::device device("cpu", 2);
    const std::vector<float> x = numbers(repetitions(9'001, 2'001));
    for (const std::uint32_t count : {3u, 40u}) {
        const auto binner = registry::make_binner(device, dtype::float32, {"0", "1", count});
        const sums_by_bin sums(*binner, x, bins_of(bin_range<float>{0, 1, count}, x), count);
        for (const dtype type : all_types) sums.check(device, registry::resolve_types(operation::plus, type));
    }
}
// Odometers, which more bins than rows have room for are.
TEST(registry_binner, sums_of_many_bins) {
    const registry::device device("cpu", 1);
    const std::uint32_t count = 2'000;
    const std::vector<float> x = numbers(repetitions(6'001, 1'001));
    const auto binner = registry::make_binner(device, dtype::float32, {"0", "1", count});
    const sums_by_bin sums(*binner, x, bins_of(bin_range<float>{0, 1, count}, x), count);
    for (const dtype type : {dtype::float64, dtype::bfloat16, dtype::int16, dtype::complex64})
        sums.check(device, registry::resolve_types(operation::plus, type));
}
// Edges that no element reaches: integers have no bins there.
TEST(registry_binner, bins_without_any_elements) {
    const registry::device device("cpu", 1);
    registry::bin_limits limits;
    for (const char* edge : {"0.25", "0.5", "0.75"})
        limits.edges.push_back(registry::parse_value(edge, dtype::float64));
    limits.count = 2;
    const std::vector<std::int32_t> x{0, 1, 2};
    const std::vector<float> weights{1, 2, 3};
    const auto binner = registry::make_binner(device, dtype::int32, limits);
    const auto types = registry::resolve_types(operation::plus, dtype::float32);
    std::vector<float> sums(2, 9);
    const auto blocks = binner->make_sums(types);
    EXPECT_EQ(blocks->take(x.data(), dtype::float32, weights.data(), 3), 0u);
    blocks->store(sums.data());
    for (const float sum : sums) EXPECT_TRUE(sum == 0 && std::signbit(sum));
}
// A block's values may be of another type than the one before's.
TEST(registry_binner, values_that_change_their_type) {
    const registry::device device("cpu", 1);
    const auto binner = registry::make_binner(device, dtype::float64, {"0", "2", 2});
    const auto types = registry::resolve_types(operation::plus, dtype::float64);
    const std::vector<double> x{0, 1, 1.5}, reals{0.25, 1, 2};
    const std::vector<std::int64_t> integers{1, 9'007'199'254'740'993, -3};
    const auto sums = binner->make_sums(types);
    EXPECT_EQ(sums->take(x.data(), dtype::int64, integers.data(), 3), 3u);
    EXPECT_EQ(sums->take(x.data(), dtype::float64, reals.data(), 3), 3u);
    std::vector<double> out(2);
    sums->store(out.data());
    EXPECT_EQ(out[0], 1.25);
    EXPECT_EQ(out[1], (9'007'199'254'740'992.0 + -3.0 + 1.0) + 2.0);
    EXPECT_THROW(sums->take(x.data(), dtype::complex64, reals.data(), 1), error);
}

}  // namespace
}  // namespace upsweep::test
