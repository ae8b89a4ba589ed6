// What is read of the memory that is to be had: the kernel's estimate and the limits of control groups.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "cli/memory.hpp"
#include "support/scratch_directory.hpp"

namespace upsweep::cli {
namespace {

class memory_limit : public scratch_test {
  protected:
    void tell(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories((directory() / name).parent_path());
        put(name, text);
    }
    [[nodiscard]] std::uint64_t available() const { return available_memory_bytes(directory().string()); }
};

TEST_F(memory_limit, nothing_is_told) { EXPECT_EQ(available(), memory_bytes()); }

TEST_F(memory_limit, the_kernels_estimate) {
    tell("proc/meminfo", "MemTotal:       9000 kB\nMemFree:  100 kB\nMemAvailable:       5000 kB\n");
    EXPECT_EQ(available(), 5000u * 1024);
}

TEST_F(memory_limit, a_group_and_those_above_it) {
    tell("proc/meminfo", "MemAvailable: 5000 kB\n");
    tell("proc/self/cgroup", "0::/outer/inner\n");
    tell("sys/fs/cgroup/outer/inner/memory.max", "max\n");
    EXPECT_EQ(available(), 5000u * 1024);
    tell("sys/fs/cgroup/outer/memory.max", "2000000\n");
    EXPECT_EQ(available(), 2'000'000u);
    tell("sys/fs/cgroup/memory.max", "1500000\n");
    EXPECT_EQ(available(), 1'500'000u);
    tell("sys/fs/cgroup/outer/inner/memory.max", "1000000\n");
    EXPECT_EQ(available(), 1'000'000u);
}

TEST_F(memory_limit, a_group_of_version_1) {
    tell("proc/meminfo", "MemAvailable: 5000 kB\n");
    tell("proc/self/cgroup", "5:cpu:/other\n4:cpuset,memory:/hidden\n0::/\n");
    tell("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    tell("sys/fs/cgroup/memory/other/memory.limit_in_bytes", "1\n");
    EXPECT_EQ(available(), 5000u * 1024);
    tell("sys/fs/cgroup/memory/memory.limit_in_bytes", "3000000\n");
    EXPECT_EQ(available(), 3'000'000u);
}

}  // namespace
}  // namespace upsweep::cli
