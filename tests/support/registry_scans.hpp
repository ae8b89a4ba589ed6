// Scans of run-time types by two devices, compared byte for byte.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "registry/scanner.hpp"
#include "registry/visit.hpp"
#include "support/bits.hpp"
#include "support/random.hpp"

namespace upsweep::test {

// Small numbers of both signs, with fractions where there are any, and few large ones.
inline std::vector<std::byte> random_elements(registry::dtype type, std::size_t n, std::uint64_t seed) {
    std::vector<std::byte> bytes(n * registry::size_of(type));
    random_bits random(seed);
    registry::visit_type(type, [&]<class T>(std::type_identity<T>) {
        for (std::size_t i = 0; i < n; ++i) {
            T x;
            if constexpr (std::is_same_v<T, bool>)
                x = random.below(3) != 0;
            else if constexpr (std::is_integral_v<T>)
                x = static_cast<T>(random() >> random.below(64));
            else if constexpr (is_complex<T>)
                x = T(static_cast<typename T::value_type>(random.between(-1, 1)),
                      static_cast<typename T::value_type>(random.between(-1, 1)));
            else
                x = T(static_cast<float>(random.between(-1.5, 1.5)));
            std::memcpy(bytes.data() + i * sizeof(T), static_cast<const void*>(&x), sizeof(T));
        }
    });
    return bytes;
}

// Blocks of `block` elements, in scan order.
inline std::vector<std::byte> scan_blocks(registry::scanner& scanner, const registry::scan_request& request,
                                          const std::vector<std::byte>& in, std::size_t n,
                                          std::size_t block) {
    const std::size_t in_size = registry::size_of(request.types.input),
                      out_size = registry::size_of(request.types.output);
    std::vector<std::byte> out(n * out_size, std::byte{0xcb});
    for (std::size_t done = 0; done < n; done += std::min(block, n - done)) {
        const std::size_t count = std::min(block, n - done);
        const std::size_t first = request.reverse ? n - done - count : done;
        scanner.scan(in.data() + first * in_size, out.data() + first * out_size, count);
    }
    return out;
}

// Elements of a type, one after the other, with equal bits (or both NaN).
inline void expect_equal_elements(registry::dtype type, const std::vector<std::byte>& got,
                                  const std::vector<std::byte>& expected) {
    ASSERT_EQ(got.size(), expected.size());
    registry::visit_type(type, [&]<class T>(std::type_identity<T>) {
        const auto* x = reinterpret_cast<const T*>(expected.data());
        const auto* y = reinterpret_cast<const T*>(got.data());
        const std::size_t n = got.size() / sizeof(T), wrong = first_difference(y, x, n);
        EXPECT_EQ(wrong, n) << "out[" << wrong << "] is " << describe(y[wrong]) << ", expected "
                            << describe(x[wrong]);
    });
}

// n elements, all at once on one device and by blocks on the other.
inline void expect_equal_scans(const registry::device& expected_of, const registry::device& got_of,
                               const registry::scan_request& request, std::size_t n, std::size_t block) {
    const std::vector<std::byte> in = random_elements(request.types.input, n, n + block);
    const auto one = registry::make_scanner(expected_of, request),
               other = registry::make_scanner(got_of, request);
    const std::vector<std::byte> expected = scan_blocks(*one, request, in, n, n),
                                 got = scan_blocks(*other, request, in, n, block);
    expect_equal_elements(request.types.output, got, expected);
    EXPECT_EQ(registry::format_value(other->total()), registry::format_value(one->total()));
    EXPECT_EQ(other->total().type(), request.types.accumulator);
    EXPECT_EQ(other->count(), n);
}

inline std::string describe_request(const registry::scan_request& request) {
    return std::string(name(request.op)) + " from " + std::string(name(request.types.input)) + " in " +
           std::string(name(request.types.accumulator)) + " to " + std::string(name(request.types.output)) +
           (request.exclusive ? ", exclusive" : "") + (request.reverse ? ", reverse" : "") +
           (request.initial ? ", initial value" : "");
}

}  // namespace upsweep::test
