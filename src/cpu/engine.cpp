// The part of the CPU engine that does not depend on types: how a scan is cut, and when results are streamed.
#include "upsweep/cpu/engine.hpp"

#include <algorithm>
#include <cstddef>

#include "src/cpu/cache_sizes.hpp"

namespace upsweep::cpu {
namespace {

constexpr std::size_t round_up(std::size_t value, std::size_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

#if defined(__x86_64__) || defined(_M_X64)
// Of AMD's processors Zen 5 is the first with these instructions, and Zen 4 the first with AVX-512.
bool is_zen5() {
    __builtin_cpu_init();
    return __builtin_cpu_is("amd") != 0 && __builtin_cpu_supports("avx512vp2intersect") != 0;
}
bool is_zen4() {
    __builtin_cpu_init();
    return __builtin_cpu_is("amdfam19h") != 0 && __builtin_cpu_supports("avx512f") != 0;
}
bool is_intel() {
    __builtin_cpu_init();
    return __builtin_cpu_is("intel") != 0;
}
#else
bool is_zen5() { return false; }
bool is_zen4() { return false; }
bool is_intel() { return false; }
#endif

}  // namespace

// Intel's cores have few buffers for lines on their way, and a burst of results holds up what is asked for:
// in bursts doubles from memory took 1.1 times as long, and on AMD's Zen 4 1.3 times. On Zen 3 and Zen 5 they
// are faster by 1.1 to 1.2.
bool streams_steadily() {
    static const bool answer = is_intel() || is_zen4();
    return answer;
}

// Stores of doubles wait for lines that the second-level cache has, up to a quarter of all time, but a Zen
// 5's, which take 1.03 to 1.1 times as long if it is asked for them.
bool claims_lines() {
    static const bool answer = !is_zen5();
    return answer;
}

std::size_t tree_asking_bytes() {
    static const std::size_t answer =
        is_zen5() ? std::max(tuning::asking_bytes,
                             static_cast<std::size_t>(tuning::zen5_asking_cache_share *
                                                      static_cast<double>(data_caches().largest)))
                  : tuning::asking_bytes;
    return answer;
}

chunking chunking::plan(executor& ex, std::size_t n, std::size_t read_bytes, std::size_t written_bytes,
                        std::size_t footprint, std::size_t cost, const chunk_room& room) {
    const std::size_t bytes = n * (read_bytes + written_bytes);
    const std::size_t helpers = n < 2 * core::tile_size ? 0 : ex.helpers_for(cost * bytes);
    if (helpers == 0) return {n, 1, 0, false};
    const auto cut = [&](std::size_t wanted, std::size_t smallest_bytes, std::size_t most_bytes,
                         bool in_turn) {
        const std::size_t fair = n / wanted * read_bytes;
        const std::size_t input_bytes = std::clamp(fair, smallest_bytes, most_bytes);
        const std::size_t size = std::clamp(round_up(input_bytes / read_bytes, core::tile_size),
                                            core::tile_size, core::tiles_per_super * core::tile_size);
        const std::size_t chunks = (n + size - 1) / size;
        return chunking{size, chunks, std::min(helpers, chunks - 1), in_turn};
    };
    if (ex.fits_caches(std::max(bytes, footprint))) {
        const std::size_t wanted = std::min((helpers + 1) * tuning::regions_per_thread, most_regions);
        const chunking regions = cut(wanted, tuning::smallest_region_bytes, tuning::region_bytes, false);
        if (regions.count <= most_regions) return regions;
    }
    const std::size_t cache = data_caches().second;
    const std::size_t most_bytes =
        cache == 0 ? room.most_bytes
                   : std::clamp(cache / room.cache_part, tuning::smallest_chunk_bytes, room.most_bytes);
    return cut((helpers + 1) * tuning::chunks_per_thread, tuning::smallest_chunk_bytes, most_bytes, true);
}

}  // namespace upsweep::cpu
