// One operator on one type in OpenGL: sizes around every level of the tree, all modes in turn, bit for bit
// against the scalar reference.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <sstream>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/bits.hpp"
#include "support/gl_context.hpp"
#include "support/gl_memory.hpp"
#include "support/sequences.hpp"
#include "support/sweep.hpp"
#include "upsweep/gl/scan.hpp"

namespace upsweep::test {

// Runs, rows, tiles, supers and beyond.
inline std::vector<std::size_t> gl_sizes() {
    return {0,    1,    2,    3,    4,     5,     6,      7,      8,      9,      31,    33,   127,
            128,  129,  131,  255,  256,   257,   511,    1000,   4092,   4093,   4095,  4096, 4097,
            4099, 8191, 8192, 8193, 12289, 40000, 131067, 131071, 131072, 131073, 262145};
}
inline constexpr std::size_t largest_gl_size = 262145;

// An operator on T, erased to functions, so that the checks are compiled once for every type.
template <class T>
struct gl_operation {
    bool has_identity;
    bool swaps;  // reversed, operands trade places
    std::function<array_of<T>(std::span<const T>, bool swapped, const std::optional<T>& initial)> prefixes;
    std::function<void(gl::executor&, gl::buffer_span<T>, gl::buffer_span<T>, bool exclusive,
                       const gl::scan_options<T>&)>
        scan;

    // `device_op` is what the executor is given for `op`.
    template <class Op, class DeviceOp>
    static gl_operation of(const Op& op, const DeviceOp& device_op) {
        return {upsweep::has_identity<Op, T>, !is_commutative<Op>,
                [op](std::span<const T> values, bool swapped, const std::optional<T>& initial) {
                    return swapped ? test::prefixes<T>(values, turned<Op>{op}, initial)
                                   : test::prefixes<T>(values, op, initial);
                },
                [device_op](gl::executor& ex, gl::buffer_span<T> in, gl::buffer_span<T> out, bool exclusive,
                            const gl::scan_options<T>& options) {
                    if (exclusive)
                        exclusive_scan(ex, in, out, device_op, options);
                    else
                        inclusive_scan(ex, in, out, device_op, options);
                }};
    }
};

// A sequence, what the reference makes of its first n elements, and the comparison with what a device makes
// of them.
template <class T>
class gl_check {
  public:
    template <class Op>
    gl_check(const Op& op, std::size_t longest, T initial)
        : gl_check(gl_operation<T>::of(op, op), sequence<T, Op>(longest, 7 + sizeof(T)), initial) {}
    gl_check(gl_operation<T> checked, array_of<T> values, T initial)
        : operation_(std::move(checked)), values_(std::move(values)), initial_(initial) {}

    // In memory order: a reversed scan is given the sequence back to front.
    [[nodiscard]] std::vector<T> input(std::size_t n, scan_mode mode) const {
        std::vector<T> made(std::begin(values_), std::begin(values_) + static_cast<std::ptrdiff_t>(n));
        if (mode.reverse) std::reverse(made.begin(), made.end());
        return made;
    }
    [[nodiscard]] std::vector<T> output(std::size_t n, scan_mode mode) {
        const auto first = std::begin(table(mode)) + (mode.exclusive ? 0 : 1);
        std::vector<T> made(first, first + static_cast<std::ptrdiff_t>(n));
        if (mode.reverse) std::reverse(made.begin(), made.end());
        return made;
    }

    // One scan of the first n; false, with a failure recorded, if anything differs. With slack >= 0 the
    // length comes from a buffer, and `in` and `out` are longer by so many elements.
    bool run(const gl::functions& gl, gl::executor& ex, std::size_t n, scan_mode mode, std::size_t in_offset,
             std::size_t out_offset, gl::scan_options<T> options = {}, std::ptrdiff_t slack = -1) {
        std::vector<T> given = input(n, mode);
        const std::size_t behind = slack > 0 ? static_cast<std::size_t>(slack) : 0;
        given.resize(n + behind, n == 0 ? T{} : values_[0]);
        const gl_memory<T> in(gl, std::span<const T>(given), in_offset);
        const gl_memory<T> separate(gl, mode.in_place ? 0 : given.size(), out_offset);
        const gl_memory<T>& out = mode.in_place ? in : separate;
        const gl_memory<T> total(gl, 1, out_offset);
        const std::vector<std::uint32_t> count = {static_cast<std::uint32_t>(n)};
        const gl_memory<std::uint32_t> length(gl, std::span<const std::uint32_t>(count), 1 + in_offset);

        options.reverse = mode.reverse;
        if (mode.initial) options.initial = initial_;
        const bool totals = operation_.has_identity || mode.initial || (n != 0 && slack < 0);
        if (totals) options.total = total.span();
        if (slack >= 0) options.length = length.span();
        operation_.scan(ex, in.span(), out.span(), mode.exclusive, options);

        const std::vector<T> results = out.read(), wanted = output(n, mode);
        std::ostringstream failure;
        const std::size_t wrong = first_difference(results.data(), wanted.data(), n);
        const auto* const tail = reinterpret_cast<const unsigned char*>(results.data() + n);
        if (wrong != n) {
            failure << "out[" << wrong << "] is " << describe(results[wrong]) << ", expected "
                    << describe(wanted[wrong]);
        } else if (totals && !same_bits(total.read()[0], table(mode)[n])) {
            failure << "the total is " << describe(total.read()[0]) << ", expected "
                    << describe(table(mode)[n]);
        } else if (!mode.in_place &&
                   first_difference(in.read().data(), given.data(), given.size()) != given.size()) {
            failure << "changed the input";
        } else if (mode.in_place ? first_difference(results.data() + n, given.data() + n, behind) != behind
                                 : std::any_of(tail, tail + behind * sizeof(T),
                                               [](unsigned char each) { return each != 0xa5; })) {
            failure << "changed what lies behind the sequence";
        }
        if (failure.str().empty()) return true;
        if (!std::is_integral_v<T> && !ex.conformance().conforming()) {
            // What the executor itself says of such a driver is what is to be seen here.
            [&] { GTEST_SKIP() << "not a bit-conforming driver: " << ex.conformance().findings.front(); }();
            return false;
        }
        ADD_FAILURE() << "n = " << n << ", " << mode << ", offsets " << in_offset << " and " << out_offset
                      << (slack >= 0 ? ", length in a buffer: " : ": ") << failure.str();
        return false;
    }

  private:
    // prefix(0), prefix(1), ... in scan order
    const array_of<T>& table(scan_mode mode) {
        const bool swapped = mode.reverse && operation_.swaps;
        array_of<T>& made =
            tables_[2 * static_cast<std::size_t>(swapped) + static_cast<std::size_t>(mode.initial)];
        if (made.size() == 0) {
            made = operation_.prefixes(span_of(values_), swapped,
                                       mode.initial ? std::optional<T>(initial_) : std::nullopt);
        }
        return made;
    }

    gl_operation<T> operation_;
    array_of<T> values_;
    T initial_;
    std::array<array_of<T>, 4> tables_;
};

inline scan_mode gl_mode(std::size_t bits) {
    return {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0};
}

// Every size in three of the sixteen modes, others for the next size, so that every mode meets every level.
template <class T>
void gl_sweep(gl_check<T> check, const gl::functions& gl, gl::executor& ex) {
    std::size_t turn = 0;
    for (const std::size_t n : gl_sizes()) {
        for (std::size_t k = 0; k < (n < 10000 ? 3u : 2u); ++k, ++turn) {
            const std::ptrdiff_t slack = turn % 5 == 0 ? static_cast<std::ptrdiff_t>(turn % 9) : -1;
            if (!check.run(gl, ex, n, gl_mode(turn * 7 + k), turn % 5, (3 * turn + 1) % 7, {}, slack)) return;
        }
    }
}
template <class T, class Op>
void gl_sweep(const gl::functions& gl, gl::executor& ex, T initial) {
    gl_sweep(gl_check<T>(Op(), largest_gl_size, initial), gl, ex);
}

}  // namespace upsweep::test
