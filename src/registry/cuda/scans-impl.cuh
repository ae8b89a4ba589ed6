// The body of scan_under; included by the files that instantiate it.
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <string>

#include "registry/cuda/scans.hpp"
#include "upsweep/cuda/scan.cuh"
#include "upsweep/error.hpp"

namespace upsweep::registry::gpu {

// Integers whose order does not matter are held unsigned.
template <class Op, class Held>
inline constexpr bool is_held = has_identity<Op, Held> &&
                                (!std::signed_integral<Held> || std::same_as<Op, minimum> ||
                                 std::same_as<Op, maximum>);

template <class Op, class Held>
void scan_held(cuda::executor& ex, const scan_call& call) {
    if constexpr (is_held<Op, Held>) {
        const cuda::device_span<const Held> in(static_cast<const Held*>(call.in), call.n);
        const cuda::device_span<Held> out(static_cast<Held*>(call.out), call.n);
        cuda::scan_options<Held> options;
        options.device_initial = static_cast<const Held*>(call.initial);
        options.reverse = call.reverse;
        options.total = static_cast<Held*>(call.total);
        inclusive_scan(ex, in, out, Op{}, options);
    } else {
        throw_error(errc::unsupported, "held: no such accumulator on a GPU");
    }
}

template <class Op>
void scan_under(dtype held, cuda::executor& ex, const scan_call& call) {
    switch (held) {
        case dtype::int32:
            return scan_held<Op, std::int32_t>(ex, call);
        case dtype::uint32:
            return scan_held<Op, std::uint32_t>(ex, call);
        case dtype::int64:
            return scan_held<Op, std::int64_t>(ex, call);
        case dtype::uint64:
            return scan_held<Op, std::uint64_t>(ex, call);
        case dtype::float32:
            return scan_held<Op, float>(ex, call);
        case dtype::float64:
            return scan_held<Op, double>(ex, call);
        case dtype::complex64:
            return scan_held<Op, std::complex<float>>(ex, call);
        case dtype::complex128:
            return scan_held<Op, std::complex<double>>(ex, call);
        default:
            throw_error(errc::unsupported,
                        "held: no accumulators of " + std::string(name(held)) + " on a GPU");
    }
}

}  // namespace upsweep::registry::gpu
