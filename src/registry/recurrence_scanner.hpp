// Scanners of linear recurrences: y[i] = a[i] y[i-1] + x[i] of one sequence given block by block, of its
// segments, or along an axis.
//
//     scanner = make_recurrence_scanner(device, {.types = resolve_recurrence_types(dtype::float32),
//                                                .coefficient = value::of(dtype::float32, 0.9f)});
//     while ((n = read(in)) != 0) { scanner->scan(in, out, n); write(out, n); }
//
// Bits: those of linear_recurrence (upsweep/recurrence.hpp) on the whole sequence. Every block but the last
// must be a multiple of multiple(), a super of the tree (docs/numerics.md): behind one the tree has nothing
// but S, so that what follows is the recurrence that starts from the last result, as the accumulator has it.
//
// Exponential smoothing by a weight w is the recurrence with coefficient 1 - w of the elements times w: the
// difference and each product are rounded once in the accumulator's type, and so are then the product and the
// sum of the recurrence. Unless x0 is given, a sequence starts from its first element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "registry/device.hpp"
#include "registry/dtype.hpp"
#include "registry/scanner.hpp"
#include "registry/value.hpp"

namespace upsweep::registry {

// What is not named: results of floating-point elements keep their type, others are float64, and both are
// computed in the type of the results that is named, or else in float32 where neither elements nor
// coefficients (if each element has its own) are wider floating-point numbers and the elements no integers,
// and in float64 elsewhere. Throws upsweep::error (invalid_argument) for complex numbers, for results that
// are no floating-point numbers and for accumulators that are neither float32 nor float64.
[[nodiscard]] scan_types resolve_recurrence_types(dtype elements, std::optional<dtype> coefficients = {},
                                                  std::optional<dtype> output = {},
                                                  std::optional<dtype> accumulator = {});

// Of the first three one is given.
struct recurrence_request {
    scan_types types{};                   // as resolve_recurrence_types makes them
    std::optional<value> coefficient{};   // of all elements; of type types.accumulator
    std::optional<dtype> coefficients{};  // the type of those of the elements, each of which has its own
    std::optional<value> weight{};        // smoothing, by a number of type types.accumulator
    std::optional<value> x0{};  // of type types.accumulator; else 0, or the first element of what is smoothed
    bool reverse = false;       // y[i] = a[i] y[i+1] + x[i]; the last block of the sequence comes first
};

class recurrence_scanner : public scanner {
  public:
    // The coefficients of the elements that the next call is given, as many and in the same order; along an
    // axis with the strides of the elements. For requests that have `coefficients`.
    virtual void take_coefficients(const void* a) = 0;

    // Every segment is a sequence of its own, with the bits of the recurrence of it alone. All of them are
    // given at once: throws upsweep::error (invalid_argument) if elements came before.
    void scan_segments(const void* in, const std::uint8_t* heads, void* out, std::size_t n) override = 0;

    // The last result as it was computed; of no elements x0, or 0 where that is an element.
    [[nodiscard]] value total() const override = 0;
};

// The device, which is to be the CPU, must outlive the scanner. Throws upsweep::error: unsupported for
// another one, invalid_argument for values of other types than the accumulator's.
[[nodiscard]] std::unique_ptr<recurrence_scanner> make_recurrence_scanner(const device& where,
                                                                          const recurrence_request& request);

}  // namespace upsweep::registry
