// Compaction and partition on the GPU, where they are not the CPU's: in place over long arrays, in graphs,
// through the caller's workspace, and misuse.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cuda/captured_graph.hpp"
#include "cuda/device_array.cuh"
#include "cuda/holder.cuh"
#include "support/build.hpp"
#include "support/refused.hpp"
#include "upsweep/compact.hpp"
#include "upsweep/cuda/compact.cuh"
#include "upsweep/cuda/partition.cuh"
#include "upsweep/partition.hpp"

namespace upsweep::test {
namespace {

// Elements of an array, and what compaction and partition by `keep` make of them on the CPU.
struct choice_problem {
    explicit choice_problem(std::size_t n)
        : in(random_array<float>(n, 5)), x(in.read()), compacted(n), partitioned(n) {
        cpu::executor ex;
        compacted.resize(compact_if(ex, x, compacted, keep));
        partition_if(ex, x, partitioned, keep);
    }
    compared_with<float> keep = less_than(0.3f);
    device_array<float> in;
    std::vector<float> x, compacted, partitioned;
};

// Every block overwrites what others have read just before.
TEST(cuda_choosing, in_place_again_and_again) {
    const choice_problem given(repetitions(20'000'003, 70'003));
    ASSERT_GT(given.compacted.size(), given.x.size() / 10);
    ASSERT_LT(given.compacted.size(), given.x.size() / 10 * 9);
    const device_array<float> expected(given.compacted);
    device_array<float> out(given.x.size());
    device_array<std::uint64_t> count(1);
    for (const cuda::algorithm choice : cuda_algorithms()) {
        if (choice == cuda::algorithm::reduce_then_scan) continue;
        SCOPED_TRACE(cuda::name(choice));
        cuda::executor ex(nullptr, choice);
        for (std::size_t k = 0; k < repetitions(30, 2); ++k) {
            expect_success(cudaMemcpy(out.data(), given.in.data(), given.x.size() * sizeof(float),
                                      cudaMemcpyDeviceToDevice),
                           "copying");
            compact_if(ex, out.view(), out.span(), given.keep, count.data());
            ASSERT_EQ(count.read()[0], given.compacted.size());
            ASSERT_EQ(differences(expected, out), 0u);
        }
    }
}

// Bytes are read by words that are others' too where runs are not aligned, and packed in their place.
TEST(cuda_choosing, bytes_wherever_they_begin) {
    const std::size_t n = repetitions(200'003, 70'003), most_shift = 17;
    const device_array<std::uint8_t> in = random_array<std::uint8_t>(n + most_shift, 5);
    const std::vector<std::uint8_t> all = in.read();
    std::vector<std::uint8_t> all_flags = random_array<std::uint8_t>(n + most_shift, 6).read();
    for (std::uint8_t& flag : all_flags) flag &= 2;
    const device_array<std::uint8_t> flags(all_flags);
    device_array<std::uint8_t> out(n + most_shift);
    out.poison();
    device_array<std::uint64_t> count(1);
    cpu::executor cpu;
    std::vector<std::uint8_t> expected(n);
    const auto same = [&](std::size_t at, std::size_t size) {
        const std::vector<std::uint8_t> got = out.read();
        return std::equal(expected.begin(), expected.begin() + std::ptrdiff_t(size),
                          got.begin() + std::ptrdiff_t(at));
    };
    for (const cuda::algorithm choice : cuda_algorithms()) {
        SCOPED_TRACE(cuda::name(choice));
        cuda::executor ex(nullptr, choice);
        for (std::size_t shift = 0; shift <= most_shift; ++shift) {
            const std::size_t to = shift * 5 % (most_shift + 1), flags_at = shift * 7 % (most_shift + 1);
            const std::span<const std::uint8_t> x(all.data() + shift, n);
            const auto from = in.view().subspan(shift, n);
            const auto target = out.span().subspan(to, n);
            for (const int limit : {0, 1, 60, 128, 250, 255}) {
                const auto keep = less_than(std::uint8_t(limit));
                const std::size_t kept = compact_if(cpu, x, expected, keep);
                compact_if(ex, from, target, keep, count.data());
                ASSERT_TRUE(count.read()[0] == kept && same(to, kept)) << shift << " below " << limit;
                partition_if(cpu, x, expected, keep);
                partition_if(ex, from, target, keep, count.data());
                ASSERT_TRUE(count.read()[0] == kept && same(to, n)) << shift << " below " << limit;
                if (choice == cuda::algorithm::reduce_then_scan) continue;
                compact_if(cpu, x, expected, keep);
                expect_success(cudaMemcpy(target.data(), from.data(), n, cudaMemcpyDeviceToDevice),
                               "copying");
                compact_if(ex, cuda::device_span<const std::uint8_t>(target), target, keep, count.data());
                ASSERT_TRUE(count.read()[0] == kept && same(to, kept))
                    << shift << " in place below " << limit;
            }
            const std::span<const std::uint8_t> chosen(all_flags.data() + flags_at, n);
            const std::size_t kept = compact(cpu, chosen, x, expected);
            compact(ex, flags.view().subspan(flags_at, n), from, target, count.data());
            ASSERT_TRUE(count.read()[0] == kept && same(to, kept)) << shift << " by flags";
        }
    }
}

// Blocks of a partition that all run at once find out together how many are chosen.
TEST(cuda_choosing, a_partition_is_one_launch_where_the_device_holds_all_of_it) {
    const std::size_t held = 30'007, more = 20'000'003;
    const device_array<float> in(more);
    device_array<float> out(more);
    device_array<std::uint64_t> count(1);
    const test_stream stream;
    for (const cuda::algorithm choice : cuda_algorithms()) {
        SCOPED_TRACE(cuda::name(choice));
        cuda::executor ex(stream, choice);
        const auto kernels = [&](std::size_t n) {
            return captured_graph(stream,
                                  [&] {
                                      partition_if(ex, in.view().subspan(0, n), out.span().subspan(0, n),
                                                   less_than(0.3f), count.data());
                                  })
                .kernels();
        };
        const bool at_once = choice != cuda::algorithm::reduce_then_scan;
        const std::size_t behind_count = at_once ? 1 : 4;
        EXPECT_EQ(kernels(held), at_once ? 1 : 1 + behind_count);
        EXPECT_EQ(kernels(more), 1 + behind_count);
        ex.set_counts_first(true);
        EXPECT_EQ(kernels(held), 1 + behind_count);
    }
}

// Blocks that wait for others which cannot begin do their part.
TEST(cuda_choosing, partitions_on_the_one_multiprocessor_that_is_free) {
    if (under_compute_sanitizer()) GTEST_SKIP() << "compute-sanitizer runs one kernel after another";
    const int multiprocessors = cuda::executor().multiprocessors();
    const choice_problem given(std::size_t(multiprocessors) * 4096 - 5);
    const device_array<float> parted(given.partitioned);
    device_array<float> out(given.x.size());
    device_array<std::uint64_t> count(1);
    for (const cuda::algorithm choice : cuda_algorithms()) {
        SCOPED_TRACE(cuda::name(choice));
        const test_stream stream;
        cuda::executor ex(stream, choice);
        partition_if(ex, given.in.view(), out.span(), given.keep, count.data());  // loads the kernels
        ex.wait();
        out.poison();
        count.poison();
        {
            const holder others(multiprocessors - 1);
            partition_if(ex, given.in.view(), out.span(), given.keep, count.data());
            ex.wait();
            EXPECT_FALSE(others.gave_up()) << "blocks waited for multiprocessors that they do not have";
        }
        EXPECT_EQ(count.read()[0], given.compacted.size());
        EXPECT_EQ(differences(out, parted), 0u);
    }
}

// Elements of more than 16 bytes, of which lanes move parts, or which become others.
template <int Words>
struct wide {
    float word[Words];
    wide() = default;
    __host__ __device__ explicit wide(float x) {
        for (int k = 0; k < Words; ++k) word[k] = x + float(k);
    }
    template <int Others>
    __host__ __device__ explicit wide(const wide<Others>& other) : wide(other.word[0]) {}
    __host__ __device__ explicit operator float() const { return word[Words - 1]; }
    bool operator==(const wide&) const = default;
};
struct below_a_third {
    __host__ __device__ bool operator()(float x) const { return x < 0.3f; }
    template <int Words>
    __host__ __device__ bool operator()(const wide<Words>& x) const {
        return x.word[0] < 0.3f;
    }
};
template <class In, class Out>
void expect_converted_when_chosen(const device_array<float>& numbers) {
    const std::vector<float> x = numbers.read();
    std::vector<In> in;
    for (const float each : x) in.push_back(In(each));
    std::vector<Out> expected, others;
    for (const In& each : in) (below_a_third()(each) ? expected : others).push_back(Out(each));
    const std::size_t chosen = expected.size();
    expected.insert(expected.end(), others.begin(), others.end());
    const device_array<In> given(in);
    device_array<Out> out(x.size());
    device_array<std::uint64_t> count(1);
    for (const cuda::algorithm choice : cuda_algorithms()) {
        SCOPED_TRACE(std::string(cuda::name(choice)) + ", " + std::to_string(sizeof(In)) + " bytes to " +
                     std::to_string(sizeof(Out)));
        cuda::executor ex(nullptr, choice);
        out.poison();
        partition_if(ex, given.view(), out.span(), below_a_third{}, count.data());
        EXPECT_EQ(count.read()[0], chosen);
        EXPECT_EQ(out.read(), expected);
        out.poison();
        const std::size_t room = chosen - chosen / 3;
        compact_if(ex, given.view(), out.span().subspan(0, room), below_a_third{}, count.data());
        EXPECT_EQ(count.read()[0], chosen);
        EXPECT_EQ(out.read(0, room),
                  std::vector<Out>(expected.begin(), expected.begin() + std::ptrdiff_t(room)));
    }
}
TEST(cuda_choosing, elements_of_more_than_sixteen_bytes) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{1021}, repetitions(200'003, 5003)}) {
        const device_array<float> numbers = random_array<float>(n, 5);
        expect_converted_when_chosen<wide<5>, wide<5>>(numbers);
        expect_converted_when_chosen<wide<16>, wide<16>>(numbers);
        expect_converted_when_chosen<wide<6>, wide<10>>(numbers);
        expect_converted_when_chosen<wide<8>, float>(numbers);
        expect_converted_when_chosen<float, wide<7>>(numbers);
    }
}

TEST(cuda_choosing, in_graphs) {
    const choice_problem given(repetitions(3'000'003, 70'003));
    const device_array<float> kept(given.compacted), parted(given.partitioned);
    device_array<float> a(given.x.size()), b(given.x.size());
    device_array<std::uint64_t> counts(2);
    for (const cuda::algorithm choice : cuda_algorithms()) {
        SCOPED_TRACE(cuda::name(choice));
        const test_stream stream;
        cuda::executor ex(stream, choice);
        const captured_graph captured(stream, [&] {
            compact_if(ex, given.in.view(), a.span(), given.keep, counts.data());
            partition_if(ex, given.in.view(), b.span(), given.keep, counts.data() + 1);
        });
        for (int k = 0; k < 3; ++k) {
            a.poison();
            b.poison();
            counts.poison();
            captured.launch(stream);
            stream.wait();
            EXPECT_EQ(counts.read(), std::vector<std::uint64_t>(2, given.compacted.size()));
            EXPECT_EQ(differences(kept, a), 0u);
            EXPECT_EQ(differences(b, parted), 0u);
        }
    }
}

TEST(cuda_choosing, through_the_callers_workspace) {
    const choice_problem given(repetitions(300'007, 70'007));
    const device_array<float> kept(given.compacted), parted(given.partitioned);
    device_array<float> out(given.x.size());
    device_array<std::uint64_t> count(1);
    const std::size_t bytes = cuda::compact_workspace_bytes<float, float>(given.x.size());
    EXPECT_LE((cuda::compact_workspace_bytes<float, float>(given.x.size() / 2)), bytes);
    for (const cuda::algorithm choice : cuda_algorithms()) {
        SCOPED_TRACE(cuda::name(choice));
        const device_array<std::byte> scratch(bytes);
        cuda::executor ex(nullptr, scratch.span(), choice);
        for (int k = 0; k < 3; ++k) {
            out.poison();
            compact_if(ex, given.in.view(), out.span(), given.keep, count.data());
            EXPECT_EQ(count.read()[0], given.compacted.size());
            EXPECT_EQ(differences(kept, out), 0u);
            partition_if(ex, given.in.view(), out.span(), given.keep, count.data());
            EXPECT_EQ(count.read()[0], given.compacted.size());
            EXPECT_EQ(differences(out, parted), 0u);
        }
    }
}

// A predicate that changes its mind gets any order, but nothing is written outside `out`.
struct changing_predicate {
    unsigned* asked;
    unsigned from;
    __device__ bool operator()(float) const { return (atomicAdd(asked, 1u) >= from) != (from % 2 == 0); }
};
TEST(cuda_choosing, a_predicate_that_changes_its_mind) {
    const std::size_t n = repetitions(300'007, 20'007), around = 1024;
    const device_array<float> in = random_array<float>(n, 5);
    device_array<float> out(n + 2 * around);
    const std::vector<float> sentinels(out.size(), 7.0f);
    device_array<std::uint64_t> count(1);
    device_array<unsigned> asked(1);
    for (const cuda::algorithm choice : cuda_algorithms()) {
        SCOPED_TRACE(cuda::name(choice));
        for (const unsigned from : {unsigned(n / 2), unsigned(n), unsigned(n) + 1}) {
            out.assign(sentinels);
            asked.assign({0});
            cuda::executor ex(nullptr, choice);
            partition_if(ex, in.view(), out.span().subspan(around, n), changing_predicate{asked.data(), from},
                         count.data());
            const std::vector<float> got = out.read();
            for (std::size_t i = 0; i < around; ++i) {
                ASSERT_EQ(got[i], 7.0f);
                ASSERT_EQ(got[around + n + i], 7.0f);
            }
        }
    }
}

class cuda_choosing_errors : public ::testing::Test {
  protected:
    void refused(const std::string& beginning, const std::function<void()>& call,
                 errc code = errc::invalid_argument) {
        expect_refused(beginning, call, code);
        EXPECT_EQ(y.read(), std::vector<float>(1000, 7.0f));
    }

    cuda::executor ex;
    device_array<float> x{std::vector<float>(1000, 1.0f)};
    device_array<float> y{std::vector<float>(1000, 7.0f)};
    device_array<std::uint8_t> flags{std::vector<std::uint8_t>(1000, 1)};
    device_array<std::uint64_t> number{std::vector<std::uint64_t>(4, 3)};
    std::uint64_t* count = number.data();
    cuda::device_span<float> all = y.span();
    compared_with<float> keep = less_than(5.0f);
};

TEST_F(cuda_choosing_errors, sizes) {
    refused("flags: expected 999", [&] { compact(ex, flags.view(), x.view().subspan(0, 999), all, count); });
    refused("flags: expected 999",
            [&] { partition(ex, flags.view(), x.view().subspan(0, 999), all, count); });
    refused("out: expected 999", [&] { partition_if(ex, x.view().subspan(0, 999), all, keep, count); });
    refused("out: expected 1000", [&] { partition_indices(ex, flags.view(), number.span(), count); });
    const cuda::device_span<std::int8_t> narrow(reinterpret_cast<std::int8_t*>(y.data()), 1000);
    refused("out: index 999 does not fit", [&] { compact_indices(ex, flags.view(), narrow, count); });
}

TEST_F(cuda_choosing_errors, overlaps) {
    refused("out: overlaps in",
            [&] { compact_if(ex, all.subspan(0, 500), all.subspan(1, 500), keep, count); });
    refused("out: overlaps in",
            [&] { compact_if(ex, all.subspan(1, 500), all.subspan(0, 500), keep, count); });
    refused("out: overlaps in", [&] { partition_if(ex, all, all, keep, count); });
    const cuda::device_span<std::int32_t> integers(reinterpret_cast<std::int32_t*>(y.data()), 1000);
    refused("out: overlaps flags", [&] { compact_indices(ex, integers, integers.subspan(0, 3), count); });
    refused("out: overlaps flags", [&] { compact(ex, all, x.view(), all, count); });
    refused("out: overlaps in", [&] { compact_if(ex, all, integers, keep, count); });
    auto* const inside = reinterpret_cast<std::uint64_t*>(y.data());
    refused("out: overlaps count", [&] { compact_if(ex, x.view(), all, keep, inside); });
    refused("count: overlaps in", [&] { compact_if(ex, all, x.span(), keep, inside); });
    refused("out: overlaps options.length", [&] { compact_if(ex, x.view(), all, keep, count, {inside}); });
    refused("count: overlaps options.length", [&] { compact_if(ex, x.view(), all, keep, count, {count}); });
}

TEST_F(cuda_choosing_errors, pointers) {
    std::vector<float> host(1000, 1.0f);
    std::uint64_t on_host = 0;
    const cuda::device_span<float> wrong(host.data(), 1000);
    refused("in: expected device memory", [&] { compact_if(ex, wrong, all, keep, count); });
    refused("out: expected device memory", [&] { compact_if(ex, x.view(), wrong, keep, count); });
    refused("count: expected device memory", [&] { compact_if(ex, x.view(), all, keep, &on_host); });
    refused("count: expected device memory", [&] { compact_if(ex, x.view(), all, keep, nullptr); });
    refused("options.length: expected device memory",
            [&] { compact_if(ex, x.view(), all, keep, count, {&on_host}); });
    const cuda::device_span<float> shifted(reinterpret_cast<float*>(reinterpret_cast<char*>(y.data()) + 1),
                                           100);
    refused("in: the pointer is not aligned", [&] { compact_if(ex, shifted, x.span(), keep, count); });
    refused("out: the pointer is not aligned", [&] { compact_if(ex, x.view(), shifted, keep, count); });
    auto* const odd = reinterpret_cast<std::uint64_t*>(reinterpret_cast<char*>(number.data()) + 4);
    refused("count: the pointer is not aligned", [&] { compact_if(ex, x.view(), all, keep, odd); });
}

TEST_F(cuda_choosing_errors, in_place_where_elements_are_read_twice) {
    cuda::executor twice(nullptr, cuda::algorithm::reduce_then_scan);
    refused(
        "out: is in", [&] { compact_if(twice, all, all, keep, count); }, errc::unsupported);
}

TEST_F(cuda_choosing_errors, workspace_that_is_too_small) {
    const device_array<std::byte> scratch(256);
    cuda::executor small(nullptr, scratch.span());
    refused(
        "workspace: expected at least", [&] { compact_if(small, x.view(), all, keep, count); },
        errc::out_of_memory);
}

}  // namespace
}  // namespace upsweep::test
