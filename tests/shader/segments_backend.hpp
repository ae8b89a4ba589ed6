// Segmented scans in OpenGL and Vulkan under test (backend.hpp): of host memory, whatever describes the
// segments.
#pragma once

#include <cstddef>
#include <ranges>
#include <type_traits>

#include "shader/backend.hpp"
#include "support/host_segments.hpp"
#include "support/segment_calls.hpp"
#include "upsweep/segmented_scan.hpp"

namespace upsweep::test {

// Shaders compare keys as they are.
template <class Segments>
inline constexpr bool compares_plainly = true;
template <class Key, class Equal>
inline constexpr bool compares_plainly<by_keys<Key, Equal>> = std::is_same_v<Equal, std::equal_to<>>;

template <class Op, class Segments, class In, class T>
void scan_segments(shader_executor& ex, const Segments& segments, const In& in, T* out, bool exclusive,
                   const batch_options<T>& options) {
    if constexpr (compares_plainly<Segments>) {
        using element = std::ranges::range_value_t<In>;
        ex.scan_segments({shader::operation_of<Op, T, element>(), carried(segments), std::ranges::data(in),
                          out, std::ranges::size(in), exclusive, options.reverse,
                          options.initial ? &*options.initial : nullptr});
    } else {
        leave_out("keys compared by a function of the caller's");
        // What is expected, so that the test goes on.
        cpu::executor host(1);
        if (exclusive)
            upsweep::exclusive_segmented_scan<T>(host, segments, in, std::span(out, std::ranges::size(in)),
                                                 Op(), options);
        else
            upsweep::inclusive_segmented_scan<T>(host, segments, in, std::span(out, std::ranges::size(in)),
                                                 Op(), options);
    }
}

template <class Acc = deduced, class Segments, input_range In, class Out, class Op = plus,
          class T = shader::accumulator_for<Acc, std::ranges::range_value_t<In>>>
requires shader::loads_and_combines<Op, std::ranges::range_value_t<In>, T>
void inclusive_segmented_scan(shader_executor& ex, const Segments& segments, const In& in, Out&& out,
                              const Op& = {}, const std::type_identity_t<batch_options<T>>& options = {}) {
    scan_segments<Op>(ex, segments, in, std::ranges::data(out), false, options);
}
template <class Acc = deduced, class Segments, input_range In, class Out, class Op = plus,
          class T = shader::accumulator_for<Acc, std::ranges::range_value_t<In>>>
requires shader::loads_and_combines<Op, std::ranges::range_value_t<In>, T>
void exclusive_segmented_scan(shader_executor& ex, const Segments& segments, const In& in, Out&& out,
                              const Op& = {}, const std::type_identity_t<batch_options<T>>& options = {}) {
    scan_segments<Op>(ex, segments, in, std::ranges::data(out), true, options);
}
template <class Acc = deduced, input_range Keys, input_range In, class Out, class Op = plus,
          class T = shader::accumulator_for<Acc, std::ranges::range_value_t<In>>>
requires shader::loads_and_combines<Op, std::ranges::range_value_t<In>, T>
void inclusive_scan_by_key(shader_executor& ex, const Keys& keys, const In& in, Out&& out, const Op& op = {},
                           const std::type_identity_t<batch_options<T>>& options = {}) {
    inclusive_segmented_scan<Acc>(ex, by_keys(keys), in, out, op, options);
}
template <class Acc = deduced, input_range Keys, input_range In, class Out, class Op = plus,
          class T = shader::accumulator_for<Acc, std::ranges::range_value_t<In>>>
requires shader::loads_and_combines<Op, std::ranges::range_value_t<In>, T>
void exclusive_scan_by_key(shader_executor& ex, const Keys& keys, const In& in, Out&& out, const Op& op = {},
                           const std::type_identity_t<batch_options<T>>& options = {}) {
    exclusive_segmented_scan<Acc>(ex, by_keys(keys), in, out, op, options);
}

}  // namespace upsweep::test
