// Repetitions of elements of every kind on the GPU: sizes, alignments, conversions.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cuda/device_array.cuh"
#include "upsweep/cuda/repeat.cuh"

namespace upsweep::test {
namespace {

struct pair_of_floats {  // of 8 bytes, but aligned to 4
    float a, b;
    bool operator==(const pair_of_floats&) const = default;
};
struct four_floats {
    float a, b, c, d;
    bool operator==(const four_floats&) const = default;
};
struct alignas(16) aligned_pieces {
    std::array<double, 6> x;
    bool operator==(const aligned_pieces&) const = default;
};
struct odd_bytes {
    std::array<std::uint8_t, 3> byte;
    bool operator==(const odd_bytes&) const = default;
};

// At every alignment that the type allows, of in and of out; what is around out stays.
template <class T, class Make>
void check_alignments(const Make& make) {
    const std::size_t n = 1'501, around = 40;
    std::vector<T> x(n + around);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = make(i);
    std::vector<std::int32_t> counts(n + around);
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = std::int32_t(i % 5 == 0 ? i % 61 : i % 2);
    const device_array<T> in(x);
    const device_array<std::int32_t> given(counts);
    device_array<std::uint64_t> count(1);
    cuda::executor ex;
    for (std::size_t k = 0; k < 17; ++k) {
        SCOPED_TRACE(std::to_string(sizeof(T)) + " bytes, moved by " + std::to_string(k));
        std::vector<T> expected;
        for (std::size_t i = 0; i < n; ++i)
            expected.insert(expected.end(), std::size_t(counts[k + i]), x[k + i]);
        const std::size_t all = expected.size();
        const auto check = [&](const auto& call, const std::vector<T>& wanted, std::uint64_t results) {
            device_array<T> out(all + 2 * around);
            out.poison();
            const std::vector<T> before = out.read();
            call(out.span().subspan(k, wanted.size()));
            const std::vector<T> after = out.read();
            EXPECT_EQ(count.read()[0], results);
            std::vector<T> whole = before;
            std::copy(wanted.begin(), wanted.end(), whole.begin() + std::ptrdiff_t(k));
            EXPECT_TRUE(after == whole);
        };
        check(
            [&](cuda::device_span<T> out) {
                repeat(ex, in.view().subspan(k, n), given.view().subspan(k, n), out, count.data());
            },
            expected, all);
        std::vector<T> thrice(std::min(all, 3 * n));
        for (std::size_t j = 0; j < thrice.size(); ++j) thrice[j] = x[k + j / 3];
        check([&](cuda::device_span<T> out) { repeat(ex, in.view().subspan(k, n), 3, out, count.data()); },
              thrice, 3 * n);
    }
}
TEST(cuda_repeat, elements_of_every_size_and_alignment) {
    check_alignments<std::uint8_t>([](std::size_t i) { return std::uint8_t(i * 7); });
    check_alignments<std::uint16_t>([](std::size_t i) { return std::uint16_t(i * 77); });
    check_alignments<float>([](std::size_t i) { return float(i); });
    check_alignments<double>([](std::size_t i) { return double(i); });
    check_alignments<pair_of_floats>([](std::size_t i) { return pair_of_floats{float(i), 1}; });
    check_alignments<four_floats>([](std::size_t i) { return four_floats{float(i), 1, 2, float(i + 3)}; });
    check_alignments<aligned_pieces>([](std::size_t i) {
        return aligned_pieces{{double(i), 1, 2, 3, 4, double(i + 5)}};
    });
    check_alignments<odd_bytes>([](std::size_t i) {
        return odd_bytes{{std::uint8_t(i), std::uint8_t(i / 256), 3}};
    });
}

TEST(cuda_repeat, converts) {
    const device_array<std::int32_t> in(std::vector<std::int32_t>{-5, 7, 9});
    const device_array<std::uint8_t> counts(std::vector<std::uint8_t>{2, 0, 3});
    device_array<double> out(5);
    device_array<std::uint64_t> count(1);
    cuda::executor ex;
    repeat(ex, in.view(), counts.view(), out.span(), count.data());
    EXPECT_EQ(out.read(), (std::vector<double>{-5, -5, 9, 9, 9}));
    repeat(ex, in.view(), std::uint8_t{2}, out.span(), count.data());
    EXPECT_EQ(out.read(), (std::vector<double>{-5, -5, 7, 7, 9}));
    EXPECT_EQ(count.read()[0], 6u);
}

}  // namespace
}  // namespace upsweep::test
