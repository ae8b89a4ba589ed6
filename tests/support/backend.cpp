// The list of back ends, made once a process.
#include "support/backend.hpp"

#include "support/build.hpp"

namespace upsweep::test {

const std::vector<cpu_backend>& cpu_backends() {
    static const std::vector<cpu_backend> made = [] {
        std::vector<cpu_backend> list;
        std::vector<cpu::simd_level> levels = cpu::supported_simd_levels();
        if (thread_sanitizer) levels.erase(levels.begin(), levels.end() - 1);
        for (const cpu::simd_level level : levels) {
            for (const std::size_t threads : {1, 2, 3, 7}) {
                list.push_back(
                    {"cpu, " + std::string(cpu::name(level)) + ", " + std::to_string(threads) + " threads",
                     std::make_unique<cpu::executor>(threads, level), level, threads});
                list.back().executor->share_from(small_shared_bytes);
                list.back().executor->stream_from(small_streamed_bytes);
            }
        }
        return list;
    }();
    return made;
}

bool covers(coverage wanted, const cpu_backend& backend) {
    const bool best = backend.level == cpu_backends().back().level;
    if (thread_sanitizer && backend.threads == 1) return false;  // nothing to see for it
    switch (wanted) {
        case coverage::all:
            return true;
        case coverage::levels:
            return backend.threads == 1 || (best && backend.threads == 7);
        case coverage::threads:
            return best;
    }
    return true;
}

}  // namespace upsweep::test
