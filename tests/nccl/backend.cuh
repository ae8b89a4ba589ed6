// Ranks of NCCL under test: an executor for host memory, so that the tests of the CPU's scans run on them
// unchanged. Each call gives every rank a part of its arrays, cut somewhere else every time. Included in
// front of a test's source.
#pragma once

#define UPSWEEP_TEST_CUDA 1
#define UPSWEEP_TEST_NCCL 1

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "nccl/ranks.hpp"
#include "support/cuts.hpp"
#include "support/recurrence_calls.hpp"
#include "support/scan_calls.hpp"
#include "upsweep/concepts.hpp"
#include "upsweep/core/accumulator.hpp"
#include "upsweep/nccl/nccl.cuh"
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

// Where a call cuts its arrays, and what ranks may be told of that.
struct rank_parts {
    std::vector<std::size_t> cuts;
    std::vector<std::uint64_t> counts;
    nccl::distribution elements;

    rank_parts(int ranks, std::size_t n, unsigned turn)
        : cuts(cut_among(ranks, n, turn)), counts(counts_of(cuts)), elements(counts) {}

  private:
    static std::vector<std::uint64_t> counts_of(const std::vector<std::size_t>& cuts) {
        std::vector<std::uint64_t> counts;
        for (std::size_t k = 0; k + 1 < cuts.size(); ++k) counts.push_back(cuts[k + 1] - cuts[k]);
        return counts;
    }
};

class nccl_executor {
  public:
    static constexpr bool scans_host_memory = true;

    nccl_executor(int size, cuda::algorithm choice) : team_(size, choice) {}

    [[nodiscard]] rank_team& team() { return team_; }
    // Each call cuts its arrays somewhere else.
    [[nodiscard]] unsigned next_turn() { return turn_++; }

    template <class Acc, class In, class Out, class Op, class Function>
    void scan(const In* in, std::size_t n, Out* out, bool exclusive, const Op& op, const Function& f,
              const scan_options<Acc>& options) {
        ASSERT_EQ(options.carry, nullptr) << "a scan on ranks is not continued";
        const bool in_place = static_cast<const void*>(in) == out;
        const unsigned turn = next_turn();
        const rank_parts parts(team_.size(), n, turn);
        team_.run([&](test_rank& rank, int number) {
            const std::size_t begin = parts.cuts[std::size_t(number)],
                              own = parts.counts[std::size_t(number)];
            device_staging& staging = rank.staging;
            staging.begin();
            const std::size_t x = staging.add(own * sizeof(In), device_staging::misalignment(in + begin));
            const std::size_t y =
                in_place ? x : staging.add(own * sizeof(Out), device_staging::misalignment(out + begin));
            const std::size_t initial = staging.add(sizeof(Acc), alignof(Acc) * (turn % 5));
            const std::size_t total = staging.add(sizeof(Acc), alignof(Acc) * (turn % 7));
            staging.place();
            if (own != 0) staging.write(x, in + begin, own * sizeof(In));
            nccl::scan_options<Acc> asked;
            asked.reverse = options.reverse;
            if (options.initial && turn % 2 == 1) {
                staging.write(initial, &*options.initial, sizeof(Acc));
                asked.device_initial = staging.at<const Acc>(initial);
            } else {
                asked.initial = options.initial;
            }
            if (options.total != nullptr) asked.total = staging.at<Acc>(total);
            if (turn % 3 != 0) asked.elements = &parts.elements;
            staging.upload(rank.local.stream());
            const cuda::device_span<const In> from(staging.at<const In>(x), own);
            const cuda::device_span<Out> to(staging.at<Out>(y), own);
            if constexpr (std::is_same_v<Function, std::identity>) {
                if (exclusive)
                    upsweep::exclusive_scan<Acc>(rank.ranks, from, to, op, asked);
                else
                    upsweep::inclusive_scan<Acc>(rank.ranks, from, to, op, asked);
            } else {
                if (exclusive)
                    upsweep::transform_exclusive_scan<Acc>(rank.ranks, from, to, op, f, asked);
                else
                    upsweep::transform_inclusive_scan<Acc>(rank.ranks, from, to, op, f, asked);
            }
            staging.download(rank.local.stream());
            EXPECT_TRUE(staging.sentinels_intact()) << "rank " << number << " wrote outside the arrays";
            if (!in_place) {
                EXPECT_TRUE(own == 0 || std::memcmp(staging.host(x), in + begin, own * sizeof(In)) == 0)
                    << "rank " << number << " changed the input";
            }
            if (own != 0) std::memcpy(static_cast<void*>(out + begin), staging.host(y), own * sizeof(Out));
            if (options.total == nullptr) return;
            if (number == int(turn) % team_.size())
                std::memcpy(static_cast<void*>(options.total), staging.host(total), sizeof(Acc));
        });
    }

    template <class T, class A, class B, class Out>
    void recurrence(const A* a, std::size_t n, const B* b, std::size_t b_size, const T& x0, Out* out,
                    std::size_t out_size, const recurrence_options& options) {
        ASSERT_TRUE(b_size == n && out_size == n);
        recur(
            out, n,
            [&](test_rank& rank, const auto& to, const auto& x, const auto& y) {
                upsweep::linear_recurrence(rank.ranks, x, y, x0, to, {.reverse = options.reverse});
            },
            a, b);
    }
    template <class T, class B, class Out>
    void smoothing(const T& a, const B* b, std::size_t n, const T& x0, Out* out, std::size_t out_size,
                   const recurrence_options& options) {
        ASSERT_EQ(out_size, n);
        recur(
            out, n,
            [&](test_rank& rank, const auto& to, const auto& y) {
                upsweep::linear_recurrence<T>(rank.ranks, a, y, x0, to, {.reverse = options.reverse});
            },
            b);
    }

  private:
    // call(rank, output, inputs...) with every rank's parts on its device. The output may be an input.
    template <class Out, class Call, class... In>
    void recur(Out* out, std::size_t n, const Call& call, const In*... in) {
        const std::vector<std::size_t> cuts = cut_among(team_.size(), n, next_turn());
        team_.run([&](test_rank& rank, int number) {
            const std::size_t begin = cuts[std::size_t(number)], own = cuts[std::size_t(number) + 1] - begin;
            device_staging& staging = rank.staging;
            staging.begin();
            std::optional<std::size_t> to;
            const auto add = [&](const auto* data) {
                const std::size_t at =
                    staging.add(own * sizeof *data, device_staging::misalignment(data + begin));
                if (static_cast<const void*>(data) == out) to = at;
                return at;
            };
            const std::tuple<std::pair<const In*, std::size_t>...> at{std::pair(in, add(in))...};
            if (!to) to = staging.add(own * sizeof(Out), device_staging::misalignment(out + begin));
            staging.place();
            std::apply(
                [&](const auto&... input) {
                    if (own != 0)
                        (staging.write(input.second, input.first + begin, own * sizeof *input.first), ...);
                    staging.upload(rank.local.stream());
                    call(rank, cuda::device_span<Out>(staging.at<Out>(*to), own),
                         cuda::device_span<const In>(staging.at<const In>(input.second), own)...);
                },
                at);
            staging.download(rank.local.stream());
            if (own != 0) std::memcpy(static_cast<void*>(out + begin), staging.host(*to), own * sizeof(Out));
            EXPECT_TRUE(staging.sentinels_intact()) << "rank " << number << " wrote outside the arrays";
        });
    }

    rank_team team_;
    unsigned turn_ = 0;
};

// One number of ranks, and what it must prove to be.
struct nccl_backend {
    std::string name;  // "3 ranks"
    std::unique_ptr<nccl_executor> executor;
    int ranks;
    static constexpr std::size_t threads = 1;  // of the host, for each rank

    [[nodiscard]] bool is_what_it_claims() const { return executor->team().size() == ranks; }
};

const std::vector<nccl_backend>& nccl_backends();

}  // namespace upsweep::test
