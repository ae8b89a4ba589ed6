// The CUDA back end under test: an executor for host memory, so that the tests of the CPU's scans run on a
// GPU unchanged. Included in front of a test's source, it takes the place of the CPU's back ends:
//
//     #include "cuda/backend.cuh"
//
//     #include "float_scan_test.cpp"
//
// Each call carries its arrays to device memory, at the misalignment of the host's pointers and with poison
// and sentinels around them, scans there, and brings the results back. Calls take turns in where lengths and
// initial values come from: the host, or device memory; and some scan in pieces.
#pragma once

#define UPSWEEP_TEST_CUDA 1

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuda/pieces.cuh"
#include "cuda/staging.hpp"
#include "support/cuts.hpp"
#include "support/recurrence_calls.hpp"
#include "support/scan_calls.hpp"
#include "upsweep/concepts.hpp"
#include "upsweep/core/accumulator.hpp"
#include "upsweep/core/known_operator.hpp"
#include "upsweep/cuda/recurrence.cuh"
#include "upsweep/cuda/scan.cuh"
#include "upsweep/options.hpp"
#include "upsweep/recurrence.hpp"
#include "upsweep/scan.hpp"

namespace upsweep::test {

// The library's functions stay visible beside those of support/scan_calls.hpp and recurrence_calls.hpp.
using upsweep::exclusive_scan;
using upsweep::inclusive_scan;
using upsweep::linear_recurrence;
using upsweep::transform_exclusive_scan;
using upsweep::transform_inclusive_scan;

// Scans host memory on the GPU with one algorithm.
class cuda_executor {
  public:
    static constexpr bool scans_host_memory = true;

    explicit cuda_executor(cuda::algorithm choice) : executor_(make_stream(), choice) {}

    [[nodiscard]] cuda::executor& device() { return executor_; }
    [[nodiscard]] cuda::algorithm choice() const { return executor_.choice(); }
    [[nodiscard]] device_staging& staging() { return staging_; }
    // Counts calls, so that they can take turns in how they do things.
    [[nodiscard]] unsigned next_turn() { return turn_++; }

    template <class Acc, class In, class Out, class Op, class Function>
    void scan(const In* in, std::size_t n, Out* out, bool exclusive, const Op& op, const Function& f,
              const scan_options<Acc>& options) {
        ASSERT_EQ(options.carry, nullptr) << "a scan on a device is not continued";
        const bool in_place = static_cast<const void*>(in) == out;
        const unsigned turn = turn_++;
        const bool defined = has_identity<Op, Acc> || options.initial;
        const bool counted = n != 0 && turn % 3 == 1 && (defined || options.total == nullptr);
        const bool in_pieces = !counted && n != 0 && turn % 5 >= 3;
        const std::size_t surplus = counted && !staging_.exact() ? turn % 11 * 37 : 0;

        staging_.begin();
        const std::size_t x = staging_.add((n + surplus) * sizeof(In), device_staging::misalignment(in));
        const std::size_t y =
            in_place ? x : staging_.add((n + surplus) * sizeof(Out), device_staging::misalignment(out));
        const std::size_t length = staging_.add(sizeof(std::uint64_t), 8 * (turn % 5));
        const std::size_t initial = staging_.add(sizeof(Acc), alignof(Acc) * (turn % 5));
        const std::size_t total = staging_.add(sizeof(Acc), alignof(Acc) * (turn % 7));
        staging_.place();
        staging_.write(x, in, n * sizeof(In));
        const auto count = static_cast<std::uint64_t>(n);
        staging_.write(length, &count, sizeof count);

        cuda::scan_options<Acc> asked;
        asked.reverse = options.reverse;
        if (options.initial && turn % 2 == 1) {
            staging_.write(initial, &*options.initial, sizeof(Acc));
            asked.device_initial = staging_.at<const Acc>(initial);
        } else {
            asked.initial = options.initial;
        }
        if (options.total != nullptr) asked.total = staging_.at<Acc>(total);
        if (counted) asked.length = staging_.at<const std::uint64_t>(length);
        staging_.upload(executor_.stream());

        const cuda::device_span<const In> from(staging_.at<const In>(x), n + surplus);
        const cuda::device_span<Out> to(staging_.at<Out>(y), n + surplus);
        if (in_pieces) {
            scan_in_pieces(from, to, exclusive, op, f, asked, turn);
        } else if constexpr (std::is_same_v<Function, std::identity>) {
            if (exclusive)
                upsweep::exclusive_scan<Acc>(executor_, from, to, op, asked);
            else
                upsweep::inclusive_scan<Acc>(executor_, from, to, op, asked);
        } else {
            if (exclusive)
                upsweep::transform_exclusive_scan<Acc>(executor_, from, to, op, f, asked);
            else
                upsweep::transform_inclusive_scan<Acc>(executor_, from, to, op, f, asked);
        }
        staging_.download(executor_.stream());

        if (n != 0 && !in_pieces) {
            EXPECT_EQ(executor_.latest(), executor_.choice()) << "another algorithm ran";
        }
        EXPECT_TRUE(staging_.sentinels_intact()) << "wrote outside the arrays";
        if (!in_place) {
            EXPECT_TRUE(n == 0 || std::memcmp(staging_.host(x), in, n * sizeof(In)) == 0)
                << "changed the input";
        }
        EXPECT_TRUE(staging_.untouched(y, n * sizeof(Out), surplus * sizeof(Out))) << "wrote past the length";
        if (n != 0) std::memcpy(static_cast<void*>(out), staging_.host(y), n * sizeof(Out));
        if (options.total != nullptr)
            std::memcpy(static_cast<void*>(options.total), staging_.host(total), sizeof(Acc));
    }

    template <class T, class A, class B, class Out>
    void recurrence(const A* a, std::size_t a_size, const B* b, std::size_t b_size, const T& x0, Out* out,
                    std::size_t out_size, const recurrence_options& options) {
        recur(out, out_size, {part_of(a, a_size), part_of(b, b_size)}, [&](const auto& at, Out* to) {
            upsweep::linear_recurrence(executor_,
                                       cuda::device_span<const A>(static_cast<const A*>(at[0]), a_size),
                                       cuda::device_span<const B>(static_cast<const B*>(at[1]), b_size), x0,
                                       cuda::device_span<Out>(to, out_size), options);
        });
    }
    template <class T, class B, class Out>
    void smoothing(const T& a, const B* b, std::size_t b_size, const T& x0, Out* out, std::size_t out_size,
                   const recurrence_options& options) {
        recur(out, out_size, {part_of(b, b_size)}, [&](const auto& at, Out* to) {
            upsweep::linear_recurrence<T>(executor_, a,
                                          cuda::device_span<const B>(static_cast<const B*>(at[0]), b_size),
                                          x0, cuda::device_span<Out>(to, out_size), options);
        });
    }

  private:
    struct part {
        const void* data;
        std::size_t bytes, misalignment;
    };
    template <class T>
    static part part_of(const T* data, std::size_t size) {
        return {data, size * sizeof(T), device_staging::misalignment(data)};
    }
    // call(inputs on the device, the output there), where the output may be an input.
    template <class Out, class Call>
    void recur(Out* out, std::size_t size, const std::vector<part>& inputs, const Call& call) {
        staging_.begin();
        std::vector<std::size_t> at;
        std::optional<std::size_t> to;
        for (const part& input : inputs) {
            at.push_back(staging_.add(input.bytes, input.misalignment));
            if (input.data == out) to = at.back();
        }
        if (!to) to = staging_.add(size * sizeof(Out), device_staging::misalignment(out));
        staging_.place();
        std::vector<const void*> there;
        for (std::size_t k = 0; k < at.size(); ++k) {
            staging_.write(at[k], inputs[k].data, inputs[k].bytes);
            there.push_back(staging_.at<const char>(at[k]));
        }
        staging_.upload(executor_.stream());
        call(there, staging_.at<Out>(*to));
        staging_.download(executor_.stream());
        if (size != 0) {
            EXPECT_EQ(executor_.latest(), executor_.choice()) << "another algorithm ran";
            std::memcpy(static_cast<void*>(out), staging_.host(*to), size * sizeof(Out));
        }
        EXPECT_TRUE(staging_.sentinels_intact()) << "wrote outside the arrays";
    }
    template <class Acc, class In, class Out, class Op, class Function>
    void scan_in_pieces(cuda::device_span<const In> in, cuda::device_span<Out> out, bool exclusive,
                        const Op& op, const Function& f, const cuda::scan_options<Acc>& options,
                        unsigned turn) {
        const std::vector<std::size_t> cuts = cut_among(1 + int(turn / 5 % 4), in.size(), turn / 5);
        const auto& known = core::known<Acc>(op);  // as the calls have it
        const auto scan = [&](const auto& load) {
            if (turn % 5 == 3)
                scan_blocks<Acc, In>(executor_, in, out, exclusive, known, load, options, cuts);
            else if (exclusive)
                scan_ranks<true, Acc, In>(executor_, in, out, known, load, options, cuts);
            else
                scan_ranks<false, Acc, In>(executor_, in, out, known, load, options, cuts);
        };
        if constexpr (std::is_same_v<Function, std::identity>)
            scan(cuda::as_is{});
        else
            scan(f);
    }
    static cudaStream_t make_stream() {
        cudaStream_t stream = nullptr;
        expect_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
        return stream;
    }

    cuda::executor executor_;
    device_staging staging_;
    unsigned turn_ = 0;
};

// One algorithm, and what it must prove to be.
struct cuda_backend {
    std::string name;  // "cuda, look-ahead"
    std::unique_ptr<cuda_executor> executor;
    cuda::algorithm algorithm;
    static constexpr std::size_t threads = 1;  // of the host

    [[nodiscard]] bool is_what_it_claims() const { return executor->choice() == algorithm; }
};

// Every algorithm that the current device has.
const std::vector<cuda_backend>& cuda_backends();

}  // namespace upsweep::test
