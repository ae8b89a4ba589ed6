// What happens when another process keeps one core busy: the 90th percentile counts, not the median. A scan
// whose threads spin for one that is not running loses whole time slices; one that yields, or leaves the work
// to those who run, does not.
#include "support/contenders.hpp"
#include "support/session.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <algorithm>
#include <csignal>
#include <numeric>
#include <random>

using namespace bench;

namespace {

// A child process that spins on the last core this process may use, until it is destroyed or its parent ends.
class busy_core {
  public:
    busy_core() : child_(fork()) {
        if (child_ != 0) return;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        cpu_set_t allowed;
        CPU_ZERO(&allowed);
        sched_getaffinity(0, sizeof allowed, &allowed);
        int last = CPU_SETSIZE - 1;
        while (last > 0 && !CPU_ISSET(last, &allowed)) --last;
        CPU_ZERO(&allowed);
        CPU_SET(last, &allowed);
        sched_setaffinity(0, sizeof allowed, &allowed);
        for (;;) asm volatile("" ::: "memory");
    }
    ~busy_core() {
        kill(child_, SIGKILL);
        waitpid(child_, nullptr, 0);
    }
    busy_core(const busy_core&) = delete;
    busy_core& operator=(const busy_core&) = delete;

  private:
    pid_t child_;
};

// Every call timed by itself, contenders in a fresh random order each time, because a call finds the caches
// as the one before left them; until `limit` seconds are over or each has 200 samples.
timings time_calls(const std::vector<contender>& list, double limit) {
    constexpr std::size_t most_samples = 200;
    timings result(list.size());
    std::vector<std::size_t> order(list.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937_64 random(1);
    const auto start = std::chrono::steady_clock::now();
    const auto spent = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    while (result[0].size() < most_samples && spent() < limit) {
        std::shuffle(order.begin(), order.end(), random);
        for (const std::size_t i : order) {
            result[i].push_back(seconds_of([&] { list[i].repeat(1); }));
            std::this_thread::sleep_for(list[i].settle);
        }
    }
    return result;
}

void measure(session& current, team& threads, executors& upsweeps, std::size_t n) {
    const cell which{"busy core", "float", n, 2 * n * sizeof(float)};
    if (!current.wants(which)) return;
    const buffer from(n * sizeof(float), 0, threads);
    const buffer to(n * sizeof(float), 1, threads);
    const float* in = from.as<const float>();
    float* out = to.as<float>();
    fill(from.as<float>(), n);
    std::vector<contender> list;
    upsweeps.add_to(list, [=](upsweep::cpu::executor& executor) {
        upsweep::inclusive_scan(executor, std::span<const float>(in, n), std::span<float>(out, n));
    });
    for (const peer<float>& one : all_peers<float>(scan_work::inclusive))
        if (one.parallel && one.candidate) add_peer(list, one, threads.size(), in, out, n);
    for (const contender& one : list) one.repeat(3);
    current.report(which, list, time_calls(list, current.quick() ? 2 : 6));
}

}  // namespace

int main(int argc, char** argv) {
    return run_session(argc, argv, [](session& current) {
        const busy_core neighbour;
        team threads(current.threads());
        executors upsweeps(current.threads());
        for (const std::size_t n : {std::size_t{100'000}, std::size_t{1'000'000}, std::size_t{10'000'000}})
            measure(current, threads, upsweeps, n);
    });
}
