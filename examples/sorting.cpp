// Sorting: the fastest runners of a race, ties in the order in which they arrived; the same as an order by
// which to take other arrays; and the fastest of each club.
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

    // Clubs that arrived one after the other: each is a segment, sorted by itself.
    const std::vector<std::size_t> clubs{0, 20'000, 20'001, 65'000, runners.size()};
    upsweep::segmented_sort(executor, upsweep::by_offsets(clubs), seconds, seconds);
    for (std::size_t club = 0; club + 1 < clubs.size(); ++club) {
        const std::size_t first = clubs[club], end = clubs[club + 1];
        std::printf("club %zu: %.2f s\n", club, static_cast<double>(seconds[first]));
        for (std::size_t i = first + 1; i < end; ++i)
            if (seconds[i] < seconds[i - 1]) return 1;
    }
    return 0;
}
