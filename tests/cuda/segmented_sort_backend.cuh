// Sorts of segments of host memory on the GPU, so that the tests of the CPU's run on it unchanged: included
// in front of a test's source, behind cuda/backend.cuh. Calls take turns as in sort_backend.cuh.
#pragma once

#include <cstddef>
#include <ranges>
#include <type_traits>

#include "cuda/segments_backend.cuh"
#include "cuda/sort_backend.cuh"
#include "upsweep/cuda/segmented_sort.cuh"
#include "upsweep/segmented_sort.hpp"

namespace upsweep::test {

// What describes the segments of a call. Flags and keys are as many as the call's elements, and those behind
// its length may be anything; offsets end with the length.
template <class Segments>
class staged_segments {
    using element =
        std::remove_const_t<typename decltype(described(std::declval<const Segments&>()))::element_type>;
    static constexpr bool by_offsets = requires(const Segments& s) { s.offsets(); };

  public:
    staged_segments(sorting_call& call, const Segments& segments)
        : call_(call),
          segments_(segments),
          array_(by_offsets ? call.add_bytes(described(segments).size_bytes())
                            : call.add(described(segments))) {}
    void write() const {
        call_.write_bytes(array_, described(segments_).data(), described(segments_).size_bytes());
    }
    [[nodiscard]] auto there() const {
        const auto all = call_.template span<const element>(array_);
        return on_device(segments_, all.data(), by_offsets ? described(segments_).size() : all.size());
    }

  private:
    sorting_call& call_;
    const Segments& segments_;
    std::size_t array_;
};

// The CPU's functions stay visible beside these.
using upsweep::segmented_sort;
using upsweep::segmented_sort_by;
using upsweep::segmented_sort_by_key;
using upsweep::segmented_sort_indices;

template <class Segments, class In, class Out>
void segmented_sort(cuda_executor& ex, const Segments& segments, const In& in, Out&& out,
                    const sort_options& options = {}) {
    using key = std::ranges::range_value_t<In>;
    sorting_call arrays(ex, std::ranges::size(in));
    const staged_segments<Segments> there(arrays, segments);
    const std::size_t x = arrays.add(in), y = arrays.add(out, in, x);
    arrays.place();
    there.write();
    arrays.write(x, in);
    arrays.run([&] {
        upsweep::segmented_sort(ex.device(), there.there(), arrays.span<const key>(x), arrays.span<key>(y),
                                arrays.options(options));
    });
    arrays.read(y, out);
}
template <class Segments, class In, class Out>
void segmented_sort_indices(cuda_executor& ex, const Segments& segments, const In& in, Out&& out,
                            const sort_options& options = {}) {
    using key = std::ranges::range_value_t<In>;
    using index = std::ranges::range_value_t<Out>;
    sorting_call arrays(ex, std::ranges::size(in),
                        static_cast<std::size_t>(std::numeric_limits<index>::max()));
    const staged_segments<Segments> there(arrays, segments);
    const std::size_t x = arrays.add(in), y = arrays.add(out);
    arrays.place();
    there.write();
    arrays.write(x, in);
    arrays.run([&] {
        upsweep::segmented_sort_indices(ex.device(), there.there(), arrays.span<const key>(x),
                                        arrays.span<index>(y), arrays.options(options));
    });
    arrays.read(y, out);
}
template <class Segments, class Keys, class Values, class KeysOut, class ValuesOut>
void segmented_sort_by_key(cuda_executor& ex, const Segments& segments, const Keys& keys,
                           const Values& values, KeysOut&& keys_out, ValuesOut&& values_out,
                           const sort_options& options = {}) {
    using key = std::ranges::range_value_t<Keys>;
    using value = std::ranges::range_value_t<Values>;
    sorting_call arrays(ex, std::ranges::size(keys));
    const staged_segments<Segments> there(arrays, segments);
    const std::size_t x = arrays.add(keys), v = arrays.add(values);
    const std::size_t y = arrays.add(keys_out, keys, x), w = arrays.add(values_out, values, v);
    arrays.place();
    there.write();
    arrays.write(x, keys);
    arrays.write(v, values);
    arrays.run([&] {
        upsweep::segmented_sort_by_key(ex.device(), there.there(), arrays.span<const key>(x),
                                       arrays.span<const value>(v), arrays.span<key>(y),
                                       arrays.span<value>(w), arrays.options(options));
    });
    arrays.read(y, keys_out);
    arrays.read(w, values_out);
}
template <class Segments, class In, class Out, class F>
void segmented_sort_by(cuda_executor& ex, const Segments& segments, const In& in, Out&& out, const F& key,
                       const sort_options& options = {}) {
    using element = std::ranges::range_value_t<In>;
    sorting_call arrays(ex, std::ranges::size(in));
    const staged_segments<Segments> there(arrays, segments);
    const std::size_t x = arrays.add(in), y = arrays.add(out, in, x);
    arrays.place();
    there.write();
    arrays.write(x, in);
    arrays.run([&] {
        upsweep::segmented_sort_by(ex.device(), there.there(), arrays.span<const element>(x),
                                   arrays.span<element>(y), key, arrays.options(options));
    });
    arrays.read(y, out);
}

}  // namespace upsweep::test
