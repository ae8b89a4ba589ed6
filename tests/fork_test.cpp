// Executors in a child that was forked, where their threads are not.
#include <gtest/gtest.h>

#if defined(__unix__)
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "upsweep/cpu/executor.hpp"
#include "upsweep/scan.hpp"

namespace upsweep::test {
namespace {

TEST(fork, executors_work_and_end_in_a_child) {
    const std::vector<std::int32_t> x(4'000'000, 1);
    std::vector<std::int32_t> out(x.size());
    auto ex = std::make_unique<cpu::executor>(3);
    inclusive_scan(*ex, x, out);  // its threads are awake, or about to sleep
    const pid_t child = fork();
    ASSERT_NE(child, -1);
    if (child == 0) {
        alarm(60);  // instead of hanging for ever
        out.assign(out.size(), 0);
        const bool alone = ex->helpers_for(std::size_t{1} << 40) == 0;
        inclusive_scan(*ex, x, out);
        ex.reset();
        _exit(alone && out.back() == 4'000'000 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    inclusive_scan(*ex, x, out);
    EXPECT_EQ(out.back(), 4'000'000);
}

}  // namespace
}  // namespace upsweep::test
#endif
