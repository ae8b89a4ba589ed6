// Scans along the axes of an image: a summed-area table, from which four look-ups give the sum over any
// rectangle.
#include <cstdint>
#include <cstdio>
#include <upsweep/upsweep.hpp>
#include <vector>

int main() {
    constexpr std::int64_t height = 61;
    constexpr std::int64_t width = 97;
    std::vector<std::uint8_t> pixels(height * width);
    for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i * i % 251);

    upsweep::cpu::executor executor;
    std::vector<std::int64_t> sums(pixels.size());
    const upsweep::strided_view<const std::uint8_t> image(pixels.data(), {height, width});
    const upsweep::strided_view<std::int64_t> table(sums.data(), {height, width});
    upsweep::inclusive_scan<std::int64_t>(executor, image, table, 1);  // along the rows, in 64-bit sums
    upsweep::inclusive_scan(executor, table, table, 0);                // then down the columns, in place

    const auto corner = [&](std::int64_t y, std::int64_t x) {  // the sum over rows < y and columns < x
        return y == 0 || x == 0 ? 0 : sums[static_cast<std::size_t>((y - 1) * width + x - 1)];
    };
    const auto rectangle = [&](std::int64_t top, std::int64_t left, std::int64_t bottom, std::int64_t right) {
        return corner(bottom, right) - corner(top, right) - corner(bottom, left) + corner(top, left);
    };

    std::int64_t expected = 0;
    for (std::int64_t y = 10; y < 40; ++y) {
        for (std::int64_t x = 20; x < 90; ++x) expected += pixels[static_cast<std::size_t>(y * width + x)];
    }
    std::printf("rows 10 to 39, columns 20 to 89: %lld\n", static_cast<long long>(rectangle(10, 20, 40, 90)));
    if (rectangle(10, 20, 40, 90) != expected) return 1;

    // Strides say how an array lies: the same columns from the bottom up, without moving a pixel.
    const upsweep::strided_view<const std::uint8_t> flipped(pixels.data() + (height - 1) * width,
                                                            {height, width}, {-width, 1});
    upsweep::inclusive_scan<std::int64_t>(executor, flipped, table, 0);
    std::int64_t column = 0;
    for (std::int64_t y = 0; y < height; ++y) {
        column += pixels[static_cast<std::size_t>((height - 1 - y) * width + 5)];
        if (sums[static_cast<std::size_t>(y * width + 5)] != column) return 1;
    }
}
