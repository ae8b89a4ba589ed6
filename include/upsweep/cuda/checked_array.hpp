// Arrays in device memory as the checks of a call's arguments see them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "upsweep/cuda/device_span.hpp"
#include "upsweep/cuda/executor.hpp"
#include "upsweep/error.hpp"

namespace upsweep::cuda::detail {

struct checked_array {
    const char* name;
    const void* data;
    std::uint64_t size;
    std::size_t element, alignment;

    template <class T>
    static checked_array of(const char* name, device_span<T> span) {
        static_assert(std::is_trivially_copyable_v<T>,
                      "elements on a device are copied as bytes: their types must be trivially copyable");
        return {name, span.data(), span.size(), sizeof(T), alignof(T)};
    }
    [[nodiscard]] std::uint64_t bytes() const { return size * element; }
    void check(executor& ex) const {
        if (size == 0) return;
        if (reinterpret_cast<std::uintptr_t>(data) % alignment != 0)
            throw_error(errc::invalid_argument,
                        std::string(name) + ": the pointer is not aligned for its elements");
        ex.check_pointer(data, name);
    }
};

}  // namespace upsweep::cuda::detail
