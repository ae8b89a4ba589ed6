// A user's program: scans integers and floats through the installed headers and library and compares every
// element exactly.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <upsweep/upsweep.hpp>
#include <vector>

int main() {
    upsweep::cpu::executor executor(2);

    constexpr std::int64_t count = 100'000;
    std::vector<std::int64_t> input(count);
    for (std::int64_t i = 0; i < count; ++i) input[static_cast<std::size_t>(i)] = i + 1;
    std::vector<std::int64_t> sums(input.size(), -1);
    upsweep::inclusive_scan(executor, input, sums);
    for (std::int64_t i = 0; i < count; ++i) {
        if (sums[static_cast<std::size_t>(i)] != (i + 1) * (i + 2) / 2) {
            std::printf("wrong sum of integers at %lld\n", static_cast<long long>(i));
            return 1;
        }
    }

    // Multiples of 1/2 below 2^24 / 2: every partial sum is exact in float, whatever the order.
    std::vector<float> halves(4000, 0.5f);
    std::vector<float> running(halves.size(), -1.0f);
    upsweep::inclusive_scan(executor, halves, running);
    for (std::size_t i = 0; i < running.size(); ++i) {
        if (running[i] != 0.5f * static_cast<float>(i + 1)) {
            std::printf("wrong sum of floats at %zu\n", i);
            return 1;
        }
    }
    std::puts("consumer: all sums exact");
}
