// The conversions, compiled once for every pair of element and accumulator type.
#include "registry/staging.hpp"

#include <complex>
#include <concepts>
#include <cstdint>

#include "registry/visit.hpp"
#include "upsweep/error.hpp"

namespace upsweep::registry {
namespace {

// bool < integers < floating point < complex; values convert upwards only, as in converts() of operation.hpp.
template <class T>
constexpr int rank = std::same_as<T, bool> ? 0
                     : std::integral<T>    ? 1
                     : is_complex<T>       ? 3
                                           : 2;

template <class T>
bool is_true(const T& element) {
    if constexpr (is_half<T>)
        return static_cast<float>(element) != 0;
    else
        return element != T(0);
}

template <class In, class Acc>
void load_truth(const cpu::source<Acc>& from, const cpu::memory_kernels&, std::size_t first,
                std::size_t count, Acc* to) {
    const In* x = static_cast<const In*>(from.data) + static_cast<std::ptrdiff_t>(first) * from.stride;
    for (std::size_t i = 0; i < count; ++i, x += from.stride) to[i] = is_true(*x) ? Acc(1) : Acc(0);
}

template <class Out, class Acc>
void store_truth(const cpu::sink<Acc>& into, const cpu::memory_kernels&, std::size_t first, std::size_t count,
                 const Acc* from) {
    Out* y = static_cast<Out*>(into.data) + static_cast<std::ptrdiff_t>(first) * into.stride;
    for (std::size_t i = 0; i < count; ++i, y += into.stride) *y = cpu::convert<Out>((from[i] & 1) != 0);
}

[[noreturn]] void fail(dtype type, const char* problem) {
    throw_error(errc::invalid_argument, std::string(name(type)) + problem);
}

}  // namespace

template <class Acc>
cpu::source<Acc> make_source(accumulation<Acc> how, dtype type, const void* data, std::ptrdiff_t stride) {
    return visit_type(type, [&]<class In>(std::type_identity<In>) -> cpu::source<Acc> {
        if constexpr (std::same_as<Acc, std::uint8_t>) {
            if (how.truth) return {data, stride, false, nullptr, sizeof(In), nullptr, &load_truth<In, Acc>};
        }
        if constexpr (rank<In> <= rank<Acc>)
            return cpu::make_source<Acc>(static_cast<const In*>(data), stride);
        else
            fail(type, ": these elements do not convert to the accumulator");
    });
}

template <class Acc>
cpu::sink<Acc> make_sink(accumulation<Acc> how, dtype type, void* data, std::ptrdiff_t stride) {
    return visit_type(type, [&]<class Out>(std::type_identity<Out>) -> cpu::sink<Acc> {
        if constexpr (std::same_as<Acc, std::uint8_t>) {
            if (how.truth) return {data, stride, false, nullptr, sizeof(Out), &store_truth<Out, Acc>};
        }
        if constexpr (rank<Acc> <= rank<Out>)
            return cpu::make_sink<Acc>(static_cast<Out*>(data), stride);
        else
            fail(type, ": the accumulator does not convert to this type of results");
    });
}

#define UPSWEEP_INSTANTIATE_STAGING(Acc)                                                          \
    template cpu::source<Acc> make_source(accumulation<Acc>, dtype, const void*, std::ptrdiff_t); \
    template cpu::sink<Acc> make_sink(accumulation<Acc>, dtype, void*, std::ptrdiff_t);
UPSWEEP_INSTANTIATE_STAGING(std::int8_t)
UPSWEEP_INSTANTIATE_STAGING(std::uint8_t)
UPSWEEP_INSTANTIATE_STAGING(std::int16_t)
UPSWEEP_INSTANTIATE_STAGING(std::uint16_t)
UPSWEEP_INSTANTIATE_STAGING(std::int32_t)
UPSWEEP_INSTANTIATE_STAGING(std::uint32_t)
UPSWEEP_INSTANTIATE_STAGING(std::int64_t)
UPSWEEP_INSTANTIATE_STAGING(std::uint64_t)
UPSWEEP_INSTANTIATE_STAGING(float)
UPSWEEP_INSTANTIATE_STAGING(double)
UPSWEEP_INSTANTIATE_STAGING(std::complex<float>)
UPSWEEP_INSTANTIATE_STAGING(std::complex<double>)

}  // namespace upsweep::registry
