#include "src/cpu/cache_sizes.hpp"

#include <algorithm>
#include <fstream>
#include <string>

namespace upsweep::cpu {
namespace {

cache_sizes look() {
    cache_sizes found{0, 0};
    for (int index = 0; index < 8; ++index) {
        const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index);
        std::ifstream level_file(folder + "/level"), type_file(folder + "/type"), size_file(folder + "/size");
        int level = 0;
        std::string type;
        std::size_t kibibytes = 0;
        if (!(size_file >> kibibytes) || !(level_file >> level) || !(type_file >> type)) break;
        if (type == "Instruction") continue;
        if (level == 2) found.second = kibibytes * 1024;
        found.largest = std::max(found.largest, kibibytes * 1024);
    }
    if (found.largest == 0) found.largest = std::size_t{8} << 20;
    return found;
}

}  // namespace

const cache_sizes& data_caches() {
    static const cache_sizes found = look();
    return found;
}

}  // namespace upsweep::cpu
