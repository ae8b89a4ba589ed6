// Prefix sums of one sequence: inclusive_scan, exclusive_scan and their transforming forms.
//
//     inclusive: out[i] = in[0] (+) in[1] (+) ... (+) in[i]
//     exclusive: out[i] = in[0] (+) ... (+) in[i-1]
//                out[0] = the initial value, or else the operator's identity
//
// Shapes: in and out are contiguous ranges of equal size n >= 0, of any element types; elements convert to
// the accumulator type Acc when loaded and to the output type when stored. Acc is the input's element type
// (float for 16-bit floating point, bool for the logical operators) unless named:
// inclusive_scan<double>(ex, floats, doubles).
// Bits: those of docs/numerics.md, for every executor, thread count and instruction set.
// Aliasing: out may be in (equal pointers, elements of equal size); any other overlap is an error.
// Errors: upsweep::error names the argument; nothing has been written then. An exception from the operator
// or the function passes through; out is then unspecified.
// Complexity: O(n) work, one read of in and one write of out through memory; scratch on the stack only, but
// for a block (options.carry) whose ends are not those of tiles, which takes an accumulator for each of its
// tiles.
// Source: the combination tree is described in docs/numerics.md; the parallel chain in
// docs/architecture.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>

#include "upsweep/concepts.hpp"
#include "upsweep/core/accumulator.hpp"
#include "upsweep/core/arguments.hpp"
#include "upsweep/core/known_operator.hpp"
#include "upsweep/cpu/engine.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/generic.hpp"
#include "upsweep/cpu/piece.hpp"
#include "upsweep/error.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/options.hpp"

namespace upsweep {

namespace core {

// (b, a) -> op(a, b): a reversed scan is the forward scan of the reversed sequence with its operands swapped.
template <class Op>
struct swapped {
    const Op& op;
    template <class T>
    constexpr auto operator()(const T& a, const T& b) const {
        return op(b, a);
    }
    template <class T>
    static constexpr bool exact = is_exact<Op, T>;
};

}  // namespace core

namespace detail {

// Whether elements, or an initial value, came in earlier blocks.
template <class Acc>
bool continues(const scan_options<Acc>& options) {
    return options.carry != nullptr && options.carry->total_.has_value();
}
// Where a scan starts.
template <class Acc>
core::tree_place<Acc> begin_place(const scan_options<Acc>& options) {
    if (continues(options)) return options.carry->place;
    core::tree_place<Acc> fresh;
    fresh.parts[core::super_level] = options.initial;
    return fresh;
}
template <class Acc, class Op>
void finish(const scan_options<Acc>& options, const Op& op, core::tree_place<Acc> place,
            std::optional<Acc> last, std::size_t n) {
    if (n == 0) {
        if (continues(options))
            last = options.carry->total_;
        else if (options.initial)
            last.emplace(*options.initial);
    }
    if (options.carry != nullptr) {
        options.carry->place = std::move(place);
        options.carry->total_ = last;
    }
    if (options.total != nullptr) {
        if constexpr (has_identity<Op, Acc>) {
            if (!last) last = identity_of<Acc>(op);
        }
        if (last) *options.total = *last;
    }
}

// What an exclusive scan stores first when there is no initial value.
template <class Acc, class Op>
std::optional<Acc> exclusive_start(const Op& op, bool needed) {
    if constexpr (has_identity<Op, Acc>)
        return identity_of<Acc>(op);
    else if (needed)
        throw_error(errc::invalid_argument,
                    "options.initial: an exclusive scan needs an initial value, because the operator has no "
                    "identity");
    else
        return {};
}

template <class Acc, class Op>
void check_total(const scan_options<Acc>& options, std::size_t n) {
    if (!has_identity<Op, Acc> && n == 0 && options.total != nullptr && !options.initial &&
        !continues(options)) {
        throw_error(errc::invalid_argument,
                    "options.total: the total of no elements needs an initial value, because the operator "
                    "has no identity");
    }
}

// The compiler's own half type has upsweep::float16's layout and is converted by the same kernels.
template <class T>
auto as_storage(T* p) {
#if defined(UPSWEEP_HAS_FLOAT16)
    if constexpr (std::is_same_v<std::remove_const_t<T>, _Float16>) {
        return reinterpret_cast<std::conditional_t<std::is_const_v<T>, const float16, float16>*>(p);
    } else {
        return p;
    }
#else
    return p;
#endif
}

// One sequence: in[i * stride], out[i * stride] for i < n, stride 1 or -1, both pointing at the first of it.
template <class Acc, class In, class Out, class Op, class Function>
void scan_sequence(cpu::executor& ex, const In* in, std::ptrdiff_t in_stride, Out* out,
                   std::ptrdiff_t out_stride, std::size_t n, bool exclusive, bool in_place, const Op& op,
                   const Function& function, const scan_options<Acc>& options) {
    check_total<Acc, Op>(options, n);
    core::tree_place<Acc> place = begin_place(options);
    const std::optional<Acc> start =
        exclusive ? exclusive_start<Acc>(op, !place.value(op) && n != 0) : std::nullopt;
    const cpu::scan_shape shape{n, exclusive, in_place, n * (sizeof(In) + sizeof(Out))};
    core::tree_carry<Acc> whole{place.parts[core::super_level], {}, 0};  // of a scan without a carry
    std::optional<Acc> last;
    if (n == 0) {
        // nothing to store
    } else if constexpr (cpu::has_kernels<Acc, Op>) {
        cpu::source<Acc> source;
        if constexpr (std::is_same_v<Function, std::identity>)
            source = cpu::make_source<Acc>(as_storage(in), in_stride);
        else
            source = cpu::make_source<Acc>(in, in_stride, function);
        const cpu::sink<Acc> sink = cpu::make_sink<Acc>(as_storage(out), out_stride);
        constexpr auto& operation = cpu::operation_of<Acc, Op>;
        last = options.carry == nullptr ? cpu::run_scan(operation, ex, source, sink, shape, whole)
                                        : cpu::run_block(operation, ex, source, sink, shape, place);
    } else {
        const cpu::element_source<Acc, In, Function> source{in, in_stride, function};
        const cpu::element_sink<Acc, Out> sink{out, out_stride, start};
        const auto scan = [&](const auto& combine) {
            using piece =
                cpu::generic_piece<Acc, std::decay_t<decltype(combine)>, decltype(source), decltype(sink)>;
            if (options.carry == nullptr)
                last = cpu::run_generic_scan<Acc>(ex, source, sink, combine, shape, whole);
            else
                last = cpu::scan_block(ex, piece(combine, source, sink, shape), place);
        };
        if (options.reverse)
            scan(core::swapped<Op>{op});
        else
            scan(op);
    }
    finish(options, op, std::move(place), std::move(last), n);
}

// Sequences of at most this many elements are converted to accumulators and back in one buffer.
template <class Acc>
inline constexpr std::size_t converted_size = std::min(cpu::small_size, 2 * cpu::piece_size<Acc>);

// Scans 1 to converted_size elements from `start` on.
template <class Acc, class Op, class In, class Out, class Function>
void scan_converted(cpu::simd_level level, const In* in, Out* out, std::size_t n, bool exclusive,
                    const Function& function, const scan_options<Acc>& options, Acc start) {
    alignas(64) Acc buffer[converted_size<Acc>];
    const cpu::memory_kernels& memory = cpu::memory_kernels_for(level);
    const auto load = [&](const cpu::source<Acc>& from) { from.load(from, memory, 0, n, buffer); };
    if constexpr (std::is_same_v<Function, std::identity>)
        load(cpu::make_source<Acc>(as_storage(in)));
    else
        load(cpu::make_source<Acc>(in, 1, function));
    Acc* const first = options.reverse ? buffer + (n - 1) : buffer;
    cpu::run_small_scan<Acc, Op>(level, first, first, n, exclusive, options.reverse, start, options.total);
    const cpu::sink<Acc> into = cpu::make_sink<Acc>(as_storage(out));
    into.store(into, memory, 0, n, buffer);
}

template <class Acc, class In, class Out, class Op, class Function>
void scan_range(cpu::executor& ex, const In* in, std::size_t in_size, Out* out, std::size_t out_size,
                bool exclusive, const Op& op, const Function& function, const scan_options<Acc>& options) {
    check_sizes(in_size, out_size);
    const bool in_place = check_overlap(in, sizeof(In), out, sizeof(Out), in_size);
    if constexpr (cpu::has_kernels<Acc, Op>) {  // a short sequence without anything that would cost more
        constexpr bool is_plain =
            std::is_same_v<Function, std::identity> && std::is_same_v<In, Acc> && std::is_same_v<Out, Acc>;
        constexpr std::size_t most = is_plain ? cpu::small_size : converted_size<Acc>;
        if (in_size <= most && in_size != 0 && options.carry == nullptr) {
            const Acc start = options.initial ? *options.initial : identity_of<Acc>(op);
            if constexpr (is_plain) {
                const std::size_t first = options.reverse ? in_size - 1 : 0;
                cpu::run_small_scan<Acc, Op>(ex.simd(), in + first, out + first, in_size, exclusive,
                                             options.reverse, start, options.total);
            } else {
                scan_converted<Acc, Op>(ex.simd(), in, out, in_size, exclusive, function, options, start);
            }
            return;
        }
    }
    const std::size_t last = in_size == 0 || !options.reverse ? 0 : in_size - 1;
    const std::ptrdiff_t stride = options.reverse ? -1 : 1;
    scan_sequence<Acc>(ex, in + last, stride, out + last, stride, in_size, exclusive, in_place, op, function,
                       options);
}

// f, or a pointer to it where it is a function and thus no object.
template <class F>
decltype(auto) as_object(const F& f) {
    if constexpr (std::is_function_v<F>)
        return &f;
    else
        return (f);
}

}  // namespace detail

// out[i] = in[0] (+) ... (+) in[i]
template <class Acc = deduced, input_range In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
requires output_range<Out, A> && combines<Op, A>
void inclusive_scan(cpu::executor& ex, const In& in, Out&& out, const Op& op = {},
                    const std::type_identity_t<scan_options<A>>& options = {}) {
    detail::scan_range<A>(ex, std::ranges::data(in), std::ranges::size(in), std::ranges::data(out),
                          std::ranges::size(out), false, core::known<A>(op), std::identity{}, options);
}

// out[i] = in[0] (+) ... (+) in[i-1]; out[0] = options.initial, or else the operator's identity.
template <class Acc = deduced, input_range In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
requires output_range<Out, A> && combines<Op, A>
void exclusive_scan(cpu::executor& ex, const In& in, Out&& out, const Op& op = {},
                    const std::type_identity_t<scan_options<A>>& options = {}) {
    detail::scan_range<A>(ex, std::ranges::data(in), std::ranges::size(in), std::ranges::data(out),
                          std::ranges::size(out), true, core::known<A>(op), std::identity{}, options);
}

// out[i] = f(in[0]) (+) ... (+) f(in[i]). f may be called up to twice for an element, from several threads.
template <
    class Acc = deduced, input_range In, class Out, class Op, class Function,
    class A = core::accumulator_for<
        Acc, std::decay_t<std::invoke_result_t<const Function&, const std::ranges::range_value_t<In>&>>, Op>>
requires output_range<Out, A> && combines<Op, A>
void transform_inclusive_scan(cpu::executor& ex, const In& in, Out&& out, const Op& op, const Function& f,
                              const std::type_identity_t<scan_options<A>>& options = {}) {
    detail::scan_range<A>(ex, std::ranges::data(in), std::ranges::size(in), std::ranges::data(out),
                          std::ranges::size(out), false, core::known<A>(op), detail::as_object(f), options);
}

// out[i] = f(in[0]) (+) ... (+) f(in[i-1])
template <
    class Acc = deduced, input_range In, class Out, class Op, class Function,
    class A = core::accumulator_for<
        Acc, std::decay_t<std::invoke_result_t<const Function&, const std::ranges::range_value_t<In>&>>, Op>>
requires output_range<Out, A> && combines<Op, A>
void transform_exclusive_scan(cpu::executor& ex, const In& in, Out&& out, const Op& op, const Function& f,
                              const std::type_identity_t<scan_options<A>>& options = {}) {
    detail::scan_range<A>(ex, std::ranges::data(in), std::ranges::size(in), std::ranges::data(out),
                          std::ranges::size(out), true, core::known<A>(op), detail::as_object(f), options);
}

}  // namespace upsweep
