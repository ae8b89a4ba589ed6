// Calls of segmented scans on the GPU: long arrays, graphs, scratch, what is refused.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "cuda/captured_graph.hpp"
#include "cuda/device_array.cuh"
#include "support/build.hpp"
#include "support/refused.hpp"
#include "upsweep/cuda/scan.cuh"
#include "upsweep/cuda/segmented_scan.cuh"
#include "upsweep/scan.hpp"
#include "upsweep/segmented_scan.hpp"

namespace upsweep::test {
namespace {

// Elements and keys that change now and then, with what the CPU makes of them.
struct segments_problem {
    explicit segments_problem(std::size_t n)
        : in(random_array<float>(n, 9)), keys(n), x(in.read()), changing(n) {
        for (std::size_t i = 1; i < n; ++i) changing[i] = changing[i - 1] + (i % 1000 == 7 || i % 77'777 < 3);
        keys.assign(changing);
        cpu::executor host;
        sums.resize(n);
        before.resize(n);
        scanned.resize(n);
        inclusive_scan_by_key(host, changing, x, sums);
        exclusive_scan_by_key(host, changing, x, before, plus{}, {.initial = 0.5f, .reverse = true});
        inclusive_scan(host, x, scanned);
    }
    device_array<float> in;
    device_array<std::uint32_t> keys;
    std::vector<float> x, sums, before, scanned;
    std::vector<std::uint32_t> changing;
};

// Scans before and behind leave no trace in each other's scratch; graphs have scratch of their own.
TEST(cuda_segments, between_scans_and_in_graphs) {
    const segments_problem given(repetitions(3'000'003, 300'007));
    const std::size_t n = given.x.size();
    device_array<float> a(n), b(n), c(n);
    for (const cuda::algorithm choice : cuda_algorithms()) {
        SCOPED_TRACE(cuda::name(choice));
        const test_stream stream;
        cuda::executor ex(stream, choice);
        const auto work = [&] {
            inclusive_scan(ex, given.in.view(), c.span());
            inclusive_scan_by_key(ex, given.keys.view(), given.in.view(), a.span());
            exclusive_scan_by_key(ex, given.keys.view(), given.in.view(), b.span(), plus{},
                                  {.initial = 0.5f, .reverse = true});
            inclusive_scan(ex, given.in.view(), c.span());
        };
        const captured_graph captured(stream, work);
        for (int k = 0; k < 4; ++k) {
            for (device_array<float>* const out : {&a, &b, &c}) out->poison();
            if (k % 2 == 0)
                captured.launch(stream);
            else
                work();
            stream.wait();
            EXPECT_EQ(a.read(), given.sums);
            EXPECT_EQ(b.read(), given.before);
            EXPECT_EQ(c.read(), given.scanned);
        }
        EXPECT_EQ(ex.latest(), choice);
    }
}

TEST(cuda_segments, through_the_callers_workspace) {
    const segments_problem given(repetitions(300'007, 70'007));
    const std::size_t n = given.x.size(), bytes = cuda::segmented_scan_workspace_bytes<float>(n);
    EXPECT_LE(cuda::segmented_scan_workspace_bytes<float>(n / 2), bytes);
    device_array<float> out(n);
    for (const cuda::algorithm choice : cuda_algorithms()) {
        SCOPED_TRACE(cuda::name(choice));
        const device_array<std::byte> scratch(bytes);
        cuda::executor ex(nullptr, scratch.span(), choice);
        for (int k = 0; k < 2; ++k) {
            out.poison();
            inclusive_scan_by_key(ex, given.keys.view(), given.in.view(), out.span());
            EXPECT_EQ(out.read(), given.sums);
        }
        cuda::executor small(nullptr, scratch.span().subspan(0, 64), choice);
        expect_refused(
            "workspace: expected at least",
            [&] { inclusive_scan_by_key(small, given.keys.view(), given.in.view(), out.span()); },
            errc::out_of_memory);
    }
}

struct place {  // 12 bytes, not a power of two
    std::int32_t x, y, z;
    UPSWEEP_HOST_DEVICE friend bool operator==(const place& a, const place& b) {
        return a.x == b.x && a.y == b.y && a.z == b.z;
    }
};
struct name_of_20 {  // larger than a run that is loaded whole, and without a default constructor
    explicit name_of_20(int k) : number(k) {}
    std::int32_t number;
    char text[16]{};
    UPSWEEP_HOST_DEVICE friend bool operator==(const name_of_20& a, const name_of_20& b) {
        return a.number == b.number;
    }
};
template <class Key>
Key key_of(int k) {
    if constexpr (std::is_same_v<Key, place>)
        return {0, k, 7};
    else
        return Key(k);
}

// Keys, and flags, as wide as elements, narrower and wider, aligned like them and not.
template <class Key, class T>
void check_keys(const std::string& what) {
    SCOPED_TRACE(what);
    cpu::executor host;
    for (const std::size_t n : {1u, 5u, 4096u, 70'001u}) {
        std::vector<Key> keys;
        for (std::size_t i = 0; i < n; ++i) keys.push_back(key_of<Key>(int(i / 3 % 5 + i / 1000) % 100));
        std::vector<T> x(n);
        for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(i * 7 % 13);
        for (const std::size_t shift : {0u, 1u, 3u}) {
            std::vector<Key> moved(shift, keys[0]);
            moved.insert(moved.end(), keys.begin(), keys.end());
            const device_array<Key> there(moved);
            const auto view = there.view().subspan(shift, n);
            const device_array<T> in(x);
            device_array<T> out(n);
            for (const bool reverse : {false, true}) {
                const batch_options<T> options{std::nullopt, reverse};
                std::vector<T> by_key(n), by_flag(n);
                inclusive_segmented_scan(host, by_keys(keys), x, by_key, plus{}, options);
                for (const cuda::algorithm choice : cuda_algorithms()) {
                    SCOPED_TRACE(std::string(cuda::name(choice)) + ", n = " + std::to_string(n) + ", from " +
                                 std::to_string(shift) + (reverse ? ", reverse" : ""));
                    cuda::executor ex(nullptr, choice);
                    out.poison();
                    inclusive_segmented_scan(ex, cuda::by_keys(view), in.view(), out.span(), plus{}, options);
                    EXPECT_EQ(out.read(), by_key);
                    if constexpr (std::is_arithmetic_v<Key>) {
                        inclusive_segmented_scan(host, by_head_flags(keys), x, by_flag, plus{}, options);
                        out.poison();
                        inclusive_segmented_scan(ex, cuda::by_head_flags(view), in.view(), out.span(), plus{},
                                                 options);
                        EXPECT_EQ(out.read(), by_flag);
                    }
                }
            }
        }
    }
}

TEST(cuda_segments, keys_and_flags_of_every_size_and_alignment) {
    check_keys<std::uint8_t, float>("bytes");
    check_keys<std::int16_t, std::uint8_t>("16 bits, of bytes");
    check_keys<std::uint64_t, float>("64 bits");
    check_keys<place, double>("structs");
    check_keys<name_of_20, std::int32_t>("larger structs");
}

// Offsets that no precondition allows stay without effect outside the array.
TEST(cuda_segments, offsets_out_of_range) {
    const device_array<std::int64_t> offsets(std::vector<std::int64_t>{-5, 0, 4, 1'000'000, 6});
    const device_array<int> x(std::vector<int>(6, 1));
    device_array<int> out(6);
    cuda::executor ex;
    inclusive_segmented_scan(ex, cuda::by_offsets(offsets.view()), x.view(), out.span());
    EXPECT_EQ(out.read(), (std::vector<int>{1, 2, 3, 4, 1, 2}));
}

struct first_of_keys {  // without an identity
    UPSWEEP_HOST_DEVICE float operator()(float a, float) const { return a; }
};

TEST(cuda_segments, refuses) {
    cuda::executor ex;
    const device_array<float> x(std::vector<float>(100, 1.0f));
    device_array<float> y(std::vector<float>(100, 7.0f));
    const device_array<std::uint8_t> flags(100);
    const device_array<int> keys(100);
    const auto refused = [&](const std::string& beginning, const std::function<void()>& call) {
        expect_refused(beginning, call);
        EXPECT_EQ(y.read(), std::vector<float>(100, 7.0f));
    };
    const auto few = x.view().subspan(0, 99);
    refused("segments: expected 99 head flags", [&] {
        inclusive_segmented_scan(ex, cuda::by_head_flags(flags.view()), few, y.span().subspan(0, 99));
    });
    refused("segments: expected 99 keys",
            [&] { inclusive_scan_by_key(ex, keys.view(), few, y.span().subspan(0, 99)); });
    refused("segments: expected at least one offset", [&] {
        inclusive_segmented_scan(ex, cuda::by_offsets(keys.view().subspan(0, 0)), x.view(), y.span());
    });
    refused("out: expected 99 elements", [&] { inclusive_scan_by_key(ex, keys.view(), few, y.span()); });
    refused("out: overlaps segments", [&] { exclusive_scan_by_key(ex, y.view(), x.view(), y.span()); });
    refused("out: overlaps in", [&] {
        inclusive_scan_by_key(ex, keys.view().subspan(0, 50), y.span().subspan(0, 50),
                              y.span().subspan(1, 50));
    });
    refused("options.initial: an exclusive scan needs",
            [&] { exclusive_scan_by_key(ex, keys.view(), x.view(), y.span(), first_of_keys{}); });
    std::vector<int> host(100);
    refused("segments: expected device memory",
            [&] { inclusive_scan_by_key(ex, cuda::device_span<int>(host.data(), 100), x.view(), y.span()); });
    const cuda::device_span<int> shifted(reinterpret_cast<int*>(reinterpret_cast<char*>(keys.data()) + 1),
                                         10);
    refused("segments: the pointer is not aligned",
            [&] { inclusive_scan_by_key(ex, shifted, x.view().subspan(0, 10), y.span().subspan(0, 10)); });
    const cuda::device_span<float> none;
    inclusive_scan_by_key(ex, cuda::device_span<int>(), none, none);
}

}  // namespace
}  // namespace upsweep::test
