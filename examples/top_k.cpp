// The greatest of many without sorting them: the busiest minutes of a year, where they are, and the busiest
// hours of each day.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <upsweep/upsweep.hpp>
#include <vector>

int main() {
    constexpr std::size_t days = 365, hours = 24, minutes = 60;
    std::vector<std::uint32_t> requests(days * hours * minutes);
    std::uint32_t random = 1;
    for (std::uint32_t& each : requests) {
        random = random * 1664525u + 1013904223u;
        each = 1000 + random % 9000;
    }

    upsweep::cpu::executor executor;
    std::vector<std::uint32_t> most(3);
    std::vector<std::size_t> when(3);
    upsweep::top_k(executor, requests, most);
    upsweep::top_k_indices(executor, requests, when);
    for (std::size_t i = 0; i < most.size(); ++i)
        std::printf("minute %zu: %u requests\n", when[i], static_cast<unsigned>(most[i]));

    // An hour's requests are the total of a row of 60; of each day's 24 the busiest two.
    std::vector<std::uint32_t> hourly(days * hours);
    upsweep::reduce(executor,
                    upsweep::strided_view<const std::uint32_t>(requests.data(), {days * hours, minutes}),
                    upsweep::strided_view<std::uint32_t>(hourly.data(), {days * hours}), 1);
    std::vector<std::uint8_t> busiest(days * 2);
    upsweep::top_k_row_indices(executor, days, hourly, busiest);
    std::printf("day 0: busiest at %d and %d o'clock\n", busiest[0], busiest[1]);

    // Checked against sorts.
    std::vector<std::uint32_t> sorted = requests;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    for (std::size_t i = 0; i < most.size(); ++i)
        if (most[i] != sorted[i] || requests[when[i]] != sorted[i]) return 1;
    for (std::size_t day = 0; day < days; ++day) {
        const auto begin = hourly.begin() + static_cast<std::ptrdiff_t>(day * hours);
        if (busiest[2 * day] != std::max_element(begin, begin + hours) - begin) return 1;
    }
    return 0;
}
