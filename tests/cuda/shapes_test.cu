// Sizes around everything that the GPU's engine is divided into, and every misalignment.
//
// Tiles and units (what a block takes at once) hold 4096 and 8192 elements, and four times as many where four
// times as many narrow elements fit into a lane's 16 bytes and their operator takes any grouping.
#include "cuda/backend.cuh"

#include <cstdint>
#include <vector>

#include "support/build.hpp"
#include "support/sweep.hpp"

namespace upsweep::test {
namespace {

std::vector<std::size_t> boundary_sizes() {
    std::vector<std::size_t> sizes;
    for (const std::size_t boundary : {4096u, 8192u, 12288u, 16384u, 24576u, 32768u, 65536u, 131072u, 139264u,
                                       262144u, 393216u, 397312u, 528384u, 1048576u, 4194304u, 4325376u}) {
        for (const int d : {-17, -5, -4, -1, 0, 1, 3, 4, 15, 16, 129})
            sizes.push_back(static_cast<std::size_t>(static_cast<long>(boundary) + d));
    }
    return sizes;
}

template <class T, class Op>
scan_check<T, T, T> checker(std::size_t longest, T initial) {
    return {operation<T, T, T>::of(Op()), span_of(sequence<T, Op>(longest, 91)), initial};
}

template <class T, class Op>
void check_boundaries(T initial) {
    const std::vector<std::size_t> sizes = boundary_sizes();
    auto checked = checker<T, Op>(sizes.back(), initial);
    unsigned salt = 0;
    for_each_backend([&](const auto& backend) {
        for (std::size_t round = 0; round < repetitions(2, 1); ++round)
            checked.some_mode(*backend.executor, sizes, salt++);
    });
}
TEST(cuda_shapes, sizes_around_tiles_units_and_supers) {
    check_boundaries<float, plus>(0.3f);
    check_boundaries<std::uint8_t, plus>(std::uint8_t{201});
}

// Where the arrays begin, in bytes past a 64-byte boundary, in every pair; forwards and backwards.
template <class T, class Op>
void check_misalignment(T initial) {
    constexpr std::size_t longest = 70003;
    auto checked = checker<T, Op>(longest, initial);
    constexpr std::size_t places = 16 / sizeof(T);
    for_each_backend([&](const auto& backend) {
        for (const std::size_t n :
             {std::size_t{1}, std::size_t{37}, std::size_t{4099}, std::size_t{33001}, longest}) {
            for (std::size_t in = 0; in < places; ++in) {
                for (std::size_t out = 0; out < places; ++out) {
                    const auto bits = static_cast<unsigned>(in * 7 + out * 3 + n);
                    scan_mode mode = checked.make_mode(bits % 8);
                    mode.in_place = in == out;
                    if (!checked.run(*backend.executor, n, mode, in, out)) return;
                }
            }
        }
    });
}
TEST(cuda_shapes, every_misalignment) {
    check_misalignment<float, plus>(0.3f);
    check_misalignment<std::uint8_t, plus>(std::uint8_t{201});
}

// Sizes at which blocks take many units each.
template <class T, class Op>
void check_long(std::size_t n, T initial) {
    auto checked = checker<T, Op>(n, initial);
    unsigned bits = 0;
    for_each_backend([&](const auto& backend) {
        for (int round = 0; round < 4; ++round, bits += 5)
            if (!checked.run(*backend.executor, n, checked.make_mode(bits % 16), bits % 8, (bits + 3) % 8))
                return;
    });
}
TEST(cuda_shapes, twenty_million_elements) {
    const std::size_t n = repetitions(20'000'007, 6'000'007);
    check_long<float, plus>(n, 0.3f);
    check_long<std::uint8_t, plus>(n, std::uint8_t{3});
}

}  // namespace
}  // namespace upsweep::test
