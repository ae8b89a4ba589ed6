// Properties that hold for every input, checked on random ones: RapidCheck picks sizes, modes and back ends,
// and shrinks what fails. A failure prints the seed that repeats it (RC_PARAMS="seed=...").
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "support/backend.hpp"
#include "support/bits.hpp"
#include "support/build.hpp"
#include "support/random.hpp"
#include "upsweep/axis_scan.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/segmented_scan.hpp"

namespace upsweep::test {
namespace {

// In [low, high), as likely in an early test as in a late one.
template <class T>
T any_in(T low, T high) {
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(low, high));
}
// Those that take sums of T.
template <class T>
std::vector<const test_backend*> able_backends() {
    std::vector<const test_backend*> able;
    for (const test_backend& each : backends()) {
        if (takes<plus, T>(*each.executor)) able.push_back(&each);
    }
    return able;
}
template <class T>
const test_backend& any_backend() {
    const std::vector<const test_backend*> able = able_backends<T>();
    return *able.at(any_in<std::size_t>(0, able.size()));
}
// Mostly small, sometimes enough for several threads; shrinks towards 0.
std::size_t any_size(std::size_t largest = 400000) {
    const std::size_t bounds[] = {40, 600, 20000, std::min(largest, repetitions(largest, 100000, 140000))};
    return any_in<std::size_t>(0, bounds[any_in(0, 4)] + 1);
}
std::uint64_t any_seed() { return *rc::gen::arbitrary<std::uint64_t>(); }

// Non-negative, of any magnitude that does not overflow in sums: zeros, subnormals, ones, and wide and narrow
// mixes.
template <class T>
std::vector<T> non_negative(std::size_t n) {
    random_bits random(any_seed());
    const auto spread = any_in(0, 60);
    std::vector<T> x(n);
    for (T& v : x) {
        const int exponent = -static_cast<int>(random.below(static_cast<std::uint64_t>(spread) + 1));
        v = random.below(16) == 0
                ? T(0)
                : static_cast<T>(std::ldexp(random.unit(), random.below(64) == 0 ? 3 * exponent : exponent));
    }
    return x;
}
template <class T>
std::vector<T> any_integers(std::size_t n) {
    random_bits random(any_seed());
    std::vector<T> x(n);
    for (T& v : x) v = static_cast<T>(random());
    return x;
}

template <class T, class Out = T>
void never_decreases() {
    if (able_backends<T>().empty()) return;
    const std::size_t n = any_size();
    const std::vector<T> x = non_negative<T>(n);
    const bool exclusive = *rc::gen::arbitrary<bool>();
    const bool reverse = *rc::gen::arbitrary<bool>();
    const test_backend& backend = any_backend<T>();
    RC_LOG() << backend.name << ", n = " << n << (exclusive ? ", exclusive" : "")
             << (reverse ? ", reverse" : "") << '\n';
    std::vector<Out> out(n);
    if (exclusive)
        exclusive_scan(*backend.executor, x, out, plus{}, {.reverse = reverse});
    else
        inclusive_scan(*backend.executor, x, out, plus{}, {.reverse = reverse});
    if (reverse) std::ranges::reverse(out);
    for (std::size_t i = 1; i < n; ++i) {
        if (out[i] < out[i - 1]) RC_FAIL("decreases at " + std::to_string(i));
    }
}
RC_GTEST_PROP(property, running_sums_of_non_negative_floats_never_decrease, ()) { never_decreases<float>(); }
RC_GTEST_PROP(property, running_sums_of_non_negative_doubles_never_decrease, ()) {
    never_decreases<double>();
}
#if !defined(UPSWEEP_TEST_SHADERS)  // which convert nothing
RC_GTEST_PROP(property, running_sums_of_non_negative_float16_never_decrease, ()) {
    never_decreases<float16, float>();
}
RC_GTEST_PROP(property, rounding_to_float16_on_store_keeps_them_so, ()) { never_decreases<float, float16>(); }
#endif

// Elsewhere a sequence is given as a whole.
#if !defined(UPSWEEP_TEST_CUDA) && !defined(UPSWEEP_TEST_SHADERS) && !defined(UPSWEEP_TEST_MPI)
// A scan block by block is the scan of the concatenation.
RC_GTEST_PROP(property, scan_of_a_concatenation, ()) {
    const auto sizes = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 40000));
    const bool of_tiles = *rc::gen::arbitrary<bool>();
    std::vector<std::size_t> blocks;
    std::size_t n = any_in<std::size_t>(0, 9000);
    const std::size_t rest = n;
    for (const std::size_t size : sizes) {
        if (n > 300000) break;
        blocks.push_back(of_tiles ? size / scan_block_multiple * scan_block_multiple : size);
        n += blocks.back();
    }
    blocks.push_back(rest);
    std::vector<float> x = non_negative<float>(n), whole(n), parts(n);
    for (std::size_t i = 0; i < n; i += 3) x[i] = -x[i];
    const bool exclusive = *rc::gen::arbitrary<bool>();
    float whole_total = 0, parts_total = 0;
    const auto scan = [&](auto&& in, auto&& out, const scan_options<float>& options) {
        const test_backend& backend = any_backend<float>();  // blocks may come from different executors
        if (exclusive)
            exclusive_scan(*backend.executor, in, out, plus{}, options);
        else
            inclusive_scan(*backend.executor, in, out, plus{}, options);
    };
    scan(x, whole, {.initial = 0.5f, .total = &whole_total});
    scan_carry<float> carry;
    std::size_t done = 0;
    for (const std::size_t block : blocks) {
        scan(std::span(x).subspan(done, block), std::span(parts).subspan(done, block),
             {.initial = 0.5f, .total = &parts_total, .carry = &carry});
        done += block;
    }
    RC_ASSERT(first_difference(parts.data(), whole.data(), n) == n);
    RC_ASSERT(same_bits(parts_total, whole_total));
}
#endif

// inclusive[i] = exclusive[i + 1], and the last one is the total.
RC_GTEST_PROP(property, exclusive_is_inclusive_one_place_later, ()) {
    if (able_backends<double>().empty()) return;
    const std::size_t n = any_size() + 1;
    const std::vector<double> x = non_negative<double>(n);
    const bool reverse = *rc::gen::arbitrary<bool>();
    const test_backend &one = any_backend<double>(), &other = any_backend<double>();
    std::vector<double> inclusive(n), exclusive(n);
    double total = 0;
    inclusive_scan(*one.executor, x, inclusive, plus{}, {.reverse = reverse});
    exclusive_scan(*other.executor, x, exclusive, plus{}, {.reverse = reverse, .total = &total});
    const std::size_t shift = reverse ? 0 : 1;
    RC_ASSERT(first_difference(exclusive.data() + shift, inclusive.data() + 1 - shift, n - 1) == n - 1);
    RC_ASSERT(same_bits(reverse ? inclusive.front() : inclusive.back(), total));
}

// Scanning the reversed sequence backwards is scanning forwards.
RC_GTEST_PROP(property, reversed_twice, ()) {
    const std::size_t n = any_size();
    const std::vector<float> x = non_negative<float>(n);
    std::vector<float> turned_x(x.rbegin(), x.rend()), forwards(n), backwards(n);
    inclusive_scan(*any_backend<float>().executor, x, forwards);
    inclusive_scan(*any_backend<float>().executor, turned_x, backwards, plus{}, {.reverse = true});
    std::ranges::reverse(backwards);
    RC_ASSERT(first_difference(forwards.data(), backwards.data(), n) == n);
}

// A running sum minus the one before gives the elements back, in modular arithmetic.
RC_GTEST_PROP(property, differences_undo_sums, ()) {
    using integer = std::conditional_t<on_shaders, std::int32_t, std::int16_t>;
    if (able_backends<integer>().empty()) return;
    const std::size_t n = any_size();
    const std::vector<integer> x = any_integers<integer>(n);
    std::vector<integer> sums(n);
    inclusive_scan(*any_backend<integer>().executor, x, sums);
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t before = i == 0 ? 0 : sums[i - 1];
        if (static_cast<integer>(sums[i] - before) != x[i]) RC_FAIL("at " + std::to_string(i));
    }
}

// Elsewhere there are no segments and axes yet, or they have tests of their own.
#if !defined(UPSWEEP_TEST_CUDA) && !defined(UPSWEEP_TEST_SHADERS) && !defined(UPSWEEP_TEST_MPI)
// Under an exact operator a segmented scan is the scan of every segment alone.
RC_GTEST_PROP(property, segments_are_scans_of_their_own, ()) {
    const std::size_t n = any_size(60000);
    const std::vector<std::int32_t> x = any_integers<std::int32_t>(n);
    random_bits random(any_seed());
    std::vector<std::size_t> offsets{0};
    const auto mean = any_in<std::uint64_t>(1, 3000);
    while (offsets.back() < n) offsets.push_back(std::min(n, offsets.back() + random.below(2 * mean)));
    const bool exclusive = *rc::gen::arbitrary<bool>();
    const bool reverse = *rc::gen::arbitrary<bool>();
    const test_backend& backend = any_backend<std::int32_t>();
    cpu::executor alone(1);
    std::vector<std::int32_t> together(n), one_by_one(n);
    if (exclusive)
        exclusive_segmented_scan(*backend.executor, by_offsets(offsets), x, together, plus{},
                                 {.reverse = reverse});
    else
        inclusive_segmented_scan(*backend.executor, by_offsets(offsets), x, together, plus{},
                                 {.reverse = reverse});
    for (std::size_t k = 0; k + 1 < offsets.size(); ++k) {
        const std::size_t length = offsets[k + 1] - offsets[k];
        const auto in = std::span(x).subspan(offsets[k], length);
        const auto out = std::span(one_by_one).subspan(offsets[k], length);
        if (exclusive)
            exclusive_scan(alone, in, out, plus{}, {.reverse = reverse});
        else
            inclusive_scan(alone, in, out, plus{}, {.reverse = reverse});
    }
    RC_ASSERT(together == one_by_one);
}

// An axis scan is the scan of every slice alone.
RC_GTEST_PROP(property, slices_are_scans_of_their_own, ()) {
    const auto rows = static_cast<std::int64_t>(any_size(300) % 3000 + 1);
    const std::int64_t columns = std::min<std::int64_t>(any_in<std::int64_t>(1, 700), 400000 / rows + 1);
    const auto n = static_cast<std::size_t>(rows * columns);
    const std::vector<float> x = non_negative<float>(n);
    const int axis = any_in(0, 2);
    const bool reverse = *rc::gen::arbitrary<bool>();
    const test_backend& backend = any_backend<float>();
    RC_LOG() << backend.name << ", shape (" << rows << ", " << columns << "), axis " << axis << '\n';
    std::vector<float> out(n);
    inclusive_scan(*backend.executor, strided_view<const float>(x.data(), {rows, columns}),
                   strided_view<float>(out.data(), {rows, columns}), axis, plus{}, {.reverse = reverse});
    cpu::executor alone(1);
    const std::size_t length = static_cast<std::size_t>(axis == 0 ? rows : columns),
                      stride = static_cast<std::size_t>(axis == 0 ? columns : 1);
    for (std::size_t slice = 0; slice < n / length; ++slice) {
        const std::size_t first = axis == 0 ? slice : slice * length;
        std::vector<float> in(length), expected(length), found(length);
        for (std::size_t i = 0; i < length; ++i)
            in[i] = x[first + i * stride], found[i] = out[first + i * stride];
        inclusive_scan(alone, in, expected, plus{}, {.reverse = reverse});
        if (first_difference(found.data(), expected.data(), length) != length)
            RC_FAIL("slice " + std::to_string(slice));
    }
}
#endif

}  // namespace
}  // namespace upsweep::test
