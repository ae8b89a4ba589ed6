// How elements reach the kernels and how results leave: sources and sinks.
//
// A kernel sees contiguous accumulators. Where the caller's memory is just that, it is used in place;
// otherwise a piece of at most piece_bytes is converted, reversed, gathered or shifted through a buffer in
// the first-level cache, which costs a few percent of the memory traffic it rides on. Sources and sinks are
// erased to a function pointer called once a piece, so that the engine is compiled once for every accumulator
// and operator.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>

#include "upsweep/cpu/kernels.hpp"
#include "upsweep/types.hpp"

namespace upsweep::cpu {

inline constexpr std::size_t piece_bytes = 8192;
// Elements of a piece: whole groups of rows at every SIMD level.
template <class Acc>
inline constexpr std::size_t piece_size = piece_bytes / sizeof(Acc);

// The sequence that is scanned: element i is at data + i * stride elements (a reversed sequence starts at the
// last element and has stride -1).
template <class Acc>
struct source {
    const void* data = nullptr;
    std::ptrdiff_t stride = 1;
    bool plain = false;           // the elements are accumulators already
    const Acc* direct = nullptr;  // data, if they also lie there one after the other
    std::size_t element_size = sizeof(Acc);
    const void* function = nullptr;
    // Converts elements [first, first + count) to `to`.
    void (*load)(const source&, const memory_kernels&, std::size_t first, std::size_t count,
                 Acc* to) = nullptr;
};

template <class Acc>
struct sink {
    void* data = nullptr;
    std::ptrdiff_t stride = 1;
    bool plain = false;
    Acc* direct = nullptr;
    std::size_t element_size = sizeof(Acc);
    void (*store)(const sink&, const memory_kernels&, std::size_t first, std::size_t count,
                  const Acc* from) = nullptr;
};

template <class T>
inline constexpr std::size_t log2_size = sizeof(T) == 1   ? 0
                                         : sizeof(T) == 2 ? 1
                                         : sizeof(T) == 4 ? 2
                                                          : 3;

// To what a value of In is turned when it is loaded into an accumulator, and back when stored.
template <class To, class From>
constexpr To convert(const From& value) {
    if constexpr (std::same_as<To, From>)
        return value;
    else if constexpr (is_half<From> && !is_half<To>)
        return convert<To>(static_cast<float>(value));
    else if constexpr (is_half<To> && (is_half<From> || !std::is_arithmetic_v<From>))
        return To(static_cast<float>(value));
    else if constexpr (is_complex<To> && std::is_arithmetic_v<From>)
        return To(static_cast<typename To::value_type>(value));
    else if constexpr (is_complex<To> && is_complex<From>)  // by components, for compilers of device code
        return To(static_cast<typename To::value_type>(value.real()),
                  static_cast<typename To::value_type>(value.imag()));
    else
        return static_cast<To>(value);
}

namespace detail {

template <class In, class Acc>
void load_elements(const source<Acc>& from, const memory_kernels& memory, std::size_t first,
                   std::size_t count, Acc* to) {
    const In* x = static_cast<const In*>(from.data) + static_cast<std::ptrdiff_t>(first) * from.stride;
    if constexpr (std::same_as<In, Acc> && std::is_arithmetic_v<Acc>) {
        if (from.stride == 1) return void(std::memcpy(to, x, count * sizeof(Acc)));
        if (from.stride == -1) return memory.reverse[log2_size<Acc>](to, x - (count - 1), count);
    }
    if constexpr (is_half<In> && std::same_as<Acc, float>) {
        if (from.stride == 1) {
            if constexpr (std::same_as<In, bfloat16>)
                return memory.float_from_bfloat16(to, x, count);
            else
                return memory.float_from_float16(to, x, count);
        }
    }
    if (from.stride == 1) {
        for (std::size_t i = 0; i < count; ++i) to[i] = convert<Acc>(x[i]);
    } else {
        for (std::size_t i = 0; i < count; ++i, x += from.stride) to[i] = convert<Acc>(*x);
    }
}

template <class Out, class Acc>
void store_elements(const sink<Acc>& into, const memory_kernels& memory, std::size_t first, std::size_t count,
                    const Acc* from) {
    Out* y = static_cast<Out*>(into.data) + static_cast<std::ptrdiff_t>(first) * into.stride;
    if constexpr (std::same_as<Out, Acc> && std::is_arithmetic_v<Acc>) {
        if (into.stride == 1) return void(std::memcpy(y, from, count * sizeof(Acc)));
        if (into.stride == -1) return memory.reverse[log2_size<Acc>](y - (count - 1), from, count);
    }
    if constexpr (is_half<Out> && std::same_as<Acc, float>) {
        if (into.stride == 1) {
            if constexpr (std::same_as<Out, bfloat16>)
                return memory.bfloat16_from_float(y, from, count);
            else
                return memory.float16_from_float(y, from, count);
        }
    }
    if (into.stride == 1) {
        for (std::size_t i = 0; i < count; ++i) y[i] = convert<Out>(from[i]);
    } else {
        for (std::size_t i = 0; i < count; ++i, y += into.stride) *y = convert<Out>(from[i]);
    }
}

template <class In, class Acc, class Function>
void load_transformed(const source<Acc>& from, const memory_kernels&, std::size_t first, std::size_t count,
                      Acc* to) {
    const auto& function = *static_cast<const Function*>(from.function);
    const In* x = static_cast<const In*>(from.data) + static_cast<std::ptrdiff_t>(first) * from.stride;
    for (std::size_t i = 0; i < count; ++i, x += from.stride) to[i] = convert<Acc>(std::invoke(function, *x));
}

}  // namespace detail

// The elements x[i * stride].
template <class Acc, class In>
source<Acc> make_source(const In* x, std::ptrdiff_t stride = 1) {
    source<Acc> made{x,          stride,  std::same_as<In, Acc>,          nullptr,
                     sizeof(In), nullptr, &detail::load_elements<In, Acc>};
    if constexpr (std::same_as<In, Acc>) {
        if (stride == 1) made.direct = x;
    }
    return made;
}
// function(x[i * stride]); `function` must outlive the scan.
template <class Acc, class In, class Function>
source<Acc> make_source(const In* x, std::ptrdiff_t stride, const Function& function) {
    return {x, stride, false, nullptr, sizeof(In), &function, &detail::load_transformed<In, Acc, Function>};
}
template <class Acc, class Out>
sink<Acc> make_sink(Out* y, std::ptrdiff_t stride = 1) {
    sink<Acc> made{y,       stride,      std::same_as<Out, Acc>,
                   nullptr, sizeof(Out), &detail::store_elements<Out, Acc>};
    if constexpr (std::same_as<Out, Acc>) {
        if (stride == 1) made.direct = y;
    }
    return made;
}

// The same sequence shifted by `offset` elements.
template <class Acc>
source<Acc> moved(source<Acc> from, std::ptrdiff_t offset) {
    from.data = static_cast<const char*>(from.data) + offset * static_cast<std::ptrdiff_t>(from.element_size);
    if (from.direct != nullptr) from.direct += offset;
    return from;
}
template <class Acc>
sink<Acc> moved(sink<Acc> into, std::ptrdiff_t offset) {
    into.data = static_cast<char*>(into.data) + offset * static_cast<std::ptrdiff_t>(into.element_size);
    if (into.direct != nullptr) into.direct += offset;
    return into;
}

// A sequence of n elements with stride -1, back to front: from its last element on, which lies lowest.
template <class Acc>
source<Acc> lying_forwards(source<Acc> from, std::size_t n) {
    from = moved(from, -(static_cast<std::ptrdiff_t>(n) - 1));
    from.stride = 1;
    from.direct = from.plain ? static_cast<const Acc*>(from.data) : nullptr;
    return from;
}
template <class Acc>
sink<Acc> lying_forwards(sink<Acc> into, std::size_t n) {
    into = moved(into, -(static_cast<std::ptrdiff_t>(n) - 1));
    into.stride = 1;
    into.direct = into.plain ? static_cast<Acc*>(into.data) : nullptr;
    return into;
}

}  // namespace upsweep::cpu
