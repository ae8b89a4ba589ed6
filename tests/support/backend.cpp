// The list of back ends, made once a process.
#include "support/backend.hpp"

#include "support/build.hpp"

namespace upsweep::test {
namespace {

// Sanitizers are given two: ThreadSanitizer has nothing to see with one thread, AddressSanitizer sees the
// same with any number above one.
std::vector<std::size_t> thread_counts() {
    if (thread_sanitizer) return {2, 7};
    if (address_sanitizer) return {1, 3};
    return {1, 2, 3, 7};
}

}  // namespace

const std::vector<cpu_backend>& cpu_backends() {
    static const std::vector<cpu_backend> made = [] {
        std::vector<cpu_backend> list;
        std::vector<cpu::simd_level> levels = cpu::supported_simd_levels();
        if (thread_sanitizer) levels.erase(levels.begin(), levels.end() - 1);
        for (const cpu::simd_level level : levels) {
            for (const std::size_t threads : thread_counts()) {
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
    const cpu_backend& last = cpu_backends().back();
    const bool best = backend.level == last.level;
    switch (wanted) {
        case coverage::all:
            return true;
        case coverage::levels:
            return backend.threads == 1 || (best && backend.threads == last.threads);
        case coverage::threads:
            return best;
    }
    return true;
}

}  // namespace upsweep::test
