// Histograms and bins of host memory on the GPU, so that the tests of the CPU's run on it unchanged: included
// in front of a test's source, behind cuda/backend.cuh.
//
// Each call carries its arrays to device memory and back as cuda_executor's scans do. Calls take turns in
// where the length comes from: the host, or device memory, with more elements behind.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <ranges>
#include <span>
#include <type_traits>

#include "cuda/backend.cuh"
#include "upsweep/bins.hpp"
#include "upsweep/cuda/bins.cuh"
#include "upsweep/cuda/histogram.cuh"

namespace upsweep::test {

// Edges as a call's last array: place() fills in the others.
template <class T, class Place>
cuda::device_edges<T> staged_edges(device_staging& staging, const bin_edges<T>& bins, const Place& place) {
    const std::size_t edges =
        staging.add(bins.edges.size_bytes(), device_staging::misalignment(bins.edges.data()));
    place();
    staging.write(edges, bins.edges.data(), bins.edges.size_bytes());
    return {{staging.at<const T>(edges), bins.edges.size()}};
}

// The arrays of one call.
template <class In, class Written, class Out = std::span<std::uint8_t>>
class binning_call {
    using element = std::ranges::range_value_t<In>;
    using moved = std::ranges::range_value_t<Out>;

  public:
    // `written`: counts or offsets. `most`: elements that the input may have, surplus included.
    binning_call(cuda_executor& ex, const In& in, Written& written,
                 std::uint64_t most = std::numeric_limits<std::uint64_t>::max())
        : ex_(ex), staging_(ex.staging()), in_(in), written_(written), n_(std::ranges::size(in)) {
        const unsigned turn = ex.next_turn();
        counted_ = n_ != 0 && turn % 3 == 1;
        surplus_ = counted_ && !staging_.exact() ? turn % 11 * 37 : 0;
        if (n_ + surplus_ > most) surplus_ = 0;
        staging_.begin();
        length_ = staging_.add(sizeof(std::uint64_t), 8 * (turn % 7));
        x_ = staging_.add((n_ + surplus_) * sizeof(element),
                          device_staging::misalignment(std::ranges::data(in)));
        w_ = staging_.add(std::ranges::size(written) * sizeof(std::uint64_t),
                          device_staging::misalignment(std::ranges::data(written)));
    }
    void add_output(const Out& out) {
        out_ = staging_.add(std::ranges::size(out) * sizeof(moved),
                            device_staging::misalignment(std::ranges::data(out)));
        room_ = std::ranges::size(out);
    }
    template <class T>
    cuda::device_edges<T> add(const bin_edges<T>& bins) {
        return staged_edges(staging_, bins, [this] { place(); });
    }
    template <class Bins>
    const Bins& add(const Bins& bins) {
        place();
        return bins;
    }

    [[nodiscard]] cuda::device_span<const element> in() const {
        return {staging_.at<const element>(x_), n_ + surplus_};
    }
    [[nodiscard]] cuda::device_span<std::uint64_t> written() const {
        return {staging_.at<std::uint64_t>(w_), std::ranges::size(written_)};
    }
    [[nodiscard]] cuda::device_span<moved> out() const { return {staging_.at<moved>(out_), room_}; }
    [[nodiscard]] cuda::histogram_options options() const {
        return {counted_ ? staging_.at<const std::uint64_t>(length_) : nullptr};
    }

    // `call` enqueues the work. Brings counts or offsets back.
    template <class Call>
    void run(const Call& call) {
        staging_.upload(ex_.device().stream());
        call();
        staging_.download(ex_.device().stream());
        EXPECT_TRUE(staging_.sentinels_intact()) << "wrote outside the arrays";
        if (std::ranges::size(written_) != 0)
            std::memcpy(std::ranges::data(written_), staging_.host(w_),
                        std::ranges::size(written_) * sizeof(std::uint64_t));
    }
    // The first `count` elements of the output; those behind must be as they were.
    void read_output(Out& out, std::size_t count) const {
        EXPECT_TRUE(staging_.untouched(out_, count * sizeof(moved), (room_ - count) * sizeof(moved)))
            << "wrote behind the last element";
        if (count != 0)
            std::memcpy(static_cast<void*>(std::ranges::data(out)), staging_.host(out_),
                        count * sizeof(moved));
    }

  private:
    void place() {
        staging_.place();
        staging_.write(x_, std::ranges::data(in_), n_ * sizeof(element));
        const auto length = static_cast<std::uint64_t>(n_);
        staging_.write(length_, &length, sizeof length);
    }

    cuda_executor& ex_;
    device_staging& staging_;
    const In& in_;
    Written& written_;
    std::size_t n_, surplus_ = 0, room_ = 0;
    bool counted_ = false;
    std::size_t length_ = 0, x_ = 0, w_ = 0, out_ = 0;
};

// call(arrays, bins) on the device; returns how many elements were counted.
template <class In, class Counts, class Bins, class Call>
std::size_t count_on_device(cuda_executor& ex, const In& in, Counts& counts, const Bins& bins,
                            const Call& call) {
    binning_call<In, std::remove_reference_t<Counts>> arrays(ex, in, counts);
    const auto& on_device = arrays.add(bins);
    arrays.run([&] { call(arrays, on_device); });
    return std::accumulate(std::ranges::begin(counts), std::ranges::end(counts), std::uint64_t{0});
}
// The same with an output; returns how many elements have a bin.
template <class In, class Out, class Offsets, class Bins, class Call>
std::size_t extract_on_device(cuda_executor& ex, const In& in, Out& out, Offsets& offsets, const Bins& bins,
                              const Call& call,
                              std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) {
    binning_call<In, Offsets, Out> arrays(ex, in, offsets, most);
    arrays.add_output(out);
    const auto& on_device = arrays.add(bins);
    arrays.run([&] { call(arrays, on_device); });
    const auto all = static_cast<std::size_t>(*std::ranges::rbegin(offsets));
    arrays.read_output(out, std::min<std::size_t>(all, std::ranges::size(out)));
    return all;
}
template <class Out>
inline constexpr auto most_indices =
    static_cast<std::uint64_t>(std::numeric_limits<std::ranges::range_value_t<Out>>::max());

// The CPU's functions stay visible beside these.
using upsweep::bin_indices;
using upsweep::bin_indices_by;
using upsweep::bins;
using upsweep::bins_by;
using upsweep::histogram;
using upsweep::histogram_by;

template <class In>
using range_of = bin_range<upsweep::binned_type<In>>;
template <class In>
using edges_of = bin_edges<upsweep::binned_type<In>>;

inline constexpr auto histogram_of_arrays = [](auto& ex) {
    return [&ex](auto& arrays, const auto& by) {
        upsweep::histogram(ex.device(), arrays.in(), arrays.written(), by, arrays.options());
    };
};
template <number_range In, counter_range Counts>
std::size_t histogram(cuda_executor& ex, const In& in, Counts&& counts, const range_of<In>& range) {
    return count_on_device(ex, in, counts, range, histogram_of_arrays(ex));
}
template <number_range In, counter_range Counts>
std::size_t histogram(cuda_executor& ex, const In& in, Counts&& counts, const edges_of<In>& edges) {
    return count_on_device(ex, in, counts, edges, histogram_of_arrays(ex));
}
template <input_range In, counter_range Counts, class F>
std::size_t histogram_by(cuda_executor& ex, const In& in, Counts&& counts, const F& f) {
    return count_on_device(ex, in, counts, f, [&](auto& arrays, const F& by) {
        upsweep::histogram_by(ex.device(), arrays.in(), arrays.written(), by, arrays.options());
    });
}

inline constexpr auto bins_of_arrays = [](auto& ex) {
    return [&ex](auto& arrays, const auto& by) {
        upsweep::bins(ex.device(), arrays.in(), arrays.out(), arrays.written(), by, arrays.options());
    };
};
inline constexpr auto indices_of_arrays = [](auto& ex) {
    return [&ex](auto& arrays, const auto& by) {
        upsweep::bin_indices(ex.device(), arrays.in(), arrays.out(), arrays.written(), by, arrays.options());
    };
};
template <number_range In, class Out, counter_range Offsets>
std::size_t bins(cuda_executor& ex, const In& in, Out&& out, Offsets&& offsets, const range_of<In>& range) {
    return extract_on_device(ex, in, out, offsets, range, bins_of_arrays(ex));
}
template <number_range In, class Out, counter_range Offsets>
std::size_t bins(cuda_executor& ex, const In& in, Out&& out, Offsets&& offsets, const edges_of<In>& edges) {
    return extract_on_device(ex, in, out, offsets, edges, bins_of_arrays(ex));
}
template <number_range In, class Out, counter_range Offsets>
std::size_t bin_indices(cuda_executor& ex, const In& in, Out&& out, Offsets&& offsets,
                        const range_of<In>& range) {
    return extract_on_device(ex, in, out, offsets, range, indices_of_arrays(ex), most_indices<Out>);
}
template <number_range In, class Out, counter_range Offsets>
std::size_t bin_indices(cuda_executor& ex, const In& in, Out&& out, Offsets&& offsets,
                        const edges_of<In>& edges) {
    return extract_on_device(ex, in, out, offsets, edges, indices_of_arrays(ex), most_indices<Out>);
}
template <input_range In, class Out, counter_range Offsets, class F>
std::size_t bins_by(cuda_executor& ex, const In& in, Out&& out, Offsets&& offsets, const F& f) {
    return extract_on_device(ex, in, out, offsets, f, [&](auto& arrays, const F& by) {
        upsweep::bins_by(ex.device(), arrays.in(), arrays.out(), arrays.written(), by, arrays.options());
    });
}
template <input_range In, class Out, counter_range Offsets, class F>
std::size_t bin_indices_by(cuda_executor& ex, const In& in, Out&& out, Offsets&& offsets, const F& f) {
    return extract_on_device(
        ex, in, out, offsets, f,
        [&](auto& arrays, const F& by) {
            upsweep::bin_indices_by(ex.device(), arrays.in(), arrays.out(), arrays.written(), by,
                                    arrays.options());
        },
        most_indices<Out>);
}

}  // namespace upsweep::test
