// Compaction and partition of host memory on the GPU, so that the tests of the CPU's run on it unchanged:
// included in front of a test's source, behind cuda/backend.cuh.
//
// Each call carries its arrays to device memory and back as cuda_executor's scans do. Calls take turns in
// where the length comes from: the host, or device memory, with more elements behind; and partitions in
// whether one launch does it all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <ranges>
#include <type_traits>

#include "cuda/backend.cuh"
#include "upsweep/cuda/compact.cuh"
#include "upsweep/cuda/partition.cuh"
#include "upsweep/partition.hpp"

namespace upsweep::test {

// The arrays of one call.
class choosing_call {
  public:
    // `whole`: the output has as many elements as the input. The input has at most `most`, surplus included.
    choosing_call(cuda_executor& ex, std::size_t n, bool whole,
                  std::uint64_t most = std::numeric_limits<std::uint64_t>::max())
        : ex_(ex), staging_(ex.staging()), n_(n), whole_(whole) {
        const unsigned turn = ex.next_turn();
        counted_ = n != 0 && turn % 3 == 1;
        surplus_ = counted_ && !staging_.exact() ? turn % 11 * 37 : 0;
        if (n + surplus_ > most) surplus_ = 0;
        ex.device().set_counts_first(turn % 2 == 1);
        staging_.begin();
        count_ = staging_.add(sizeof(std::uint64_t), 8 * (turn % 5));
        length_ = staging_.add(sizeof(std::uint64_t), 8 * (turn % 7));
    }

    template <class R>
    std::size_t add_input(const R& r) {
        return staging_.add((n_ + surplus_) * size_of<R>(),
                            device_staging::misalignment(std::ranges::data(r)));
    }
    template <class R>
    void add_output(const R& r) {
        room_ = std::ranges::size(r);
        out_ = staging_.add((whole_ ? n_ + surplus_ : room_) * size_of<R>(),
                            device_staging::misalignment(std::ranges::data(r)));
    }
    // The output is an input.
    void set_output(std::size_t array) {
        out_ = array;
        room_ = n_;
        whole_ = true;
    }
    void place() {
        staging_.place();
        const auto length = static_cast<std::uint64_t>(n_);
        staging_.write(length_, &length, sizeof length);
    }
    template <class R>
    void write_input(std::size_t array, const R& r) {
        staging_.write(array, std::ranges::data(r), n_ * size_of<R>());
    }
    template <class R>
    cuda::device_span<const std::ranges::range_value_t<R>> input(std::size_t array, const R&) const {
        return {staging_.at<const std::ranges::range_value_t<R>>(array), n_ + surplus_};
    }
    template <class R>
    cuda::device_span<std::ranges::range_value_t<R>> output(const R&) const {
        return {staging_.at<std::ranges::range_value_t<R>>(out_), whole_ ? n_ + surplus_ : room_};
    }
    [[nodiscard]] std::uint64_t* count() const { return staging_.at<std::uint64_t>(count_); }
    [[nodiscard]] cuda::compact_options options() const {
        return {counted_ ? staging_.at<const std::uint64_t>(length_) : nullptr};
    }

    // `call` enqueues the work. Brings the output back.
    template <class R, class Call>
    std::size_t run(R&& out, bool partitions, const Call& call) {
        using element = std::ranges::range_value_t<R>;
        const cudaStream_t stream = ex_.device().stream();
        staging_.upload(stream);
        call();
        staging_.download(stream);
        if (n_ != 0) {
            EXPECT_EQ(ex_.device().latest(), ex_.choice()) << "another algorithm ran";
        }
        EXPECT_TRUE(staging_.sentinels_intact()) << "wrote outside the arrays";
        std::uint64_t chosen = 0;
        std::memcpy(&chosen, staging_.host(count_), sizeof chosen);
        EXPECT_LE(chosen, n_);
        const std::size_t written = partitions ? n_ : std::min<std::size_t>(chosen, room_);
        if (partitions) {
            EXPECT_TRUE(staging_.untouched(out_, n_ * sizeof(element), surplus_ * sizeof(element)))
                << "wrote past the length";
        } else if (!whole_) {
            EXPECT_TRUE(
                staging_.untouched(out_, written * sizeof(element), (room_ - written) * sizeof(element)))
                << "wrote behind the last chosen element";
        }
        if (written != 0)
            std::memcpy(static_cast<void*>(std::ranges::data(out)), staging_.host(out_),
                        written * sizeof(element));
        return static_cast<std::size_t>(chosen);
    }

  private:
    template <class R>
    static constexpr std::size_t size_of() {
        return sizeof(std::ranges::range_value_t<R>);
    }

    cuda_executor& ex_;
    device_staging& staging_;
    std::size_t n_;
    bool whole_;
    bool counted_ = false;
    std::size_t surplus_ = 0, room_ = 0;
    std::size_t count_ = 0, length_ = 0, out_ = 0;
};

// What moves elements of `in`, which may be the output. Where an algorithm refuses to do that, it must be one
// that reads its input twice; it then does so from other memory.
template <bool Partition, class In, class Out, class Call>
std::size_t choose_elements(cuda_executor& ex, const In& in, Out&& out, const Call& call) {
    using element = std::ranges::range_value_t<In>;
    const void* const from = std::ranges::data(in);
    const bool same = !Partition && from != nullptr && from == std::ranges::data(out);
    const auto attempt = [&](bool in_place) {
        choosing_call arrays(ex, std::ranges::size(in), Partition);
        return call(arrays, in_place);
    };
    if (same) {
        try {
            return attempt(true);
        } catch (const error& refused) {
            EXPECT_EQ(refused.code(), errc::unsupported) << refused.what();
            EXPECT_TRUE(ex.choice() == cuda::algorithm::reduce_then_scan ||
                        (ex.choice() == cuda::algorithm::look_back && sizeof(element) > 16))
                << refused.what();
        }
    }
    return attempt(false);
}

template <bool Partition, class Flags, class In, class Out>
std::size_t choose_flagged(cuda_executor& ex, const Flags& flags, const In& in, Out&& out) {
    return choose_elements<Partition>(ex, in, out, [&](choosing_call& arrays, bool in_place) {
        const std::size_t f = arrays.add_input(flags), x = arrays.add_input(in);
        if (in_place)
            arrays.set_output(x);
        else
            arrays.add_output(out);
        arrays.place();
        arrays.write_input(f, flags);
        arrays.write_input(x, in);
        return arrays.run(out, Partition, [&] {
            if constexpr (Partition)
                upsweep::partition(ex.device(), arrays.input(f, flags), arrays.input(x, in),
                                   arrays.output(out), arrays.count(), arrays.options());
            else
                upsweep::compact(ex.device(), arrays.input(f, flags), arrays.input(x, in), arrays.output(out),
                                 arrays.count(), arrays.options());
        });
    });
}
template <bool Partition, class In, class Out, class Keep>
std::size_t choose_if(cuda_executor& ex, const In& in, Out&& out, const Keep& keep) {
    return choose_elements<Partition>(ex, in, out, [&](choosing_call& arrays, bool in_place) {
        const std::size_t x = arrays.add_input(in);
        if (in_place)
            arrays.set_output(x);
        else
            arrays.add_output(out);
        arrays.place();
        arrays.write_input(x, in);
        return arrays.run(out, Partition, [&] {
            if constexpr (Partition)
                upsweep::partition_if(ex.device(), arrays.input(x, in), arrays.output(out), keep,
                                      arrays.count(), arrays.options());
            else
                upsweep::compact_if(ex.device(), arrays.input(x, in), arrays.output(out), keep,
                                    arrays.count(), arrays.options());
        });
    });
}
template <bool Partition, class In, class Out, class Call>
std::size_t choose_indices(cuda_executor& ex, const In& in, Out&& out, const Call& call) {
    using index = std::ranges::range_value_t<Out>;
    choosing_call arrays(ex, std::ranges::size(in), Partition,
                         static_cast<std::uint64_t>(std::numeric_limits<index>::max()));
    const std::size_t x = arrays.add_input(in);
    arrays.add_output(out);
    arrays.place();
    arrays.write_input(x, in);
    return arrays.run(out, Partition, [&] {
        call(ex.device(), arrays.input(x, in), arrays.output(out), arrays.count(), arrays.options());
    });
}

// The CPU's functions stay visible beside these.
using upsweep::compact;
using upsweep::compact_if;
using upsweep::compact_indices;
using upsweep::compact_indices_if;
using upsweep::partition;
using upsweep::partition_if;
using upsweep::partition_indices;
using upsweep::partition_indices_if;

template <class Flags, class In, class Out>
std::size_t compact(cuda_executor& ex, const Flags& flags, const In& in, Out&& out) {
    return choose_flagged<false>(ex, flags, in, out);
}
template <class Flags, class In, class Out>
std::size_t partition(cuda_executor& ex, const Flags& flags, const In& in, Out&& out) {
    return choose_flagged<true>(ex, flags, in, out);
}
template <class In, class Out, class Keep>
std::size_t compact_if(cuda_executor& ex, const In& in, Out&& out, const Keep& keep) {
    return choose_if<false>(ex, in, out, keep);
}
template <class In, class Out, class Keep>
std::size_t partition_if(cuda_executor& ex, const In& in, Out&& out, const Keep& keep) {
    return choose_if<true>(ex, in, out, keep);
}
template <class Flags, class Out>
std::size_t compact_indices(cuda_executor& ex, const Flags& flags, Out&& out) {
    return choose_indices<false>(ex, flags, out,
                                 [](auto&&... arguments) { upsweep::compact_indices(arguments...); });
}
template <class Flags, class Out>
std::size_t partition_indices(cuda_executor& ex, const Flags& flags, Out&& out) {
    return choose_indices<true>(ex, flags, out,
                                [](auto&&... arguments) { upsweep::partition_indices(arguments...); });
}
template <class In, class Out, class Keep>
std::size_t compact_indices_if(cuda_executor& ex, const In& in, Out&& out, const Keep& keep) {
    return choose_indices<false>(
        ex, in, out, [&](cuda::executor& device, auto x, auto y, auto* count, const auto& options) {
            upsweep::compact_indices_if(device, x, y, keep, count, options);
        });
}
template <class In, class Out, class Keep>
std::size_t partition_indices_if(cuda_executor& ex, const In& in, Out&& out, const Keep& keep) {
    return choose_indices<true>(
        ex, in, out, [&](cuda::executor& device, auto x, auto y, auto* count, const auto& options) {
            upsweep::partition_indices_if(device, x, y, keep, count, options);
        });
}

}  // namespace upsweep::test
