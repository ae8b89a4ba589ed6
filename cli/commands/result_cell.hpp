// Results as cells of a table.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "cli/io/csv.hpp"
#include "registry/value.hpp"
#include "registry/visit.hpp"

namespace upsweep::cli {

// Of any type but complex ones; bool as 1 or 0. Adding 0 turns -0, the identity of a sum with which an
// exclusive scan begins, into 0 and leaves all else alone.
template <class T>
void write_result(csv_writer& writer, T value) {
    if constexpr (is_half<T>)
        writer.cell(static_cast<float>(value) + 0.0f);
    else if constexpr (std::is_floating_point_v<T>)
        writer.cell(value + T(0));
    else if constexpr (std::is_unsigned_v<T>)
        writer.cell(static_cast<std::uint64_t>(value));
    else
        writer.cell(static_cast<std::int64_t>(value));
}

// The same of an element of run-time type; complex numbers as NumPy writes them.
inline void write_result(csv_writer& writer, registry::dtype type, const void* element) {
    registry::visit_type(type, [&]<class T>(std::type_identity<T>) {
        if constexpr (is_complex<T>) {
            writer.cell(std::string_view(registry::format_value(type, element)));
        } else {
            T value;
            std::memcpy(static_cast<void*>(&value), element, sizeof(T));
            write_result(writer, value);
        }
    });
}

}  // namespace upsweep::cli
