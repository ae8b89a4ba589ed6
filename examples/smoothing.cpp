// Exponential smoothing, y[i] = (1 - k) y[i-1] + k x[i], as a linear recurrence on all threads.
//
// For k = 1/2 and a few integers every product and sum is exact, so the scan must equal a loop. For other k
// and many values the two round differently; what the scan promises then is the same bits from any number of
// threads.
#include <cstdio>
#include <upsweep/upsweep.hpp>
#include <vector>

int main() {
    upsweep::cpu::executor executor;

    const std::vector<double> signal{8, 8, 8, 0, 0, 0, 4, 12, 16, 16, 2, 6};
    std::vector<double> weighted(signal.size());  // b[i] = k x[i]
    std::vector<double> smooth(signal.size());
    for (std::size_t i = 0; i < signal.size(); ++i) weighted[i] = 0.5 * signal[i];
    upsweep::linear_recurrence(executor, 0.5, weighted, 0.0, smooth);  // a = 1 - k

    double expected = 0;
    for (std::size_t i = 0; i < signal.size(); ++i) {
        expected = 0.5 * expected + weighted[i];
        std::printf("%5.1f -> %8.5f\n", signal[i], smooth[i]);
        if (smooth[i] != expected) return 1;
    }

    constexpr std::size_t count = 1'000'000;
    std::vector<double> b(count);
    for (std::size_t i = 0; i < count; ++i) b[i] = 0.1 * static_cast<double>(i * i % 1000);
    std::vector<double> by_all(count);
    std::vector<double> by_one(count);
    upsweep::cpu::executor one(1);
    upsweep::linear_recurrence(executor, 0.9, b, 500.0, by_all);
    upsweep::linear_recurrence(one, 0.9, b, 500.0, by_one);
    return by_all == by_one ? 0 : 1;
}
