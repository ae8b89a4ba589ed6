// Held accumulators: the table of types, and conversions in small pieces.
#include "registry/held.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "registry/staging.hpp"
#include "registry/visit.hpp"
#include "upsweep/core/accumulator.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/error.hpp"
#include "upsweep/operators.hpp"

namespace upsweep::registry {
namespace {

bool orders(operation op) noexcept { return op == operation::minimum || op == operation::maximum; }

// Calls body(std::type_identity<Acc>{}, truth) with the type that accumulates on the CPU.
template <class Body>
void visit_accumulator(dtype accumulator, const Body& body) {
    const bool truth = accumulator == dtype::bool8;
    visit_type(truth ? dtype::uint8 : accumulator, [&]<class Acc>(std::type_identity<Acc> type) {
        if constexpr (!std::same_as<Acc, bool> && !is_half<Acc>) body(type, truth);
    });
}

// Accumulators of fewer bits are held in 32.
template <class Acc>
inline constexpr bool is_widened = std::integral<Acc> && sizeof(Acc) < sizeof(std::uint32_t);
constexpr std::size_t piece_elements = 1024;  // elements of a narrow type on their way

const cpu::memory_kernels& memory_kernels() {
    static const cpu::memory_kernels& best = cpu::memory_kernels_for(cpu::supported_simd_levels().back());
    return best;
}

}  // namespace

operation on_bits(operation op) noexcept {
    switch (op) {
        case operation::minimum:
        case operation::logical_and:
            return operation::bit_and;
        case operation::maximum:
        case operation::logical_or:
            return operation::bit_or;
        default:
            return op;
    }
}

dtype held_type(operation op, dtype accumulator) noexcept {
    switch (accumulator) {
        case dtype::bool8:
            return dtype::uint32;
        case dtype::int8:
        case dtype::int16:
        case dtype::int32:
            return orders(op) ? dtype::int32 : dtype::uint32;
        case dtype::uint8:
        case dtype::uint16:
            return dtype::uint32;
        case dtype::int64:
            return orders(op) ? dtype::int64 : dtype::uint64;
        default:
            return accumulator;
    }
}

bool is_held_as(dtype element, dtype accumulator, dtype held) noexcept {
    if (is_integer_type(element) && is_integer_type(accumulator))
        return size_of(element) == size_of(held) && size_of(accumulator) == size_of(held);
    return element == accumulator && element == held;
}

value identity_of(operation op, dtype accumulator) {
    return visit_type(accumulator, [&]<class T>(std::type_identity<T>) -> value {
        const auto of = [&]<class Op>(std::type_identity<Op>) -> value {
            if constexpr (core::has_typed_identity<Op, T>)
                return value::of(accumulator, T(Op::template identity<T>()));
            else
                throw_error(errc::invalid_argument,
                            std::string(name(op)) + " is not defined for " + std::string(name(accumulator)));
        };
        switch (op) {
#define UPSWEEP_OPERATOR(name, primitive, identity, domain, meaning) \
    case operation::name:                                            \
        return of(std::type_identity<upsweep::name>{});
#include "upsweep/operators.def"
        }
        return {};
    });
}

value to_held(const value& accumulator, dtype held) {
    return visit_type(accumulator.type(), [&]<class From>(std::type_identity<From>) {
        return visit_type(held, [&]<class To>(std::type_identity<To>) -> value {
            if constexpr (std::integral<From> && std::integral<To>)
                return value::of(held, static_cast<To>(accumulator.as<From>()));
            else
                return value::of(held, accumulator.as<From>());  // the same type
        });
    });
}

value from_held(const value& held, dtype accumulator) {
    if (accumulator == dtype::bool8) return value::of(accumulator, (held.as<std::uint32_t>() & 1) != 0);
    return to_held(held, accumulator);
}

void check_initial(const scan_request& request) {
    const dtype accumulator = request.types.accumulator;
    if (request.initial && request.initial->type() != accumulator) {
        throw_error(errc::invalid_argument, "initial: expected a value of type " +
                                                std::string(name(accumulator)) + ", but it is of type " +
                                                std::string(name(request.initial->type())));
    }
}

held_request hold(const scan_request& request) {
    check_initial(request);
    const dtype accumulator = request.types.accumulator;
    const operation op = accumulator == dtype::bool8 ? on_bits(request.op) : request.op;
    const dtype held = held_type(op, accumulator);
    // Of bits all are set in the identity of bit_and, the lowest one among them.
    const dtype bits = accumulator == dtype::bool8 ? dtype::uint8 : accumulator;
    return {op, held, to_held(request.initial ? *request.initial : identity_of(op, bits), held)};
}

void load_held(const conversion& how, const void* from, void* to, std::size_t n) {
    visit_accumulator(how.accumulator, [&]<class Acc>(std::type_identity<Acc>, bool truth) {
        const cpu::source<Acc> source = make_source<Acc>({truth}, how.element, from, 1);
        if constexpr (is_widened<Acc>) {
            auto* out = static_cast<std::uint32_t*>(to);
            std::array<Acc, piece_elements> piece;
            for (std::size_t done = 0; done < n; done += piece.size()) {
                const std::size_t count = std::min(piece.size(), n - done);
                source.load(source, memory_kernels(), done, count, piece.data());
                // Signed ones extend their sign.
                for (std::size_t i = 0; i < count; ++i)
                    out[done + i] = static_cast<std::uint32_t>(std::int32_t{piece.at(i)});
            }
        } else {
            source.load(source, memory_kernels(), 0, n, static_cast<Acc*>(to));
        }
    });
}

void store_held(const conversion& how, const void* from, void* to, std::size_t n) {
    visit_accumulator(how.accumulator, [&]<class Acc>(std::type_identity<Acc>, bool truth) {
        const cpu::sink<Acc> sink = make_sink<Acc>({truth}, how.element, to, 1);
        if constexpr (is_widened<Acc>) {
            const auto* in = static_cast<const std::uint32_t*>(from);
            std::array<Acc, piece_elements> piece;
            for (std::size_t done = 0; done < n; done += piece.size()) {
                const std::size_t count = std::min(piece.size(), n - done);
                for (std::size_t i = 0; i < count; ++i) piece.at(i) = static_cast<Acc>(in[done + i]);
                sink.store(sink, memory_kernels(), done, count, piece.data());
            }
        } else {
            sink.store(sink, memory_kernels(), 0, n, static_cast<const Acc*>(from));
        }
    });
}

}  // namespace upsweep::registry
