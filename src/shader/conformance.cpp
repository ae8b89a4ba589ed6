// Operands that reveal what drivers do: flush subnormal operands or results, fuse a product and a sum, round
// otherwise than to nearest even, lose the sign of a zero.
#include "shader/conformance.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>

namespace upsweep::shader {
namespace {

template <class T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

// Numbers of every kind: zeros, the smallest subnormal, the border to the normal ones, ones with full
// significands, the largest, infinities.
template <class T>
std::vector<T> special_values() {
    using limits = std::numeric_limits<T>;
    const T tiny = limits::denorm_min();
    const T least = limits::min();
    const T ulp = limits::epsilon();
    std::vector<T> values{0,
                          tiny,
                          tiny * 3,
                          least / 2,
                          least - tiny,
                          least,
                          least * 3,
                          std::sqrt(least),
                          std::sqrt(least) / 2,
                          1 - ulp / 2,
                          1,
                          1 + ulp,
                          1 + 2 * ulp,
                          T(2) / 3,
                          T(0.75),
                          ulp / 2,
                          3 * ulp / 4,
                          limits::max(),
                          limits::infinity()};
    const std::size_t half = values.size();
    for (std::size_t i = 0; i < half; ++i) values.push_back(-values[i]);
    return values;
}

template <class T>
void append(std::vector<std::uint32_t>& words, const T& value) {
    const auto own = std::bit_cast<std::array<std::uint32_t, sizeof(T) / 4>>(value);
    words.insert(words.end(), own.begin(), own.end());
}

template <class T, class Op>
void add_pair(probe_case& asked, const T& a, const T& b) {
    append(asked.pairs, a);
    append(asked.pairs, b);
    append(asked.expected, Op()(a, b));
}

template <class T, class Op>
probe_case every_pair() {
    probe_case asked{operation_of<Op, T>(), {}, {}};
    const std::vector<T> values = special_values<T>();
    for (const T a : values) {
        for (const T b : values) add_pair<T, Op>(asked, a, b);
    }
    return asked;
}

// Offsets that nearly cancel the product, where a fused product and sum has other bits.
probe_case affine_pairs() {
    probe_case asked{operation_of<affine, affine_map<float>>(), {}, {}};
    using map = affine_map<float>;
    std::uint32_t state = 1;
    const auto significand = [&] {
        state = state * 1664525u + 1013904223u;
        return std::bit_cast<float>(0x3f800000u | (state >> 9));  // in [1, 2)
    };
    for (int i = 0; i < 500; ++i) {
        const float slope = significand();
        const float moved = significand();
        const float product = slope * moved;
        for (const float scale : {1.0f, 0x1p-3f, 0x1p-70f}) {
            add_pair<map, affine>(asked, {scale, moved * scale}, {slope * scale, -product * scale * scale});
            add_pair<map, affine>(asked, {slope, moved}, {slope * scale, significand()});
        }
        // A subnormal product, and a subnormal offset, that nothing hides.
        constexpr float tiny = 0x1p-70f;
        add_pair<map, affine>(asked, {slope, moved * tiny}, {slope * tiny, 0});
        add_pair<map, affine>(asked, {slope, 0}, {moved, product * tiny * tiny});
    }
    return asked;
}

template <class T>
bool same(T a, T b) {
    return (a != a && b != b) || std::bit_cast<bits_of<T>>(a) == std::bit_cast<bits_of<T>>(b);
}

void add_finding(conformance& report, const std::string& text) {
    for (const std::string& known : report.findings) {
        if (known == text) return;
    }
    report.findings.push_back(text);
}

template <class T>
T value_at(std::span<const std::uint32_t> words, std::size_t index) {
    std::array<std::uint32_t, sizeof(T) / 4> own{};
    std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(index * own.size()), own.size(), own.begin());
    return std::bit_cast<T>(own);
}

template <class T>
void judge_numbers(const probe_case& asked, std::span<const std::uint32_t> results, const std::string& what,
                   conformance& report) {
    for (std::size_t i = 0; i < asked.count(); ++i) {
        const T a = value_at<T>(asked.pairs, 2 * i);
        const T b = value_at<T>(asked.pairs, 2 * i + 1);
        const T wanted = value_at<T>(asked.expected, i);
        const T got = value_at<T>(results, i);
        if (same(wanted, got)) continue;
        if (std::fpclassify(a) == FP_SUBNORMAL || std::fpclassify(b) == FP_SUBNORMAL)
            add_finding(report, what + ": subnormal operands count as zero");
        else if (std::fpclassify(wanted) == FP_SUBNORMAL ||
                 (got == 0 &&
                  std::abs(wanted) == std::numeric_limits<T>::min()))  // rounded up after the flush
            add_finding(report, what + ": subnormal results become zero");
        else if (wanted == 0 && got == 0)
            add_finding(report, what + ": the sign of a zero is lost");
        else
            add_finding(report, what + ": results are rounded otherwise");
    }
}

float flush(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }

void judge_maps(const probe_case& asked, std::span<const std::uint32_t> results, conformance& report) {
    using map = affine_map<float>;
    for (std::size_t i = 0; i < asked.count(); ++i) {
        const auto first = value_at<map>(asked.pairs, 2 * i);
        const auto second = value_at<map>(asked.pairs, 2 * i + 1);
        const auto wanted = value_at<map>(asked.expected, i);
        const auto got = value_at<map>(results, i);
        const map flushed{flush(flush(first.a) * flush(second.a)),
                          flush(flush(flush(second.a) * flush(first.b)) + flush(second.b))};
        const bool slope_right = same(wanted.a, got.a);
        const bool offset_right = same(wanted.b, got.b);
        if ((!slope_right && same(flushed.a, got.a)) || (!offset_right && same(flushed.b, got.b)))
            add_finding(report, "affine maps: subnormal numbers become zero");
        else if (!offset_right && same(got.b, std::fma(second.a, first.b, second.b)))
            add_finding(report, "affine maps: a product and a sum are fused");
        else if (!slope_right || !offset_right)
            add_finding(report, "affine maps: results are rounded otherwise");
    }
}

}  // namespace

std::vector<probe_case> probe_cases(bool float64) {
    std::vector<probe_case> cases{every_pair<float, plus>(), every_pair<float, multiplies>(), affine_pairs()};
    if (float64) {
        cases.push_back(every_pair<double, plus>());
        cases.push_back(every_pair<double, multiplies>());
    }
    return cases;
}

void judge(const probe_case& asked, std::span<const std::uint32_t> results, conformance& report) {
    const bool sums = asked.op.line == operator_line::plus;
    if (asked.op.type == element_type::affine32)
        judge_maps(asked, results, report);
    else if (asked.op.type == element_type::float64)
        judge_numbers<double>(asked, results, sums ? "double sums" : "double products", report);
    else
        judge_numbers<float>(asked, results, sums ? "float sums" : "float products", report);
}

}  // namespace upsweep::shader
