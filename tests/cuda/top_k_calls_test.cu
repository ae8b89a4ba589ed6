// Calls of selections on the GPU: every way through the engine, bounds that a sample gets wrong, graphs,
// scratch, what is refused.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "cuda/captured_graph.hpp"
#include "cuda/device_array.cuh"
#include "cuda/sort_refusals.cuh"
#include "cuda/top_k_elements.cuh"
#include "cuda/top_k_plan.hpp"
#include "support/build.hpp"
#include "support/refused.hpp"
#include "support/sorted.hpp"
#include "upsweep/cuda/scan.cuh"
#include "upsweep/cuda/sort.cuh"
#include "upsweep/cuda/top_k.cuh"

namespace upsweep::test {
namespace {

template <class T>
std::vector<T> front(std::vector<T> all, std::size_t k) {
    all.resize(k);
    return all;
}

// Elements, indices and values of each of the rows, by definition. Elements are compared by their bits.
template <class T>
void check_selections(const std::vector<T>& x, std::size_t rows, std::size_t k, bool smallest) {
    const std::size_t length = x.size() / rows;
    SCOPED_TRACE(std::to_string(k) + " of each of " + std::to_string(rows) + " rows of " +
                 std::to_string(length));
    cuda::executor ex;
    const device_array<T> in(x);
    device_array<T> out(rows * k), sorted(length);
    device_array<std::uint32_t> indices(rows * k), order(length);
    out.poison();
    indices.poison();
    const cuda::top_k_options options{smallest};
    top_k_rows(ex, rows, in.view(), out.span(), options);
    top_k_row_indices(ex, rows, in.view(), indices.span(), options);
    const std::vector<T> found = out.read();
    const std::vector<std::uint32_t> places = indices.read();
    for (std::size_t row = 0; row < rows; ++row) {
        const auto own = in.view().subspan(row * length, length);
        sort(ex, own, sorted.span(), {.descending = !smallest});
        sort_indices(ex, own, order.span(), {.descending = !smallest});
        const std::vector<T> expected = sorted.read(0, k);
        const std::vector<std::uint32_t> expected_places = order.read(0, k);
        EXPECT_EQ(std::memcmp(expected.data(), found.data() + row * k, k * sizeof(T)), 0) << row;
        EXPECT_TRUE(std::equal(expected_places.begin(), expected_places.end(), places.begin() + row * k))
            << row;
    }
}
template <class T>
void check_kinds(std::size_t n, const std::vector<std::size_t>& counts) {
    for (const std::string_view kind : key_kinds) {
        SCOPED_TRACE(kind);
        const std::vector<T> x = keys_of<T>(kind, n, n);
        for (const std::size_t k : counts) check_selections(x, 1, k, (n + k) % 2 != 0);
    }
}
// From one block to all, with and without a sample, sorts of what was selected and of everything.
TEST(cuda_top_k, lengths) {
    const auto around = [](std::uint64_t n) { return std::vector<std::size_t>{n - 1, n, n + 1}; };
    for (const std::size_t n : around(cuda::detail::block_sequence)) {
        if (under_compute_sanitizer() && n != cuda::detail::block_sequence + 1) continue;
        check_kinds<float>(n, {1, 300, n / 4, n / 4 + 1});
        if (under_compute_sanitizer()) return;
        check_kinds<std::int64_t>(n, {1, 300, n / 4, n / 4 + 1});
    }
    for (const std::size_t n : around(cuda::detail::sampled_sequence)) check_kinds<float16>(n, {7, 3'000});
    check_kinds<float>(2'100'007, {1, 513, 2'048, 2'049, 100'000, 500'000, 600'000});
    check_kinds<double>(1'300'003, {1, 513, 1'024, 1'025, 100'000});
    check_kinds<std::uint8_t>(1'300'003, {5, 200'000});
}

// A bound that has fewer elements than it should, and one that has far more, than there is room for: what the
// sample takes is less, or greater, than all else.
TEST(cuda_top_k, bounds_that_the_sample_gets_wrong) {
    const std::size_t n = std::size_t{1} << 21;
    for (const bool few : {false, true}) {
        SCOPED_TRACE(few ? "few" : "many");
        std::vector<std::uint32_t> x = keys_of<std::uint32_t>("any bits", n, 3);
        for (std::uint32_t& key : x) key = key / 4 + 0x40000000;
        for (unsigned i = 0; i < cuda::detail::sampled_records; ++i)
            x[cuda::detail::sampled_index(i, n, cuda::detail::sampled_records)] = few ? 0xf0000000u + i : i;
        for (const std::size_t k : {std::size_t{10}, std::size_t{1'500}, std::size_t{20'000}, n / 5})
            check_selections(x, 1, k, !few);
        for (const std::size_t k : {std::size_t{10}, std::size_t{1'500}, std::size_t{20'000}, n / 5})
            check_selections(x, 1, k, few);
        if (under_compute_sanitizer()) return;
    }
    // Of rows, likewise.
    const std::size_t length = 50'000, rows = 150;
    std::vector<float> y(rows * length);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<float>(i * 2654435761u % 1'000'003);
    for (std::size_t row = 0; row < rows; ++row)
        for (unsigned i = 0; i < 2'048; ++i)
            y[row * length + cuda::detail::sampled_index(i, length, 2'048)] = row % 2 == 0 ? -5.0f : 2e6f;
    check_selections(y, rows, 77, false);
    check_selections(y, rows, 77, true);
}

// Rows by lanes, warps, blocks, all blocks together, and sorted.
TEST(cuda_top_k, rows) {
    const auto check = [](auto key, std::size_t rows, std::size_t length, std::size_t k) {
        for (const std::string_view kind : {"special", "few values", "ascending", "any bits"}) {
            SCOPED_TRACE(kind);
            check_selections(keys_of<decltype(key)>(kind, rows * length, length), rows, k, k % 2 == 0);
        }
    };
    check(float{}, 40, 1'024, 32);
    check(std::uint8_t{}, 30, 999, 31);
    check(double{}, 40, 257, 20);
    check(float{}, 70, 1'025, 5);
    check(std::int64_t{}, 70, 5'000, 1'000);
    check(std::int16_t{}, 30, 8'193, 40);
    if (under_compute_sanitizer()) return;
    check(float{}, 10, 100'003, 2'048);
    check(float{}, 19, 300'000, 2'047);
    check(float{}, 5, 40'000, 20'000);
    check(double{}, 3, 300'000, 70'000);
    check(double{}, 18, 1'100'000, 30);
    check(std::uint16_t{}, 200, 20'000, 30);
}
// Against a sort of all rows.
TEST(cuda_top_k, many_short_rows) {
    const std::size_t rows = repetitions(40'003, 17'000);
    for (const std::size_t length : {8, 33, 64, 100}) {
        for (const std::size_t k : {1, 3, 8, 9}) {
            if (k > length) continue;
            SCOPED_TRACE(std::to_string(k) + " of " + std::to_string(length));
            const std::vector<float> x = keys_of<float>("special", rows * length, k);
            const device_array<float> in(x);
            device_array<float> out(rows * k);
            device_array<std::int16_t> indices(rows * k);
            cuda::executor ex;
            top_k_rows(ex, rows, in.view(), out.span());
            top_k_row_indices(ex, rows, in.view(), indices.span());
            const std::vector<float> found = out.read();
            const std::vector<std::int16_t> places = indices.read();
            std::size_t wrong = 0;
            for (std::size_t row = 0; row < rows; ++row) {
                const std::vector<float> own(x.begin() + std::ptrdiff_t(row * length),
                                             x.begin() + std::ptrdiff_t((row + 1) * length));
                const std::vector<std::size_t> order = sorted_indices(own, true);
                for (std::size_t i = 0; i < k; ++i)
                    wrong += std::size_t(places[row * k + i]) != order[i] ||
                             std::memcmp(&found[row * k + i], &own[order[i]], sizeof(float)) != 0;
            }
            EXPECT_EQ(wrong, 0u);
            if (under_compute_sanitizer()) return;
        }
    }
}

// Scans before and behind leave no trace in a selection's scratch, nor it in theirs; graphs have scratch of
// their own.
TEST(cuda_top_k, between_scans_and_in_graphs) {
    const std::size_t n = repetitions(2'000'003, 100'007);
    const std::vector<float> x = keys_of<float>("any bits", n, 3);
    const std::vector<std::uint32_t> ones(n, 1);
    std::vector<std::uint32_t> sums(n);
    std::iota(sums.begin(), sums.end(), 1u);
    const device_array<float> in(x);
    const device_array<std::uint32_t> counted(ones);
    device_array<std::uint32_t> few(100), many(30'000), scanned(n);
    const std::vector<std::size_t> order = sorted_indices(x, true);
    const std::vector<std::uint32_t> expected = converted<std::uint32_t>(order);
    const test_stream stream;
    cuda::executor ex(stream);
    const auto work = [&] {
        inclusive_scan(ex, counted.view(), scanned.span());
        top_k_indices(ex, in.view(), few.span());
        top_k_indices(ex, in.view(), many.span());
        inclusive_scan(ex, counted.view(), scanned.span());
    };
    const captured_graph captured(stream, work);
    for (int i = 0; i < 4; ++i) {
        few.poison();
        many.poison();
        scanned.poison();
        if (i % 2 == 0)
            captured.launch(stream);
        else
            work();
        stream.wait();
        EXPECT_EQ(scanned.read(), sums);
        EXPECT_EQ(few.read(), front(expected, few.size()));
        EXPECT_EQ(many.read(), front(expected, many.size()));
    }
}

TEST(cuda_top_k, through_the_callers_workspace) {
    const cuda::executor device;
    const auto bytes = [&](std::uint64_t n, std::uint64_t k) {
        return cuda::top_k_workspace_bytes<double>(device, n, k);
    };
    const auto rows_bytes = [&](std::uint64_t rows, std::uint64_t length, std::uint64_t k) {
        return cuda::top_k_rows_workspace_bytes<float>(device, rows, length, k);
    };
    for (std::uint64_t n = 1; n < std::uint64_t{1} << 36; n = n * 3 + 1) {
        for (std::uint64_t k = 1; k <= n; k = k * 5 + 1) {
            EXPECT_LE(bytes(n, k), bytes(n + n / 7 + 1, k)) << n << ' ' << k;
            EXPECT_LE(bytes(n, k), bytes(n, std::min(n, k + k / 3 + 1))) << n << ' ' << k;
            EXPECT_LE(rows_bytes(5, n, k), rows_bytes(6, n, k)) << n << ' ' << k;
            EXPECT_LE(rows_bytes(5, n, k), rows_bytes(5, n + n / 5 + 1, k)) << n << ' ' << k;
            EXPECT_LE(rows_bytes(5, n, k), rows_bytes(5, n, std::min(n, 2 * k))) << n << ' ' << k;
        }
    }
    for (const std::size_t n : {std::size_t{3'000}, std::size_t{100'003}, std::size_t{1'300'003}}) {
        const std::vector<double> x = keys_of<double>("any bits", n, 5);
        const std::vector<std::size_t> order = sorted_indices(x, false);
        const device_array<double> in(x);
        for (const std::size_t k : {std::size_t{1}, n / 100, n / 5, n / 2}) {
            SCOPED_TRACE(std::to_string(k) + " of " + std::to_string(n));
            const device_array<std::byte> scratch(bytes(n, k));
            cuda::executor ex(nullptr, scratch.span());
            device_array<std::uint32_t> out(k);
            out.poison();
            top_k_indices(ex, in.view(), out.span(), {.smallest = true});
            EXPECT_EQ(out.read(), front(converted<std::uint32_t>(order), k));
        }
        if (under_compute_sanitizer()) return;
    }
    const std::size_t rows = 7, length = 60'000;
    const std::vector<float> y = keys_of<float>("numbers", rows * length, 5);
    const device_array<float> in(y);
    for (const std::size_t k : {std::size_t{3}, std::size_t{2'500}, length}) {
        const device_array<std::byte> scratch(rows_bytes(rows, length, k));
        cuda::executor ex(nullptr, scratch.span());
        device_array<float> out(rows * k);
        top_k_rows(ex, rows, in.view(), out.span());
        for (std::size_t row = 0; row < rows; ++row) {
            std::vector<float> own(y.begin() + std::ptrdiff_t(row * length),
                                   y.begin() + std::ptrdiff_t((row + 1) * length));
            std::sort(own.begin(), own.end(), std::greater<>());
            EXPECT_EQ(out.read(row * k, k), front(own, k));
        }
    }
    const device_array<std::byte> little(100'000);
    cuda::executor small(nullptr, little.span());
    device_array<float> out(50'000);
    expect_refused(
        "workspace: expected at least", [&] { top_k(small, in.view(), out.span()); }, errc::out_of_memory);
}

class cuda_top_k_errors : public sort_refusals {};

TEST_F(cuda_top_k_errors, sizes_and_overlaps) {
    const auto part = [](auto& array, std::size_t from, std::size_t count) {
        return array.span().subspan(from, count);
    };
    const auto half = [&](auto& array, std::size_t from) { return part(array, from, 50); };
    refused("out: expected at most 50 elements, as many as in, but it has 100",
            [&] { top_k(ex, half(x, 0), out.span()); });
    refused("out: expected at most 50 elements", [&] { top_k_indices(ex, half(x, 0), numbers.span()); });
    refused("out: overlaps in; it must be disjoint", [&] { top_k(ex, out.span(), out.span()); });
    refused("out: overlaps in", [&] { top_k(ex, half(out, 0), half(out, 49)); });
    refused("out: overlaps in", [&] { top_k_indices(ex, numbers.view(), part(numbers, 3, 4)); });
    const cuda::device_span<std::int8_t> narrow(reinterpret_cast<std::int8_t*>(out.data()), 5);
    const device_array<float> longer(std::vector<float>(129, 0.5f));
    refused("out: index 128 does not fit", [&] { top_k_indices(ex, longer.view(), narrow); });
    refused("values: expected 100 elements, as many as keys",
            [&] { top_k_by_key(ex, x.view(), half(numbers, 0), half(out, 0), half(numbers, 50)); });
    refused("keys_out: expected at most 50 elements, as many as keys, but it has 100",
            [&] { top_k_by_key(ex, half(x, 0), half(x, 50), out.span(), half(out, 0)); });
    refused("values_out: expected 9 elements, as many as keys_out, but it has 50",
            [&] { top_k_by_key(ex, half(x, 0), half(x, 50), part(out, 0, 9), half(out, 50)); });
    refused("keys_out: overlaps keys",
            [&] { top_k_by_key(ex, half(out, 0), half(x, 0), part(out, 49, 5), part(out, 60, 5)); });
    refused("keys_out: overlaps values",
            [&] { top_k_by_key(ex, half(x, 0), half(out, 0), part(out, 49, 5), part(out, 60, 5)); });
    refused("values_out: overlaps keys",
            [&] { top_k_by_key(ex, half(out, 0), half(x, 0), part(out, 60, 5), part(out, 0, 5)); });
    refused("values_out: overlaps values",
            [&] { top_k_by_key(ex, half(x, 0), half(out, 0), part(out, 60, 5), part(out, 0, 5)); });
    refused("values_out: overlaps keys_out",
            [&] { top_k_by_key(ex, half(x, 0), half(x, 50), part(out, 0, 5), part(out, 4, 5)); });
}
TEST_F(cuda_top_k_errors, rows) {
    const cuda::device_span<float> none;
    refused("in: expected 3 rows of equal lengths, but it has 100 elements",
            [&] { top_k_rows(ex, 3, x.view(), out.span().subspan(0, 3)); });
    refused("out: expected 4 rows of equal lengths, but it has 3 elements",
            [&] { top_k_rows(ex, 4, x.view(), out.span().subspan(0, 3)); });
    refused("in: expected 0 rows", [&] { top_k_rows(ex, 0, x.view(), none); });
    refused("out: expected 0 rows", [&] { top_k_rows(ex, 0, none, out.span()); });
    refused("out: expected rows of at most 10 elements, as many as those of in, but they have 20",
            [&] { top_k_rows(ex, 5, x.view().subspan(0, 50), out.span()); });
    refused("out: overlaps in", [&] { top_k_row_indices(ex, 4, numbers.view(), numbers.span()); });
    top_k_rows(ex, 0, none, none);
    top_k_rows(ex, 7, none, none);
    top_k_rows(ex, 10, x.view(), none);
    top_k(ex, x.view(), none);
}
TEST_F(cuda_top_k_errors, pointers) {
    std::vector<float> host(100, 0.5f);
    const cuda::device_span<float> wrong(host.data(), 100);
    refused("in: expected device memory", [&] { top_k(ex, wrong, out.span()); });
    refused("out: expected device memory", [&] { top_k(ex, x.view(), wrong); });
    refused("values: expected device memory",
            [&] { top_k_by_key(ex, x.view(), wrong, out.span().subspan(0, 5), out.span().subspan(5, 5)); });
    const cuda::device_span<float> shifted(reinterpret_cast<float*>(reinterpret_cast<char*>(x.data()) + 1),
                                           50);
    refused("in: the pointer is not aligned", [&] { top_k(ex, shifted, out.span().subspan(0, 50)); });
}

}  // namespace
}  // namespace upsweep::test
