// Stable partition: the elements that are chosen, in order, then the others, in order.
//
//     partition, partition_if:                 out = in[i] for every i that is chosen, then for every other i
//     partition_indices, partition_indices_if: out = i for every i that is chosen, then every other i
//
// An element is chosen by a flag, a value that is not zero (true), or by keep(element), which may be called
// from several threads, twice for an element, and must answer the same both times. All return how many are
// chosen, which is where the others begin.
//
// Shapes: flags, in and out are contiguous ranges of n >= 0 elements; out's can be made of in's (indices:
// integers in which n - 1 fits).
// Aliasing: out overlaps neither in nor flags.
// Errors: upsweep::error names the argument; nothing has been written then. An exception from keep or from
// an element's assignment passes through; out is then unspecified.
// Complexity: O(n) work; what chooses is read twice, in once more and out written once; scratch on the
// stack only.
// Source: Blelloch, "Prefix sums and their applications", 1990, section 1.3 (the split operation).
#pragma once

#include "upsweep/compact.hpp"
#include "upsweep/core/arguments.hpp"

namespace upsweep {
namespace detail {

template <class In, class Out>
std::size_t partition(cpu::executor& ex, const cpu::choice& which, const In* in, std::size_t n, Out* out,
                      std::size_t out_size) {
    check_sizes(n, out_size);
    check_apart("in", in, n * sizeof(In), out, n * sizeof(Out));
    return n == 0 ? 0 : cpu::run_partition(ex, which, transfer_of(in, out), n);
}

}  // namespace detail

// out = in[i] for each i with flags[i] != 0, then the others.
template <flag_range Flags, input_range In, receives<In> Out>
std::size_t partition(cpu::executor& ex, const Flags& flags, const In& in, Out&& out) {
    using flag = std::ranges::range_value_t<Flags>;
    const std::size_t n = std::ranges::size(in);
    detail::check_flags(std::ranges::size(flags), n);
    detail::check_apart("flags", std::ranges::data(flags), n * sizeof(flag), std::ranges::data(out),
                        std::ranges::size(out) * sizeof(std::ranges::range_value_t<Out>));
    const detail::flagged<flag> chosen{std::ranges::data(flags)};
    return detail::partition(ex, chosen.choice(), std::ranges::data(in), n, std::ranges::data(out),
                             std::ranges::size(out));
}

// out = in[i] for each i with keep(in[i]), then the others.
template <input_range In, receives<In> Out, std::predicate<const std::ranges::range_value_t<In>&> Keep>
std::size_t partition_if(cpu::executor& ex, const In& in, Out&& out, const Keep& keep) {
    const detail::kept<std::ranges::range_value_t<In>, Keep> chosen(ex.simd(), std::ranges::data(in), keep);
    return detail::partition(ex, chosen.choice(), std::ranges::data(in), std::ranges::size(in),
                             std::ranges::data(out), std::ranges::size(out));
}

// out = i for each i with flags[i] != 0, then the others.
template <flag_range Flags, index_range Out>
std::size_t partition_indices(cpu::executor& ex, const Flags& flags, Out&& out) {
    using flag = std::ranges::range_value_t<Flags>;
    using index = std::ranges::range_value_t<Out>;
    const std::size_t n = std::ranges::size(flags);
    detail::check_sizes(n, std::ranges::size(out));
    detail::check_apart("flags", std::ranges::data(flags), n * sizeof(flag), std::ranges::data(out),
                        n * sizeof(index));
    const cpu::transfer way = detail::transfer_of_indices(std::ranges::data(out), n);
    const detail::flagged<flag> chosen{std::ranges::data(flags)};
    return n == 0 ? 0 : cpu::run_partition(ex, chosen.choice(), way, n);
}

// out = i for each i with keep(in[i]), then the others.
template <input_range In, index_range Out, std::predicate<const std::ranges::range_value_t<In>&> Keep>
std::size_t partition_indices_if(cpu::executor& ex, const In& in, Out&& out, const Keep& keep) {
    using element = std::ranges::range_value_t<In>;
    using index = std::ranges::range_value_t<Out>;
    const std::size_t n = std::ranges::size(in);
    detail::check_sizes(n, std::ranges::size(out));
    detail::check_apart("in", std::ranges::data(in), n * sizeof(element), std::ranges::data(out),
                        n * sizeof(index));
    const cpu::transfer way = detail::transfer_of_indices(std::ranges::data(out), n);
    const detail::kept<element, Keep> chosen(ex.simd(), std::ranges::data(in), keep);
    return n == 0 ? 0 : cpu::run_partition(ex, chosen.choice(false), way, n);
}

}  // namespace upsweep
