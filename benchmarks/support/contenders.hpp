// The contenders that most cells share: copies and reads of the same bytes, and the peers.
#pragma once

#include "buffer.hpp"
#include "data.hpp"
#include "limits.hpp"
#include "measure.hpp"
#include "team.hpp"
#include "upsweep/scan.hpp"

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace bench {

// Below this, waking the others takes longer than copying alone.
inline constexpr std::size_t least_shared_bytes = 16 * 1024;

// Copies of `bytes` bytes (so 2 * bytes are moved) from `from` to `to`.
inline void add_copies(std::vector<contender>& list, team& threads, const buffer& from, const buffer& to,
                       std::size_t bytes) {
    const auto* source = from.as<const std::byte>();
    auto* target = to.as<std::byte>();
    const std::string all = std::to_string(threads.size()) + " threads";
    list.push_back(
        {"memcpy, 1 thread", role::copy, 1, repeated([=] { std::memcpy(target, source, bytes); })});
    if (bytes < least_shared_bytes) return;
    list.push_back({"copy, " + all, role::copy, threads.size(),
                    repeated([=, &threads] { copy_plain(threads, target, source, bytes); })});
    list.push_back({"non-temporal copy, " + all, role::copy, threads.size(),
                    repeated([=, &threads] { copy_non_temporal(threads, target, source, bytes); })});
}

inline void add_read_modify_writes(std::vector<contender>& list, team& threads, const buffer& data,
                                   std::size_t bytes) {
    auto* bytes_at = data.as<std::byte>();
    const std::string all = std::to_string(threads.size()) + " threads";
    list.push_back({"read-modify-write, 1 thread", role::copy, 1,
                    repeated([=] { read_modify_write(bytes_at, bytes); })});
    list.push_back({"read-modify-write, " + all, role::copy, threads.size(),
                    repeated([=, &threads] { read_modify_write(threads, bytes_at, bytes); })});
}

// Reads of `bytes` bytes, for what writes next to nothing, and a copy that reads and writes as many together.
inline void add_reads(std::vector<contender>& list, team& threads, const buffer& from, const buffer& to,
                      std::size_t bytes) {
    const auto* source = from.as<const std::byte>();
    auto* target = to.as<std::byte>();
    list.push_back(
        {"memcpy, 1 thread", role::copy, 1, repeated([=] { std::memcpy(target, source, bytes / 2); })});
    list.push_back({"read, 1 thread", role::copy, 1, repeated([=] { read_words(source, bytes); })});
    if (bytes < least_shared_bytes) return;
    list.push_back({"read, " + std::to_string(threads.size()) + " threads", role::copy, threads.size(),
                    repeated([=, &threads] { read_words(threads, source, bytes); })});
}

// libgomp's threads spin after a parallel region: 0.3 ms with the GOMP_SPINCOUNT that run.py sets, longer by
// default.
inline std::chrono::microseconds openmp_settle() {
    return std::chrono::microseconds(std::getenv("GOMP_SPINCOUNT") != nullptr ? 1000 : 10000);
}

// Upsweep on every core and on one.
class executors {
  public:
    explicit executors(std::size_t threads) : all(threads) {}
    // Adds both; `call(executor)` does the work.
    template <class Call>
    void add_to(std::vector<contender>& list, Call call) {
        list.push_back({"upsweep", role::upsweep, all.threads(), repeated([=, this] { call(all); })});
        list.push_back({"upsweep, 1 thread", role::upsweep, 1, repeated([=, this] { call(one); })});
    }

    upsweep::cpu::executor all;
    upsweep::cpu::executor one{1};
};

// A peer of calls that return how many results there are.
struct counting_peer {
    const char* name;
    bool parallel;
    std::function<std::size_t()> call;
};
// Such peers, and Upsweep by call(executor); the latest number is in `found`.
template <class Call>
void add_counting(std::vector<contender>& list, std::size_t threads, executors& upsweeps, std::size_t& found,
                  const std::vector<counting_peer>& peers, const Call& call) {
    for (const counting_peer& other : peers)
        list.push_back({other.name, role::peer, other.parallel ? threads : 1,
                        repeated([&found, call_peer = other.call] { found = call_peer(); })});
    upsweeps.add_to(list, [&found, call](upsweep::cpu::executor& executor) { found = call(executor); });
}

template <class T>
void add_peer(std::vector<contender>& list, const peer<T>& one, std::size_t threads, const T* in, T* out,
              std::size_t n) {
    contender result{std::string(one.name), one.candidate ? role::peer : role::orientation,
                     one.parallel ? threads : 1, repeated([run = one.run, in, out, n] { run(in, out, n); })};
    if (one.parallel && one.name.starts_with("OpenMP")) result.settle = openmp_settle();
    list.push_back(std::move(result));
}

// Lets every contender but the copies prove its result: on `in`, into `out` poisoned before.
template <class T>
void expect(std::vector<contender>& list, const expectation<T>& expected, T* out) {
    for (contender& one : list)
        if (one.kind != role::copy)
            one.correct = [&expected, out, run = one.repeat] {
                expected.poison(out);
                run(1);
                return expected.matches(out);
            };
}

}  // namespace bench
