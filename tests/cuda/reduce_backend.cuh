// Totals of segments and runs of equal neighbours of host memory on the GPU, so that the tests of the CPU's
// run on it unchanged: included in front of a test's source, behind cuda/backend.cuh.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <ranges>
#include <span>
#include <type_traits>

#include "cuda/backend.cuh"
#include "cuda/segments_backend.cuh"
#include "upsweep/cuda/segmented_reduce.cuh"
#include "upsweep/cuda/unique.cuh"
#include "upsweep/segmented_reduce.hpp"
#include "upsweep/unique.hpp"

namespace upsweep::test {

// The arrays of one call: inputs, and outputs that receive some elements at their front.
class reducing_call {
  public:
    explicit reducing_call(cuda_executor& ex) : ex_(ex), staging_(ex.staging()) {
        staging_.begin();
        count_ = staging_.add(sizeof(std::uint64_t), 8 * (ex.next_turn() % 5));
    }
    template <class R>
    std::size_t add(const R& r) {
        using element = std::ranges::range_value_t<R>;
        return staging_.add(std::ranges::size(r) * sizeof(element),
                            device_staging::misalignment(std::ranges::data(r)));
    }
    void place() { staging_.place(); }
    template <class R>
    auto input(std::size_t array, const R& r) {
        using element = std::ranges::range_value_t<R>;
        staging_.write(array, std::ranges::data(r), std::ranges::size(r) * sizeof(element));
        return cuda::device_span<const element>(staging_.at<const element>(array), std::ranges::size(r));
    }
    template <class R>
    auto output(std::size_t array, const R& r) const {
        using element = std::ranges::range_value_t<R>;
        return cuda::device_span<element>(staging_.at<element>(array), std::ranges::size(r));
    }
    [[nodiscard]] std::uint64_t* count() const { return staging_.at<std::uint64_t>(count_); }

    // `n` elements are read by what `call` enqueues, by the executor's algorithm if it `chooses` one. Returns
    // the count.
    template <class Call>
    std::size_t run(std::size_t n, const Call& call, bool chooses = true) {
        staging_.upload(ex_.device().stream());
        call(ex_.device());
        staging_.download(ex_.device().stream());
        if (n > 1 && chooses) {
            EXPECT_EQ(ex_.device().latest(), ex_.choice()) << "another algorithm ran";
        }
        EXPECT_TRUE(staging_.sentinels_intact()) << "wrote outside the arrays";
        std::uint64_t count = 0;
        std::memcpy(&count, staging_.host(count_), sizeof count);
        return static_cast<std::size_t>(count);
    }
    // The first `count` elements, as far as there is room.
    template <class R>
    void fetch(std::size_t array, R& r, std::size_t count) const {
        using element = std::ranges::range_value_t<R>;
        const std::size_t room = std::ranges::size(r), written = std::min(room, count);
        EXPECT_TRUE(staging_.untouched(array, written * sizeof(element), (room - written) * sizeof(element)))
            << "wrote behind the results";
        if (written != 0)
            std::memcpy(static_cast<void*>(std::ranges::data(r)), staging_.host(array),
                        written * sizeof(element));
    }

  private:
    cuda_executor& ex_;
    device_staging& staging_;
    std::size_t count_;
};

// call(device, keys, in, keys_out, out, count)
template <class Keys, class In, class KeysOut, class Out, class Call>
std::size_t call_by_key(cuda_executor& ex, const Keys& keys, const In& in, KeysOut& keys_out, Out& out,
                        const Call& call, bool chooses) {
    reducing_call arrays(ex);
    const std::size_t k = arrays.add(keys), x = arrays.add(in);
    const std::size_t to_k = arrays.add(keys_out), y = arrays.add(out);
    arrays.place();
    const auto from_keys = arrays.input(k, keys);
    const auto from = arrays.input(x, in);
    const auto enqueue = [&](cuda::executor& device) {
        call(device, from_keys, from, arrays.output(to_k, keys_out), arrays.output(y, out), arrays.count());
    };
    const std::size_t count = arrays.run(std::ranges::size(in), enqueue, chooses);
    arrays.fetch(to_k, keys_out, count);
    arrays.fetch(y, out, count);
    return count;
}

// The CPU's functions stay visible beside these.
using upsweep::reduce_by_key;
using upsweep::run_length_encode;
using upsweep::segmented_reduce;
using upsweep::unique;
using upsweep::unique_by_key;

template <class Acc = deduced, class Segments, class In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
std::size_t segmented_reduce(cuda_executor& ex, const Segments& segments, const In& in, Out&& out,
                             const Op& op = {}, const std::type_identity_t<reduce_options<A>>& options = {}) {
    const auto description = described(segments);
    const std::size_t n = std::ranges::size(in);
    reducing_call arrays(ex);
    const std::size_t d = arrays.add(description), x = arrays.add(in), y = arrays.add(out);
    arrays.place();
    const auto parts = arrays.input(d, description);
    const auto there = on_device(segments, parts.data(), parts.size());
    const auto from = arrays.input(x, in);
    constexpr bool by_offsets = requires { segments.offsets(); };
    const auto call = [&](cuda::executor& device) {
        if constexpr (by_offsets)
            upsweep::segmented_reduce<A>(device, there, from, arrays.output(y, out), op, options);
        else
            upsweep::segmented_reduce<A>(device, there, from, arrays.output(y, out), arrays.count(), op,
                                         options);
    };
    std::size_t count = arrays.run(n, call, false);  // there is one way
    if constexpr (by_offsets) count = segments.offsets().size() - 1;
    arrays.fetch(y, out, count);
    return count;
}

template <class Acc = deduced, class Keys, class In, class KeysOut, class Out, class Op = plus,
          class Equal = std::equal_to<>,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
std::size_t reduce_by_key(cuda_executor& ex, const Keys& keys, const In& in, KeysOut&& keys_out, Out&& out,
                          const Op& op = {}, const std::type_identity_t<reduce_options<A>>& options = {},
                          const Equal& equal = {}) {
    const auto call = [&](cuda::executor& device, auto... arguments) {
        upsweep::reduce_by_key<A>(device, arguments..., op, options, equal);
    };
    return call_by_key(ex, keys, in, keys_out, out, call, false);
}

template <class In, class Out, class Equal = std::equal_to<>>
std::size_t unique(cuda_executor& ex, const In& in, Out&& out, const Equal& equal = {}) {
    reducing_call arrays(ex);
    const std::size_t x = arrays.add(in), y = arrays.add(out);
    arrays.place();
    const auto from = arrays.input(x, in);
    const std::size_t count = arrays.run(std::ranges::size(in), [&](cuda::executor& device) {
        upsweep::unique(device, from, arrays.output(y, out), arrays.count(), equal);
    });
    arrays.fetch(y, out, count);
    return count;
}

// Of two inputs or outputs each.
template <class Keys, class In, class KeysOut, class Out, class Equal = std::equal_to<>>
std::size_t unique_by_key(cuda_executor& ex, const Keys& keys, const In& in, KeysOut&& keys_out, Out&& out,
                          const Equal& equal = {}) {
    const auto call = [&](cuda::executor& device, auto... arguments) {
        upsweep::unique_by_key(device, arguments..., equal);
    };
    return call_by_key(ex, keys, in, keys_out, out, call, true);
}
template <class In, class Out, class Lengths, class Equal = std::equal_to<>>
std::size_t run_length_encode(cuda_executor& ex, const In& in, Out&& out, Lengths&& lengths,
                              const Equal& equal = {}) {
    reducing_call arrays(ex);
    const std::size_t x = arrays.add(in), y = arrays.add(out), l = arrays.add(lengths);
    arrays.place();
    const auto from = arrays.input(x, in);
    const std::size_t count = arrays.run(std::ranges::size(in), [&](cuda::executor& device) {
        upsweep::run_length_encode(device, from, arrays.output(y, out), arrays.output(l, lengths),
                                   arrays.count(), equal);
    });
    arrays.fetch(y, out, count);
    arrays.fetch(l, lengths, count);
    return count;
}

}  // namespace upsweep::test
