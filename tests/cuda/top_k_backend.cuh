// Selections from host memory on the GPU, so that the tests of the CPU's run on it unchanged: included in
// front of a test's source, behind cuda/backend.cuh. Each call carries its arrays to device memory and back,
// as cuda_executor's scans do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ranges>

#include "cuda/backend.cuh"
#include "upsweep/cuda/top_k.cuh"
#include "upsweep/top_k.hpp"

namespace upsweep::test {

// The arrays of one call.
class staged_call {
  public:
    explicit staged_call(cuda_executor& ex) : ex_(ex), staging_(ex.staging()) { staging_.begin(); }

    // An array as large as the range, at its misalignment.
    template <class Range>
    std::size_t add(const Range& range) {
        return staging_.add(bytes_of(range), device_staging::misalignment(std::ranges::data(range)));
    }
    void place() { staging_.place(); }
    template <class Range>
    void write(std::size_t array, const Range& range) {
        staging_.write(array, std::ranges::data(range), bytes_of(range));
    }
    // A range of device memory as large as that of the host.
    template <class Range>
    [[nodiscard]] cuda::device_span<std::ranges::range_value_t<Range>> there(std::size_t array,
                                                                             const Range& range) const {
        return {staging_.at<std::ranges::range_value_t<Range>>(array), std::ranges::size(range)};
    }
    // `call` enqueues the work.
    template <class Call>
    void run(const Call& call) {
        staging_.upload(ex_.device().stream());
        call(ex_.device());
        staging_.download(ex_.device().stream());
        EXPECT_TRUE(staging_.sentinels_intact()) << "wrote outside the arrays";
    }
    template <class Range>
    void read(std::size_t array, Range& range) const {
        if (std::ranges::size(range) != 0)
            std::memcpy(static_cast<void*>(std::ranges::data(range)), staging_.host(array), bytes_of(range));
    }

  private:
    template <class Range>
    static std::size_t bytes_of(const Range& range) {
        return std::ranges::size(range) * sizeof(std::ranges::range_value_t<Range>);
    }

    cuda_executor& ex_;
    device_staging& staging_;
};

// call(executor, in, out) on the device.
template <class In, class Out, class Call>
void call_on_device(cuda_executor& ex, const In& in, Out& out, const Call& call) {
    staged_call arrays(ex);
    const std::size_t x = arrays.add(in), y = arrays.add(out);
    arrays.place();
    arrays.write(x, in);
    arrays.run([&](cuda::executor& device) { call(device, arrays.there(x, in), arrays.there(y, out)); });
    arrays.read(y, out);
}

// The CPU's functions stay visible beside these.
using upsweep::top_k;
using upsweep::top_k_by_key;
using upsweep::top_k_indices;
using upsweep::top_k_row_indices;
using upsweep::top_k_rows;

template <class In, class Out>
void top_k(cuda_executor& ex, const In& in, Out&& out, const top_k_options& options = {}) {
    call_on_device(ex, in, out, [&](cuda::executor& device, const auto& from, const auto& to) {
        upsweep::top_k(device, from, to, {options.smallest});
    });
}
template <class In, class Out>
void top_k_indices(cuda_executor& ex, const In& in, Out&& out, const top_k_options& options = {}) {
    call_on_device(ex, in, out, [&](cuda::executor& device, const auto& from, const auto& to) {
        upsweep::top_k_indices(device, from, to, {options.smallest});
    });
}
template <class In, class Out>
void top_k_rows(cuda_executor& ex, std::size_t rows, const In& in, Out&& out,
                const top_k_options& options = {}) {
    call_on_device(ex, in, out, [&](cuda::executor& device, const auto& from, const auto& to) {
        upsweep::top_k_rows(device, rows, from, to, {options.smallest});
    });
}
template <class In, class Out>
void top_k_row_indices(cuda_executor& ex, std::size_t rows, const In& in, Out&& out,
                       const top_k_options& options = {}) {
    call_on_device(ex, in, out, [&](cuda::executor& device, const auto& from, const auto& to) {
        upsweep::top_k_row_indices(device, rows, from, to, {options.smallest});
    });
}
template <class Keys, class Values, class KeysOut, class ValuesOut>
void top_k_by_key(cuda_executor& ex, const Keys& keys, const Values& values, KeysOut&& keys_out,
                  ValuesOut&& values_out, const top_k_options& options = {}) {
    staged_call arrays(ex);
    const std::size_t x = arrays.add(keys), v = arrays.add(values);
    const std::size_t y = arrays.add(keys_out), w = arrays.add(values_out);
    arrays.place();
    arrays.write(x, keys);
    arrays.write(v, values);
    arrays.run([&](cuda::executor& device) {
        upsweep::top_k_by_key(device, arrays.there(x, keys), arrays.there(v, values),
                              arrays.there(y, keys_out), arrays.there(w, values_out), {options.smallest});
    });
    arrays.read(y, keys_out);
    arrays.read(w, values_out);
}

}  // namespace upsweep::test
