// A total that starts afresh with every year: the three ways to say where segments begin, and what an
// exclusive scan says instead. Rain is in tenths of a millimetre, so that sums are exact.
#include <cstdint>
#include <cstdio>
#include <upsweep/upsweep.hpp>
#include <vector>

int main() {
    using upsweep::by_head_flags;
    using upsweep::by_keys;
    using upsweep::by_offsets;
    using numbers = std::vector<std::int32_t>;

    upsweep::cpu::executor executor;
    const numbers year{2012, 2012, 2012, 2012, 2013, 2013, 2014, 2014, 2014};
    const numbers rain{0, 109, 8, 203, 0, 51, 25, 0, 13};

    // Runs of equal neighbours, as in a table sorted by year.
    numbers so_far(rain.size());
    upsweep::inclusive_segmented_scan(executor, by_keys(year), rain, so_far);
    for (std::size_t i = 0; i < rain.size(); ++i) {
        std::printf("%d %6.1f mm, %6.1f mm since 1 January\n", year[i], 0.1 * rain[i], 0.1 * so_far[i]);
    }
    if (so_far != numbers{0, 109, 117, 320, 0, 51, 25, 25, 38}) return 1;

    // The same segments by where they begin and the last one ends, and by a flag at every beginning.
    const std::vector<std::size_t> offsets{0, 4, 6, 9};
    const std::vector<std::uint8_t> starts{1, 0, 0, 0, 1, 0, 1, 0, 0};
    numbers again(rain.size());
    upsweep::inclusive_segmented_scan(executor, by_offsets(offsets), rain, again);
    if (again != so_far) return 1;
    upsweep::inclusive_segmented_scan(executor, by_head_flags(starts), rain, again);
    if (again != so_far) return 1;

    // Before each day instead of up to it; and the wettest day of the year so far.
    numbers before(rain.size());
    upsweep::exclusive_segmented_scan(executor, by_keys(year), rain, before);
    if (before != numbers{0, 0, 109, 117, 0, 0, 0, 25, 25}) return 1;
    numbers wettest(rain.size());
    upsweep::inclusive_segmented_scan(executor, by_keys(year), rain, wettest, upsweep::maximum{});
    return wettest == numbers{0, 109, 109, 203, 0, 51, 25, 25, 25} ? 0 : 1;
}
