// An operator of one's own: for every day of a share's price changes, the best profit that one purchase and
// one later sale so far could have made. Two stretches of days combine into one, but not commutatively.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <upsweep/upsweep.hpp>
#include <vector>

// What has to be known of a stretch of days; amounts in cents. All zeros stand for no days at all.
struct stretch {
    std::int64_t sum = 0;     // of all changes
    std::int64_t prefix = 0;  // best sum of changes from the first day on
    std::int64_t suffix = 0;  // best sum of changes up to the last day
    std::int64_t best = 0;    // best sum of changes of neighbouring days
};

int main() {
    const auto day = [](std::int32_t change) {
        const auto gain = std::max<std::int64_t>(0, change);
        return stretch{change, gain, gain, gain};
    };
    // The earlier operand stands on the left, always.
    const auto join = [](const stretch& a, const stretch& b) {
        return stretch{a.sum + b.sum, std::max(a.prefix, a.sum + b.prefix),
                       std::max(b.suffix, a.suffix + b.sum), std::max({a.best, b.best, a.suffix + b.prefix})};
    };

    std::vector<std::int32_t> changes(300'000);
    std::uint32_t random = 1;
    for (std::int32_t& change : changes) {
        random = random * 1664525u + 1013904223u;
        change = static_cast<std::int32_t>(random >> 24) - 128;
    }

    upsweep::cpu::executor executor;
    std::vector<stretch> so_far(changes.size());
    upsweep::transform_inclusive_scan(executor, changes, so_far, upsweep::with_identity(join, stretch{}),
                                      day);

    // The same by a loop (Kadane's algorithm).
    std::int64_t ending_here = 0;
    std::int64_t best = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        ending_here = std::max<std::int64_t>(0, ending_here + changes[i]);
        best = std::max(best, ending_here);
        if (so_far[i].best != best) return 1;
    }
    std::printf("best profit in %zu days: %lld cents\n", changes.size(), static_cast<long long>(best));
}
