// What Linux tells about memory, in text.
#include "cli/memory.hpp"

#include <unistd.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string_view>

namespace upsweep::cli {
namespace {

// The number in a file of one; the largest where there is none, as in "max".
std::uint64_t number_in(const std::string& file) {
    std::uint64_t number = 0;
    return std::ifstream(file) >> number ? number : UINT64_MAX;
}

// The least limit of a group and those that it is in, which are the folders above it. In a container the
// group's own may be hidden, while the container's is the topmost.
std::uint64_t least_limit(const std::string& top, std::string group, const char* name) {
    std::uint64_t least = UINT64_MAX;
    while (true) {
        least = std::min(least, number_in(top + group + "/" + name));
        if (group.empty()) return least;
        group.resize(group.find_last_of('/') == std::string::npos ? 0 : group.find_last_of('/'));
    }
}

// Lines are "0::/path" in version 2 and "4:memory:/path" or "5:cpu,memory:/path" in version 1.
std::uint64_t group_limit(const std::string& root) {
    std::uint64_t least = UINT64_MAX;
    std::ifstream groups(root + "/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
        const std::string group = line.substr(second + 1);
        if (controllers == ",,")
            least = std::min(least, least_limit(root + "/sys/fs/cgroup", group, "memory.max"));
        else if (controllers.find(",memory,") != std::string::npos)
            least =
                std::min(least, least_limit(root + "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes"));
    }
    return least;
}

}  // namespace

std::uint64_t memory_bytes() {
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const long page = ::sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page <= 0) return std::uint64_t{2} << 30;
    return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
}

std::uint64_t available_memory_bytes(const std::string& root) {
    std::uint64_t available = memory_bytes();
    std::ifstream told(root + "/proc/meminfo");
    for (std::string line; std::getline(told, line);) {
        constexpr std::string_view name = "MemAvailable:";
        if (!line.starts_with(name)) continue;
        available = std::min<std::uint64_t>(
            available, std::strtoull(line.c_str() + name.size(), nullptr, 10) * 1024);  // kB
    }
    return std::min(available, group_limit(root));
}

void give_back_memory() {
#if defined(__GLIBC__)
    ::malloc_trim(0);
#endif
}

}  // namespace upsweep::cli
