// Totals of segments and runs of equal neighbours in OpenGL and Vulkan under test (backend.hpp), of host
// memory. What the stages lack is computed on the host, so that a test goes on, and reported.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

#include "shader/segments_backend.hpp"
#include "support/backend.hpp"
#include "support/host_runs.hpp"
#include "upsweep/segmented_reduce.hpp"
#include "upsweep/unique.hpp"

namespace upsweep::test {

// Keys that the stages compare, once they are as wide as carried() makes them.
template <class Key, class Equal>
inline constexpr bool carries_key = (std::integral<Key> ||
                                     std::floating_point<Key>)&&std::is_same_v<Equal, std::equal_to<>>;

template <class R>
std::vector<std::uint32_t> words_in(const R& r) {
    using element = std::ranges::range_value_t<R>;
    const std::size_t bytes = std::ranges::size(r) * sizeof(element);
    std::vector<std::uint32_t> words((bytes + 3) / 4);
    if (!words.empty()) std::memcpy(words.data(), std::ranges::data(r), bytes);
    return words;
}
// The first `count` elements, as far as there is room for them, of which each has its words, or those of a
// wider one.
template <class Carried, class R>
void take_words(const std::vector<std::uint32_t>& words, R& r, std::size_t count) {
    using element = std::ranges::range_value_t<R>;
    for (std::size_t i = 0; i < std::min<std::size_t>(count, std::ranges::size(r)); ++i) {
        Carried value;
        std::memcpy(static_cast<void*>(&value), words.data() + i * sizeof(Carried) / 4, sizeof value);
        std::ranges::data(r)[i] = static_cast<element>(value);
    }
}
template <class Key>
using carried_key = std::conditional_t<sizeof(Key) < 4, std::int32_t, Key>;

// Whether the stages have totals of In to Out with Op on A, and this executor too.
template <class In, class Op, class Out, class A>
bool reduces(shader_executor& ex) {
    if constexpr (has_scan<In, Op, Out, A>) {
        return takes<Op, A>(ex);
    } else {
        report_lack<In, Out, A>();
        return false;
    }
}
template <class In, class Op, class Out, class A>
host_runs totals_of(const host_segments& segments, const In& in, const Out& out,
                    const reduce_options<A>& options) {
    host_runs asked;
    asked.values = shader::run_values::totals;
    using element = std::ranges::range_value_t<In>;
    asked.op = shader::operation_of<Op, A, element>();
    if (options.initial) asked.initial = shader::words_of(*options.initial);
    asked.segments = segments;
    asked.in = words_in(in);
    asked.in_words = std::max<std::uint32_t>(1, sizeof(element) / 4);  // or fewer bytes
    asked.size = std::ranges::size(in);
    asked.room = std::ranges::size(out);
    return asked;
}

// The CPU's functions stay visible beside these.
using upsweep::reduce_by_key;
using upsweep::run_length_encode;
using upsweep::segmented_reduce;
using upsweep::unique;
using upsweep::unique_by_key;

template <class Acc = deduced, class Segments, class In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
std::size_t segmented_reduce(shader_executor& ex, const Segments& segments, const In& in, Out&& out,
                             const Op& op = {}, const std::type_identity_t<reduce_options<A>>& options = {}) {
    using element = std::ranges::range_value_t<In>;
    using result = std::ranges::range_value_t<Out>;
    if (reduces<element, Op, result, A>(ex)) {
        if constexpr (has_scan<element, Op, result, A> && compares_plainly<Segments>) {
            const host_runs asked = totals_of<In, Op>(carried(segments), in, out, options);
            run_results got;
            const std::size_t count = ex.run_runs(asked, got);
            take_words<result>(got.out, out, count);
            return count;
        }
    }
    cpu::executor host(1);
    return upsweep::segmented_reduce<Acc>(host, segments, in, out, op, options);
}

template <class Acc = deduced, class Keys, class In, class KeysOut, class Out, class Op = plus,
          class Equal = std::equal_to<>,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
std::size_t reduce_by_key(shader_executor& ex, const Keys& keys, const In& in, KeysOut&& keys_out, Out&& out,
                          const Op& op = {}, const std::type_identity_t<reduce_options<A>>& options = {},
                          const Equal& equal = {}) {
    using key = std::ranges::range_value_t<Keys>;
    using element = std::ranges::range_value_t<In>;
    using result = std::ranges::range_value_t<Out>;
    if (reduces<element, Op, result, A>(ex)) {
        if constexpr (has_scan<element, Op, result, A> && carries_key<key, Equal>) {
            host_runs asked = totals_of<In, Op>(carried(by_keys(keys)), in, out, options);
            asked.has_keys = true;
            asked.keys_room = std::ranges::size(keys_out);
            run_results got;
            const std::size_t count = ex.run_runs(asked, got);
            take_words<carried_key<key>>(got.keys_out, keys_out, count);
            take_words<result>(got.out, out, count);
            return count;
        }
        leave_out("keys compared by a function of the caller's");
    }
    cpu::executor host(1);
    return upsweep::reduce_by_key<Acc>(host, keys, in, keys_out, out, op, options, equal);
}

// Of keys that can be carried: the first of each run, and `values` of what is in `in`.
template <class Keys, class KeysOut, class Out>
std::size_t run_keyed(shader_executor& ex, shader::run_values values, const Keys& keys,
                      const std::vector<std::uint32_t>& in, std::uint32_t in_words, KeysOut& keys_out,
                      const Out& take, std::size_t room) {
    host_runs asked;
    asked.values = values;
    asked.segments = carried(by_keys(keys));
    asked.in = in;
    asked.in_words = in_words;
    asked.size = std::ranges::size(keys);
    asked.room = room;
    asked.has_keys = true;
    asked.keys_room = std::ranges::size(keys_out);
    run_results got;
    const std::size_t count = ex.run_runs(asked, got);
    take_words<carried_key<std::ranges::range_value_t<Keys>>>(got.keys_out, keys_out, count);
    take(got.out, count);
    return count;
}

template <class In, class Out, class Equal = std::equal_to<>>
std::size_t unique(shader_executor& ex, const In& in, Out&& out, const Equal& equal = {}) {
    if constexpr (carries_key<std::ranges::range_value_t<In>, Equal>) {
        return run_keyed(
            ex, shader::run_values::none, in, {}, 1, out, [](const auto&, std::size_t) {}, 0);
    } else {
        leave_out("elements that are no numbers, or compared by a function of the caller's");
        cpu::executor host(1);
        return upsweep::unique(host, in, out, equal);
    }
}
template <class Keys, class In, class KeysOut, class Out, class Equal = std::equal_to<>>
std::size_t unique_by_key(shader_executor& ex, const Keys& keys, const In& in, KeysOut&& keys_out, Out&& out,
                          const Equal& equal = {}) {
    using element = std::ranges::range_value_t<In>;
    if constexpr (carries_key<std::ranges::range_value_t<Keys>, Equal>) {
        return run_keyed(
            ex, shader::run_values::first, keys, words_in(in), sizeof(element) / 4, keys_out,
            [&](const auto& words, std::size_t count) { take_words<element>(words, out, count); },
            std::ranges::size(out));
    } else {
        leave_out("elements that are no numbers, or compared by a function of the caller's");
        cpu::executor host(1);
        return upsweep::unique_by_key(host, keys, in, keys_out, out, equal);
    }
}
template <class In, class Out, class Lengths, class Equal = std::equal_to<>>
std::size_t run_length_encode(shader_executor& ex, const In& in, Out&& out, Lengths&& lengths,
                              const Equal& equal = {}) {
    if constexpr (carries_key<std::ranges::range_value_t<In>, Equal>) {
        return run_keyed(
            ex, shader::run_values::lengths, in, {}, 1, out,
            [&](const auto& words, std::size_t count) { take_words<std::uint32_t>(words, lengths, count); },
            std::ranges::size(lengths));
    } else {
        leave_out("elements that are no numbers, or compared by a function of the caller's");
        cpu::executor host(1);
        return upsweep::run_length_encode(host, in, out, lengths, equal);
    }
}

}  // namespace upsweep::test
