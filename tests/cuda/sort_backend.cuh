// Sorts of host memory on the GPU, so that the tests of the CPU's run on it unchanged: included in front of a
// test's source, behind cuda/backend.cuh.
//
// Each call carries its arrays to device memory and back as cuda_executor's scans do. Calls take turns in
// where the length comes from: the host, or device memory, with more elements behind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <type_traits>

#include "cuda/backend.cuh"
#include "upsweep/cuda/sort.cuh"
#include "upsweep/sort.hpp"

namespace upsweep::test {

// The arrays of one call, of n elements each.
class sorting_call {
  public:
    sorting_call(cuda_executor& ex, std::size_t n, std::size_t most = ~std::size_t{0})
        : ex_(ex), staging_(ex.staging()), n_(n) {
        const unsigned turn = ex.next_turn();
        counted_ = n != 0 && turn % 3 == 1;
        surplus_ = counted_ && !staging_.exact() ? turn % 11 * 37 : 0;
        if (n + surplus_ > most) surplus_ = 0;
        staging_.begin();
        length_ = staging_.add(sizeof(std::uint64_t), 8 * (turn % 7));
    }
    template <class Range>
    std::size_t add(const Range& range) {
        using element = std::ranges::range_value_t<Range>;
        return staging_.add((n_ + surplus_) * sizeof(element),
                            device_staging::misalignment(std::ranges::data(range)));
    }
    // An array of its own size.
    std::size_t add_bytes(std::size_t bytes) { return staging_.add(bytes, 8); }
    void write_bytes(std::size_t array, const void* from, std::size_t bytes) {
        staging_.write(array, from, bytes);
    }
    // An output, which may be the input.
    template <class Out, class In>
    std::size_t add(const Out& out, const In& in, std::size_t input) {
        const void* const p = std::ranges::data(out);
        return p == std::ranges::data(in) && n_ != 0 ? input : add(out);
    }
    void place() {
        staging_.place();
        const auto length = static_cast<std::uint64_t>(n_);
        staging_.write(length_, &length, sizeof length);
    }
    template <class Range>
    void write(std::size_t array, const Range& range) {
        staging_.write(array, std::ranges::data(range), n_ * sizeof(std::ranges::range_value_t<Range>));
    }
    template <class T>
    [[nodiscard]] cuda::device_span<T> span(std::size_t array) const {
        return {staging_.at<T>(array), n_ + surplus_};
    }
    [[nodiscard]] cuda::sort_options options(const sort_options& asked) const {
        return {asked.descending, counted_ ? span<const std::uint64_t>(length_).data() : nullptr};
    }
    // `call` enqueues the work.
    template <class Call>
    void run(const Call& call) {
        staging_.upload(ex_.device().stream());
        call();
        staging_.download(ex_.device().stream());
        EXPECT_TRUE(staging_.sentinels_intact()) << "wrote outside the arrays";
    }
    template <class Range>
    void read(std::size_t array, Range& range) const {
        using element = std::ranges::range_value_t<Range>;
        EXPECT_TRUE(staging_.untouched(array, n_ * sizeof(element), surplus_ * sizeof(element)))
            << "wrote past the length";
        if (n_ != 0)
            std::memcpy(static_cast<void*>(std::ranges::data(range)), staging_.host(array),
                        n_ * sizeof(element));
    }

  private:
    cuda_executor& ex_;
    device_staging& staging_;
    std::size_t n_, surplus_ = 0, length_ = 0;
    bool counted_ = false;
};

// The CPU's functions stay visible beside these.
using upsweep::sort;
using upsweep::sort_by;
using upsweep::sort_by_key;
using upsweep::sort_indices;

template <class In, class Out>
void sort(cuda_executor& ex, const In& in, Out&& out, const sort_options& options = {}) {
    using key = std::ranges::range_value_t<In>;
    sorting_call arrays(ex, std::ranges::size(in));
    const std::size_t x = arrays.add(in), y = arrays.add(out, in, x);
    arrays.place();
    arrays.write(x, in);
    arrays.run([&] {
        upsweep::sort(ex.device(), arrays.span<const key>(x), arrays.span<key>(y), arrays.options(options));
    });
    arrays.read(y, out);
}
template <class In, class Out>
void sort_indices(cuda_executor& ex, const In& in, Out&& out, const sort_options& options = {}) {
    using key = std::ranges::range_value_t<In>;
    using index = std::ranges::range_value_t<Out>;
    sorting_call arrays(ex, std::ranges::size(in),
                        static_cast<std::size_t>(std::numeric_limits<index>::max()));
    const std::size_t x = arrays.add(in), y = arrays.add(out);
    arrays.place();
    arrays.write(x, in);
    arrays.run([&] {
        upsweep::sort_indices(ex.device(), arrays.span<const key>(x), arrays.span<index>(y),
                              arrays.options(options));
    });
    arrays.read(y, out);
}
template <class Keys, class Values, class KeysOut, class ValuesOut>
void sort_by_key(cuda_executor& ex, const Keys& keys, const Values& values, KeysOut&& keys_out,
                 ValuesOut&& values_out, const sort_options& options = {}) {
    using key = std::ranges::range_value_t<Keys>;
    using value = std::ranges::range_value_t<Values>;
    sorting_call arrays(ex, std::ranges::size(keys));
    const std::size_t x = arrays.add(keys), v = arrays.add(values);
    const std::size_t y = arrays.add(keys_out, keys, x), w = arrays.add(values_out, values, v);
    arrays.place();
    arrays.write(x, keys);
    arrays.write(v, values);
    arrays.run([&] {
        upsweep::sort_by_key(ex.device(), arrays.span<const key>(x), arrays.span<const value>(v),
                             arrays.span<key>(y), arrays.span<value>(w), arrays.options(options));
    });
    arrays.read(y, keys_out);
    arrays.read(w, values_out);
}
template <class In, class Out, class F>
void sort_by(cuda_executor& ex, const In& in, Out&& out, const F& key, const sort_options& options = {}) {
    using element = std::ranges::range_value_t<In>;
    sorting_call arrays(ex, std::ranges::size(in));
    const std::size_t x = arrays.add(in), y = arrays.add(out, in, x);
    arrays.place();
    arrays.write(x, in);
    arrays.run([&] {
        upsweep::sort_by(ex.device(), arrays.span<const element>(x), arrays.span<element>(y), key,
                         arrays.options(options));
    });
    arrays.read(y, out);
}

}  // namespace upsweep::test
