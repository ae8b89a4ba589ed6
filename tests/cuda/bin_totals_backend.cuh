// Totals by bin of host memory on the GPU, so that the tests of the CPU's run on it unchanged: included in
// front of a test's source, behind cuda/backend.cuh.
//
// Each call carries its arrays to device memory and back as cuda_executor's scans do. Calls take turns in
// where the length comes from: the host, or device memory, with more elements and values behind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <type_traits>

#include "cuda/backend.cuh"
#include "cuda/bins_backend.cuh"
#include "upsweep/bin_totals.hpp"
#include "upsweep/cuda/bin_totals.cuh"

namespace upsweep::test {

// The arrays of one call.
template <class In, class Values, class Totals>
class totalling_call {
    using element = std::ranges::range_value_t<In>;
    using value = std::ranges::range_value_t<Values>;
    using total = std::ranges::range_value_t<Totals>;

  public:
    totalling_call(cuda_executor& ex, const In& in, const Values& values, Totals& totals)
        : ex_(ex),
          staging_(ex.staging()),
          in_(in),
          values_(values),
          totals_(totals),
          n_(std::ranges::size(in)) {
        const unsigned turn = ex.next_turn();
        counted_ = n_ != 0 && turn % 3 == 1;
        surplus_ = counted_ && !staging_.exact() ? turn % 11 * 370 : 0;
        staging_.begin();
        length_ = staging_.add(sizeof(std::uint64_t), 8 * (turn % 7));
        x_ = staging_.add((n_ + surplus_) * sizeof(element),
                          device_staging::misalignment(std::ranges::data(in)));
        v_ = staging_.add((n_ + surplus_) * sizeof(value),
                          device_staging::misalignment(std::ranges::data(values)));
        t_ = staging_.add(std::ranges::size(totals) * sizeof(total),
                          device_staging::misalignment(std::ranges::data(totals)));
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
    [[nodiscard]] cuda::device_span<const value> values() const {
        return {staging_.at<const value>(v_), n_ + surplus_};
    }
    [[nodiscard]] cuda::device_span<total> totals() const {
        return {staging_.at<total>(t_), std::ranges::size(totals_)};
    }
    [[nodiscard]] const std::uint64_t* length() const {
        return counted_ ? staging_.at<const std::uint64_t>(length_) : nullptr;
    }

    // `call` enqueues the work. Brings the totals back.
    template <class Call>
    void run(const Call& call) {
        staging_.upload(ex_.device().stream());
        call();
        staging_.download(ex_.device().stream());
        EXPECT_TRUE(staging_.sentinels_intact()) << "wrote outside the arrays";
        EXPECT_TRUE(n_ == 0 ||
                    std::memcmp(staging_.host(v_), std::ranges::data(values_), n_ * sizeof(value)) == 0)
            << "changed the values";
        if (std::ranges::size(totals_) != 0)
            std::memcpy(static_cast<void*>(std::ranges::data(totals_)), staging_.host(t_),
                        std::ranges::size(totals_) * sizeof(total));
    }

  private:
    void place() {
        staging_.place();
        staging_.write(x_, std::ranges::data(in_), n_ * sizeof(element));
        staging_.write(v_, std::ranges::data(values_), n_ * sizeof(value));
        const auto length = static_cast<std::uint64_t>(n_);
        staging_.write(length_, &length, sizeof length);
    }

    cuda_executor& ex_;
    device_staging& staging_;
    const In& in_;
    const Values& values_;
    Totals& totals_;
    std::size_t n_, surplus_ = 0;
    bool counted_ = false;
    std::size_t length_ = 0, x_ = 0, v_ = 0, t_ = 0;
};

// How many elements have a bin, which a call on a device does not tell, is what they are counted as there.
template <class A, class In, class Values, class Totals, class Bins, class Op>
std::size_t total_on_device(cuda_executor& ex, const In& in, const Values& values, Totals& totals,
                            const Bins& bins, const Op& op, const reduce_options<A>& options) {
    totalling_call<In, Values, std::remove_reference_t<Totals>> arrays(ex, in, values, totals);
    const auto& on_device = arrays.add(bins);
    arrays.run([&] {
        upsweep::bin_totals<A>(ex.device(), arrays.in(), arrays.values(), arrays.totals(), on_device, op,
                               {.initial = options.initial, .length = arrays.length()});
    });
    std::vector<std::uint64_t> counts(std::ranges::size(totals));
    return histogram(ex, in, counts, bins);
}

// The CPU's functions stay visible beside these.
using upsweep::bin_totals;

template <class Acc = deduced, number_range In, input_range Values, class Totals, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<Values>, Op>>
std::size_t bin_totals(cuda_executor& ex, const In& in, const Values& values, Totals&& totals,
                       const range_of<In>& range, const Op& op = {},
                       const std::type_identity_t<reduce_options<A>>& options = {}) {
    return total_on_device<A>(ex, in, values, totals, range, op, options);
}
template <class Acc = deduced, number_range In, input_range Values, class Totals, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<Values>, Op>>
std::size_t bin_totals(cuda_executor& ex, const In& in, const Values& values, Totals&& totals,
                       const edges_of<In>& edges, const Op& op = {},
                       const std::type_identity_t<reduce_options<A>>& options = {}) {
    return total_on_device<A>(ex, in, values, totals, edges, op, options);
}

}  // namespace upsweep::test
