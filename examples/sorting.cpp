// Sorting: the fastest runners of a race, ties in the order in which they arrived; and the same as an order
// by which to take other arrays.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <upsweep/upsweep.hpp>
#include <vector>

struct runner {
    std::uint32_t number;  // in the order of arrival
    float seconds;
    char club[8];
};

int main() {
    std::vector<runner> runners(100'000);
    std::uint32_t random = 1, number = 0;
    for (runner& one : runners) {
        random = random * 1664525u + 1013904223u;
        one = {number++, 60.0f + static_cast<float>(random >> 20) / 100.0f, "north"};
    }

    upsweep::cpu::executor executor;
    std::vector<runner> ranking(runners.size());
    upsweep::sort_by(executor, runners, ranking, [](const runner& one) { return one.seconds; });
    for (std::size_t place = 0; place < 3; ++place)
        std::printf("%.2f s: number %u\n", static_cast<double>(ranking[place].seconds),
                    ranking[place].number);

    std::vector<float> seconds(runners.size());
    for (std::size_t i = 0; i < runners.size(); ++i) seconds[i] = runners[i].seconds;
    std::vector<std::uint32_t> order(runners.size());
    upsweep::sort_indices(executor, seconds, order);

    // Each goes before the next one, by time or else by arrival; and both ways agree.
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (ranking[i].number != order[i]) return 1;
        if (i == 0) continue;
        const runner& before = ranking[i - 1];
        const bool by_time = before.seconds < ranking[i].seconds;
        if (!by_time && !(before.seconds == ranking[i].seconds && before.number < ranking[i].number))
            return 1;
    }
    return 0;
}
