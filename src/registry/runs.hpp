// Runs of equal neighbours, of elements of a run-time type: unique and run_length_encode.
//
// NaNs equal nothing; -0.0 equals 0.0. Elements of type bool are bytes of 0 and 1. Everything is in host
// memory, and the device must be the CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "registry/device.hpp"
#include "registry/dtype.hpp"
#include "registry/visit.hpp"
#include "upsweep/error.hpp"

namespace upsweep::registry {

// Calls visitor(std::type_identity<T>{}) for a T with as many bytes as elements of `type`, that compares as
// they do.
template <class Visitor>
decltype(auto) visit_equality(dtype type, const Visitor& visitor) {
    return visit_type(type, [&]<class T>(std::type_identity<T> itself) {
        if constexpr (std::is_same_v<T, bool>)
            return visitor(std::type_identity<std::uint8_t>{});
        else if constexpr (std::is_integral_v<T>)
            return visitor(std::type_identity<std::make_unsigned_t<T>>{});
        else
            return visitor(itself);
    });
}

// out = the first element of every run and, unless null, lengths = how many elements it has; returns how many
// runs there are. Outputs have room for n and overlap nothing. Throws upsweep::error (unsupported) for other
// devices.
std::size_t encode_runs(const device& where, dtype type, const void* in, std::size_t n, void* out,
                        std::int64_t* lengths);
// out[i] = the number of the run that element i is in.
void number_runs(const device& where, dtype type, const void* in, std::size_t n, std::int64_t* out);

}  // namespace upsweep::registry
