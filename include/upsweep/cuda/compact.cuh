// Stream compaction in CUDA device memory: the elements that are chosen, packed, in order.
//
//     compact, compact_if:                   out = in[i] for every i that is chosen, i ascending
//     compact_indices, compact_indices_if:   out = i for every i that is chosen, ascending
//
// An element is chosen by a flag, a value that is not zero (true), or by keep(element). *count, in device
// memory, receives how many are chosen, which may be more than `out` has room for: only as many as that are
// written then, and what lies behind the written ones in `out` is left as it is.
//
// Shapes: flags and in are device spans of n >= 0 elements of any trivially copyable types; out is one of any
// size whose elements in's convert to (indices: integers in which n - 1 fits). keep is called on the device,
// by value, up to three times for an element, and must always answer the same. The calls return when the work
// is in the executor's stream. Aliasing: out may be in (equal pointers and types; elements behind the written
// ones are then unspecified); any other overlap, also with count, is an error. In place, reduce-then-scan is
// refused, and so are elements of more than 16 bytes where look-ahead does not run. Errors: upsweep::error
// names the argument; nothing has been enqueued then. Complexity: one read of in and flags (reduce-then-scan:
// two) and one write of what is chosen; scratch of about n / 512 bytes in the executor. Source: Blelloch,
// "Prefix sums and their applications", 1990, section 1.3 (packing by an exclusive scan of the flags).
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "upsweep/core/arguments.hpp"
#include "upsweep/cuda/checked_array.hpp"
#include "upsweep/cuda/choose_launch.cuh"
#include "upsweep/cuda/comparisons.hpp"
#include "upsweep/cuda/device_span.hpp"
#include "upsweep/cuda/executor.hpp"
#include "upsweep/error.hpp"
#include "upsweep/predicates.hpp"

namespace upsweep {

namespace cuda {

struct compact_options {
    const std::uint64_t* length = nullptr;  // device memory: the first min(*length, n) elements only
};

namespace detail {

// Whether element i is chosen: by its flag, beside it or alone, or by itself.
struct by_flag_beside {
    template <class In, class Flag>
    __device__ __forceinline__ bool operator()(const In&, const Flag& flag) const {
        return flag != Flag(0);
    }
};
struct by_flag {
    template <class Flag>
    __device__ __forceinline__ bool operator()(const Flag& flag) const {
        return flag != Flag(0);
    }
};
template <class Keep>
struct by_element {
    Keep keep;
    template <class In>
    __device__ __forceinline__ bool operator()(const In& x) const {
        return keep(x);
    }
};

inline void check_options(executor& ex, const checked_array& out, const std::uint64_t* count,
                          const compact_options& options) {
    const auto apart = [&](const char* name, const std::uint64_t* p) {
        checked_array::of(name, device_span<const std::uint64_t>(p, 1)).check(ex);
        upsweep::detail::check_apart(name, p, sizeof *p, out.data, out.bytes());
    };
    apart("count", count);
    if (options.length == nullptr) return;
    apart("options.length", options.length);
    if (upsweep::detail::overlap(options.length, sizeof *count, count, sizeof *count))
        throw_error(errc::invalid_argument, "count: overlaps options.length; it must be disjoint from it");
}
// `in` may be `out` if it is the same array of the same type.
inline void check_input(executor& ex, const checked_array& in, const checked_array& out, const void* count,
                        bool may_be_out) {
    in.check(ex);
    if (upsweep::detail::overlap(in.data, in.bytes(), count, sizeof(std::uint64_t)))
        throw_error(errc::invalid_argument,
                    "count: overlaps " + std::string(in.name) + "; it must be disjoint from it");
    if (!upsweep::detail::overlap(in.data, in.bytes(), out.data, out.bytes())) return;
    if (may_be_out && in.data == out.data) return;
    throw_error(errc::invalid_argument,
                "out: overlaps " + std::string(in.name) +
                    (may_be_out ? "; it must be the same array (equal pointers and types) or disjoint from it"
                                : "; it must be disjoint from it"));
}
// A call whose arguments are found good.
template <class Types, bool Both>
void choose(executor& ex, const void* const (&in)[Types::inputs], std::uint64_t n, typename Types::Out* out,
            std::uint64_t room, const typename Types::Load& load, std::uint64_t* count,
            const compact_options& options) {
    if (n == 0) {
        const device_scope current(ex);
        cuda::check(cudaMemsetAsync(count, 0, sizeof *count, ex.stream()), "clearing the count");
        return;
    }
    choose_arguments<Types> arguments{
        {{}, out, n, options.length, false, false, nullptr, 0, 0, nullptr, {}, load, {}},
        room,
        0,
        nullptr,
        nullptr,
        nullptr,
        false};
    for (int k = 0; k < Types::inputs; ++k) arguments.in[k] = in[k];
    choose_launch<Types, Both>(ex, arguments, count).run();
}

// The four ways to choose, for compaction and (`Both`) for partition.
template <bool Both, class Flag, class In, class Out>
void choose_flagged(executor& ex, device_span<const Flag> flags, device_span<const In> in,
                    device_span<Out> out, std::uint64_t* count, const compact_options& options) {
    using types = choose_types<moving::elements, Out, by_flag_beside, In, Flag>;
    const checked_array target = checked_array::of("out", out);
    upsweep::detail::check_flags(flags.size(), in.size());
    if (Both) upsweep::detail::check_sizes(in.size(), out.size());
    target.check(ex);
    check_input(ex, checked_array::of("in", in), target, count, !Both && std::is_same_v<In, Out>);
    check_input(ex, checked_array::of("flags", flags), target, count, false);
    check_options(ex, target, count, options);
    choose<types, Both>(ex, {in.data(), flags.data()}, in.size(), out.data(), out.size(), {}, count, options);
}
template <bool Both, class In, class Out, class Keep>
void choose_if(executor& ex, device_span<const In> in, device_span<Out> out, const Keep& keep,
               std::uint64_t* count, const compact_options& options) {
    const checked_array target = checked_array::of("out", out);
    if (Both) upsweep::detail::check_sizes(in.size(), out.size());
    target.check(ex);
    check_input(ex, checked_array::of("in", in), target, count, !Both && std::is_same_v<In, Out>);
    check_options(ex, target, count, options);
    with_device_predicate<In>(keep, [&](const auto& predicate) {
        using load = by_element<std::decay_t<decltype(predicate)>>;
        choose<choose_types<moving::elements, Out, load, In>, Both>(
            ex, {in.data()}, in.size(), out.data(), out.size(), load{predicate}, count, options);
    });
}
template <bool Both, class In, class Out, class Load>
void choose_indices(executor& ex, const char* name, device_span<const In> in, device_span<Out> out,
                    const Load& load, std::uint64_t* count, const compact_options& options) {
    using types = choose_types<moving::indices, Out, Load, In>;
    const checked_array target = checked_array::of("out", out);
    if (Both) upsweep::detail::check_sizes(in.size(), out.size());
    upsweep::detail::check_indices<Out>(in.size());
    target.check(ex);
    check_input(ex, checked_array::of(name, in), target, count, false);
    check_options(ex, target, count, options);
    choose<types, Both>(ex, {in.data()}, in.size(), out.data(), out.size(), load, count, options);
}
template <bool Both, class In, class Out, class Keep>
void choose_indices_if(executor& ex, device_span<const In> in, device_span<Out> out, const Keep& keep,
                       std::uint64_t* count, const compact_options& options) {
    with_device_predicate<In>(keep, [&](const auto& predicate) {
        choose_indices<Both, In>(ex, "in", in, out, by_element<std::decay_t<decltype(predicate)>>{predicate},
                                 count, options);
    });
}

}  // namespace detail

// Bytes of scratch that a compaction or partition of up to n elements needs, whichever algorithm runs; never
// decreases with n. For executors that use the caller's memory. `In` are the arrays that are read, the one
// whose elements are moved first, or flags alone; `Out` the one that is written.
template <class Out, class... In>
[[nodiscard]] std::size_t compact_workspace_bytes(std::uint64_t n) {
    return choose_workspace_bytes_of<
        choose_types<moving::elements, Out, detail::by_flag, std::remove_const_t<In>...>>(n);
}

}  // namespace cuda

// out = in[i] for each i with flags[i] != 0.
template <class Flag, class In, class Out>
requires(!std::is_const_v<Out>) void compact(cuda::executor& ex, cuda::device_span<Flag> flags,
                                             cuda::device_span<In> in, cuda::device_span<Out> out,
                                             std::uint64_t* count,
                                             const cuda::compact_options& options = {}) {
    cuda::detail::choose_flagged<false, std::remove_const_t<Flag>, std::remove_const_t<In>>(
        ex, flags, in, out, count, options);
}

// out = in[i] for each i with keep(in[i]).
template <class In, class Out, class Keep>
requires(!std::is_const_v<Out>) void compact_if(cuda::executor& ex, cuda::device_span<In> in,
                                                cuda::device_span<Out> out, const Keep& keep,
                                                std::uint64_t* count,
                                                const cuda::compact_options& options = {}) {
    cuda::detail::choose_if<false, std::remove_const_t<In>>(ex, in, out, keep, count, options);
}

// out = i for each i with flags[i] != 0.
template <class Flag, class Out>
requires(!std::is_const_v<Out>) void compact_indices(cuda::executor& ex, cuda::device_span<Flag> flags,
                                                     cuda::device_span<Out> out, std::uint64_t* count,
                                                     const cuda::compact_options& options = {}) {
    cuda::detail::choose_indices<false, std::remove_const_t<Flag>>(ex, "flags", flags, out,
                                                                   cuda::detail::by_flag{}, count, options);
}

// out = i for each i with keep(in[i]).
template <class In, class Out, class Keep>
requires(!std::is_const_v<Out>) void compact_indices_if(cuda::executor& ex, cuda::device_span<In> in,
                                                        cuda::device_span<Out> out, const Keep& keep,
                                                        std::uint64_t* count,
                                                        const cuda::compact_options& options = {}) {
    cuda::detail::choose_indices_if<false, std::remove_const_t<In>>(ex, in, out, keep, count, options);
}

}  // namespace upsweep
