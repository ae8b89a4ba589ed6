// Stable sorting in CUDA device memory.
//
//     sort:           out = the elements of in, in ascending order
//     sort_indices:   out = the indices of in's elements in that order: in[out[0]], in[out[1]], ... is sorted
//     sort_by_key:    keys_out = the keys in order; values_out = the value of each
//     sort_by:        out = the elements of in in the order of key(element)
//
// The order is the CPU's (upsweep/sort.hpp), with {.descending = true} the other way round, and so are the
// results, in every bit: elements that are equal keep their order either way, -0 and +0 are equal, a NaN is
// greater than everything else and equal to every NaN, and all are moved bit for bit.
//
// Shapes: device spans of n >= 0 elements, all of one call as long; keys are integers of up to 64 bits, bool
// and characters, or floating-point numbers of 16, 32 and 64 bits; values and elements any trivially copyable
// types; indices integers in which n - 1 fits. key is called on the device, by value, once for an element.
// The calls return when the work is in the executor's stream. Aliasing: out may be in, keys_out keys and
// values_out values (equal pointers); any other overlap is an error. Errors: upsweep::error names the
// argument; nothing has been enqueued then, but for scratch that is not to be had. Complexity: one read of
// the keys, and a read and a write of everything for each byte of a key in which two keys differ; one kernel
// for up to some thousand elements. Values that are not 4, 8 or 16 bytes and aligned so are moved once, by
// their index. Scratch in the executor: sort_workspace_bytes().
//
// Sources: Blelloch, "Prefix sums and their applications", 1990, section 1.3 (the split radix sort); Adinets
// and Merrill, "Onesweep: a faster least significant digit radix sort for GPUs", 2022.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

#include "upsweep/core/arguments.hpp"
#include "upsweep/core/key_order.hpp"
#include "upsweep/cuda/checked_array.hpp"
#include "upsweep/cuda/device_scope.hpp"
#include "upsweep/cuda/device_span.hpp"
#include "upsweep/cuda/executor.hpp"
#include "upsweep/cuda/sort_records.hpp"
#include "upsweep/error.hpp"

namespace upsweep {
namespace cuda {

struct sort_options {
    bool descending = false;
    const std::uint64_t* length = nullptr;  // device memory: the first min(*length, n) elements only
};

// What indices are stored as.
template <class T>
concept index_element = std::integral<T> && !std::same_as<T, bool> && !std::is_const_v<T>;

namespace detail {

// What the calls check alike: arrays, one by one and in pairs.
class sort_checks {
  public:
    sort_checks(executor& ex, const sort_options& options) : ex_(ex), length_(options.length) {
        if (length_ == nullptr) return;
        const device_span<const std::uint64_t> one(length_, 1);
        checked_array::of("options.length", one).check(ex);
    }
    void reads(const checked_array& array) const { array.check(ex_); }
    void writes(const checked_array& array) const {
        array.check(ex_);
        if (length_ != nullptr)
            upsweep::detail::check_disjoint(array.name, array.data, array.bytes(), "options.length", length_,
                                            sizeof *length_);
    }
    static void same_or_apart(const checked_array& out, const checked_array& in) {
        upsweep::detail::check_same_or_disjoint(out.name, out.data, in.name, in.data, in.bytes());
    }
    static void apart(const checked_array& out, const checked_array& other) {
        upsweep::detail::check_disjoint(out.name, out.data, out.bytes(), other.name, other.data,
                                        other.bytes());
    }

  private:
    executor& ex_;
    const std::uint64_t* length_;
};

// Elements that may be sorted in place.
template <class In, class Out>
void check_elements(executor& ex, device_span<In> in, device_span<Out> out, const sort_options& options) {
    const checked_array source = checked_array::of("in", in), target = checked_array::of("out", out);
    upsweep::detail::check_as_many("out", out.size(), "in", in.size());
    const sort_checks checks(ex, options);
    checks.reads(source);
    checks.writes(target);
    checks.same_or_apart(target, source);
}

// What a call sorts, when its arrays are checked.
template <class In, class Out>
records element_records(executor& ex, device_span<In> in, device_span<Out> out, const sort_options& options) {
    check_elements(ex, in, out, options);
    records all;
    all.n = in.size();
    all.length = options.length;
    all.keys = in.data();
    all.keys_out = out.data();
    return all;
}
template <class In, class Out>
records index_records(executor& ex, device_span<In> in, device_span<Out> out, const sort_options& options) {
    const checked_array source = checked_array::of("in", in), target = checked_array::of("out", out);
    upsweep::detail::check_as_many("out", out.size(), "in", in.size());
    upsweep::detail::check_indices<Out>(in.size());
    const sort_checks checks(ex, options);
    checks.reads(source);
    checks.writes(target);
    checks.apart(target, source);
    records all;
    all.what = records::kind::indices;
    all.n = in.size();
    all.length = options.length;
    all.keys = in.data();
    all.values_out = out.data();
    all.value_bytes = sizeof(Out);
    return all;
}
template <class Keys, class Values, class KeysOut, class ValuesOut>
records keyed_records(executor& ex, device_span<Keys> keys, device_span<Values> values,
                      device_span<KeysOut> keys_out, device_span<ValuesOut> values_out,
                      const sort_options& options) {
    const checked_array from = checked_array::of("keys", keys), in = checked_array::of("values", values),
                        to = checked_array::of("keys_out", keys_out),
                        out = checked_array::of("values_out", values_out);
    for (const checked_array& array : {in, to, out})
        upsweep::detail::check_as_many(array.name, array.size, "keys", keys.size());
    const sort_checks checks(ex, options);
    checks.reads(from);
    checks.reads(in);
    checks.writes(to);
    checks.writes(out);
    checks.same_or_apart(to, from);
    checks.same_or_apart(out, in);
    checks.apart(to, in);
    checks.apart(out, from);
    checks.apart(out, to);
    records all;
    all.what = records::kind::values;
    all.n = keys.size();
    all.length = options.length;
    all.keys = keys.data();
    all.keys_out = keys_out.data();
    all.values = values.data();
    all.values_out = values_out.data();
    all.value_bytes = sizeof(ValuesOut);
    return all;
}

template <class Key>
void enqueue_sort(executor& ex, const sort_options& options, const records& all) {
    const device_scope current(ex);
    ex.check_before_launch();
    sort_records(ex, core::order_of<Key>(options.descending), all);
}

inline constexpr unsigned find_keys_threads = 256;

template <class In, class F, class Key>
__global__ void __launch_bounds__(find_keys_threads)
    find_keys_kernel(const In* in, std::uint64_t n, const std::uint64_t* length, F f, Key* keys) {
    if (length != nullptr && *length < n) n = *length;
    const std::uint64_t step = std::uint64_t(gridDim.x) * find_keys_threads;
    for (std::uint64_t i = std::uint64_t(blockIdx.x) * find_keys_threads + threadIdx.x; i < n; i += step)
        keys[i] = f(in[i]);
}

// Makes the keys of elements in the executor's stream.
template <class In, class F>
class key_maker {
    using element = std::remove_const_t<In>;

  public:
    using number = std::invoke_result_t<F, const element&>;

    key_maker(executor& ex, device_span<In> in, const std::uint64_t* length, const F& key)
        : ex_(ex), in_(in.data()), n_(in.size()), length_(length), key_(key) {}

    // What a sort by these keys sorts, when its arrays are checked; refers to this maker.
    template <class Out>
    [[nodiscard]] records records_of(device_span<In> in, device_span<Out> out,
                                     const sort_options& options) const {
        records all = element_records(ex_, in, out, options);
        all.what = records::kind::values;
        all.make_keys = &make;
        all.maker = this;
        all.values = all.keys;
        all.values_out = all.keys_out;
        all.value_bytes = sizeof(element);
        all.keys = all.keys_out = nullptr;
        return all;
    }

  private:
    static void make(const void* maker, void* keys) {
        const auto& self = *static_cast<const key_maker*>(maker);
        const std::uint64_t needed = (self.n_ - 1) / find_keys_threads + 1;
        const auto blocks = static_cast<unsigned>(
            std::min<std::uint64_t>(needed, std::uint64_t(self.ex_.multiprocessors()) * 8));
        find_keys_kernel<<<blocks, find_keys_threads, 0, self.ex_.stream()>>>(
            self.in_, self.n_, self.length_, self.key_, static_cast<number*>(keys));
    }

    executor& ex_;
    const element* in_;
    std::uint64_t n_;
    const std::uint64_t* length_;
    const F& key_;
};

}  // namespace detail

// Bytes of scratch that a sort of up to n elements needs on the executor's device; never decreases with n.
// For executors that use the caller's memory. `Key` is the type sorted by, `Value` what goes with the keys,
// or that of indices; sort_by needs sort_by_workspace_bytes.
template <sort_key Key, class Value = void>
[[nodiscard]] std::size_t sort_workspace_bytes(const executor&, std::uint64_t n) {
    std::size_t value = 0;
    if constexpr (!std::is_void_v<Value>) value = sizeof(Value);
    return launch_state_bytes + sort_scratch_bytes(n, sizeof(Key), value);
}
template <sort_key Key, class Element>
[[nodiscard]] std::size_t sort_by_workspace_bytes(const executor& ex, std::uint64_t n) {
    return (n * sizeof(Key) + 255) / 256 * 256 + sort_workspace_bytes<Key, Element>(ex, n);
}

}  // namespace cuda

template <class In, class Out>
requires sort_key<std::remove_const_t<In>> && std::same_as<std::remove_const_t<In>, Out>
void sort(cuda::executor& ex, cuda::device_span<In> in, cuda::device_span<Out> out,
          const cuda::sort_options& options = {}) {
    cuda::detail::enqueue_sort<Out>(ex, options, cuda::detail::element_records(ex, in, out, options));
}

template <class In, cuda::index_element Out>
requires sort_key<std::remove_const_t<In>>
void sort_indices(cuda::executor& ex, cuda::device_span<In> in, cuda::device_span<Out> out,
                  const cuda::sort_options& options = {}) {
    cuda::detail::enqueue_sort<std::remove_const_t<In>>(ex, options,
                                                        cuda::detail::index_records(ex, in, out, options));
}

template <class Keys, class Values, class KeysOut, class ValuesOut>
requires sort_key<std::remove_const_t<Keys>> && std::same_as<std::remove_const_t<Keys>, KeysOut> &&
    std::same_as<std::remove_const_t<Values>, ValuesOut>
void sort_by_key(cuda::executor& ex, cuda::device_span<Keys> keys, cuda::device_span<Values> values,
                 cuda::device_span<KeysOut> keys_out, cuda::device_span<ValuesOut> values_out,
                 const cuda::sort_options& options = {}) {
    cuda::detail::enqueue_sort<KeysOut>(
        ex, options, cuda::detail::keyed_records(ex, keys, values, keys_out, values_out, options));
}

template <class In, class Out, class F>
requires std::same_as<std::remove_const_t<In>, Out> && sort_key<std::invoke_result_t<F, const Out&>>
void sort_by(cuda::executor& ex, cuda::device_span<In> in, cuda::device_span<Out> out, const F& key,
             const cuda::sort_options& options = {}) {
    const cuda::detail::key_maker maker(ex, in, options.length, key);
    using number = typename decltype(maker)::number;
    cuda::detail::enqueue_sort<number>(ex, options, maker.records_of(in, out, options));
}

}  // namespace upsweep
