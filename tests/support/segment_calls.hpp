// The calls that tests of segmented scans make, for executors that carry host memory to where it is scanned
// (support/scan_calls.hpp). Who includes this has
//
//     scan_segments<Acc>(executor, segments, in, out, exclusive, op, options)
//
// of such an executor, of spans.
#pragma once

#include <ranges>
#include <span>
#include <type_traits>

#include "support/scan_calls.hpp"
#include "upsweep/concepts.hpp"
#include "upsweep/core/accumulator.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/options.hpp"
#include "upsweep/segmented_scan.hpp"

namespace upsweep::test {

// The CPU's functions stay visible beside these.
using upsweep::exclusive_scan_by_key;
using upsweep::exclusive_segmented_scan;
using upsweep::inclusive_scan_by_key;
using upsweep::inclusive_segmented_scan;

template <class R>
auto input_span(const R& r) {
    return std::span<const std::ranges::range_value_t<R>>(std::ranges::data(r), std::ranges::size(r));
}
template <class R>
auto output_span(R& r) {
    return std::span<std::ranges::range_value_t<R>>(std::ranges::data(r), std::ranges::size(r));
}
template <class Acc = deduced, host_scanner Executor, class Segments, input_range In, class Out,
          class Op = plus, class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
void inclusive_segmented_scan(Executor& ex, const Segments& segments, const In& in, Out&& out,
                              const Op& op = {}, const std::type_identity_t<batch_options<A>>& options = {}) {
    scan_segments<A>(ex, segments, input_span(in), output_span(out), false, op, options);
}
template <class Acc = deduced, host_scanner Executor, class Segments, input_range In, class Out,
          class Op = plus, class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
void exclusive_segmented_scan(Executor& ex, const Segments& segments, const In& in, Out&& out,
                              const Op& op = {}, const std::type_identity_t<batch_options<A>>& options = {}) {
    scan_segments<A>(ex, segments, input_span(in), output_span(out), true, op, options);
}
template <class Acc = deduced, host_scanner Executor, input_range Keys, input_range In, class Out,
          class Op = plus>
void inclusive_scan_by_key(Executor& ex, const Keys& keys, const In& in, Out&& out, const Op& op = {}) {
    inclusive_segmented_scan<Acc>(ex, by_keys(keys), in, out, op);
}
template <class Acc = deduced, host_scanner Executor, input_range Keys, input_range In, class Out,
          class Op = plus>
void exclusive_scan_by_key(Executor& ex, const Keys& keys, const In& in, Out&& out, const Op& op = {}) {
    exclusive_segmented_scan<Acc>(ex, by_keys(keys), in, out, op);
}

}  // namespace upsweep::test
