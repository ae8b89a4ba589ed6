// Scans on a GPU beside copies of the same bytes and empty dispatches, timed by the GPU's own clock: every
// round times each of them once, in changing order, and shares are medians of the ratios within a round.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "support/measure.hpp"

namespace bench {

inline constexpr int gpu_rounds = 15;
inline constexpr double gpu_batch_seconds = 2e-3;  // of a timing at least: the clock's steps do not show

// Target: what the work is recorded into, if anything.
template <class... Target>
struct gpu_contender {
    std::string name;
    std::function<void(Target...)> work;
    int repetitions = 1;
    std::vector<double> seconds{};  // of one repetition, a round each
};

// Of a / b within each round.
inline double median_ratio(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> ratios(a.size());
    std::transform(a.begin(), a.end(), b.begin(), ratios.begin(), [](double x, double y) { return x / y; });
    return median(ratios);
}

// time(work, repetitions): seconds on the GPU. One that had nothing to do while the host made data runs
// slowly at first, an H200 at half its speed, and is given work until that is over.
template <class Contender, class Time>
void measure_on_gpu(std::vector<Contender>& all, const Time& time) {
    using clock = std::chrono::steady_clock;
    static clock::time_point last_work{};
    const auto began = clock::now();
    if (began - last_work > std::chrono::milliseconds(300)) {
        while (clock::now() - began < std::chrono::seconds(1)) time(all.front().work, 1);
    }
    for (Contender& each : all) {
        time(each.work, 1);  // compiles, and touches the memory
        while (time(each.work, each.repetitions) < gpu_batch_seconds && each.repetitions < 4096)
            each.repetitions *= 2;
    }
    std::uint32_t random = 1;
    for (int round = 0; round < gpu_rounds; ++round) {
        random = random * 1664525u + 1013904223u;
        std::rotate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>((random >> 16) % all.size()),
                    all.end());
        for (Contender& each : all)
            each.seconds.push_back(time(each.work, each.repetitions) / each.repetitions);
    }
    last_work = clock::now();
}

template <class Contender>
const std::vector<double>& seconds_of(const std::vector<Contender>& all, std::string_view name) {
    for (const Contender& each : all) {
        if (each.name == name) return each.seconds;
    }
    throw std::logic_error("no such contender");
}

inline void print_gpu_columns() {
    std::printf("%-7s %-5s %12s %10s %12s %10s  %-8s %10s %12s %10s\n", "type", "n", "scan us", "GB/s",
                "copy us", "GB/s", "copy by", "of copy", "empty us", "scan/empty");
}
struct gpu_work {
    std::string device;
    const char* type;  // of n elements
    std::uint64_t n;
    std::uint64_t bytes;  // of all elements
    unsigned dispatches;  // of a scan
};
// A row, or a line of JSON, of the contenders "scan", "copy command", "copy shader" and "empty".
template <class Contender>
void print_gpu_row(const gpu_work& of, const std::vector<Contender>& all, bool json) {
    const std::vector<double>&scan = seconds_of(all, "scan"), &command = seconds_of(all, "copy command"),
          &shader = seconds_of(all, "copy shader"), &empty = seconds_of(all, "empty");
    const bool command_wins = median(command) < median(shader);
    const std::vector<double>& copy = command_wins ? command : shader;
    const char* const copy_by = command_wins ? "command" : "shader";
    const double gigabytes = 2e-9 * static_cast<double>(of.bytes);
    if (json) {
        std::printf(
            "{\"device\": \"%s\", \"type\": \"%s\", \"n\": %llu, \"scan_s\": %.9f, \"copy_s\": %.9f, "
            "\"copy_by\": \"%s\", \"empty_s\": %.9f, \"copy_over_scan\": %.4f, \"scan_over_empty\": %.3f, "
            "\"dispatches\": %u}\n",
            of.device.c_str(), of.type, static_cast<unsigned long long>(of.n), median(scan), median(copy),
            copy_by, median(empty), median_ratio(copy, scan), median_ratio(scan, empty), of.dispatches);
    } else {
        std::printf("%-7s 2^%-3.0f %12.2f %10.1f %12.2f %10.1f  %-8s %8.1f %% %12.2f %10.2f\n", of.type,
                    std::log2(static_cast<double>(of.n)), 1e6 * median(scan), gigabytes / median(scan),
                    1e6 * median(copy), gigabytes / median(copy), copy_by, 100 * median_ratio(copy, scan),
                    1e6 * median(empty), median_ratio(scan, empty));
    }
    std::fflush(stdout);
}

}  // namespace bench
