// Interleaved measurement: machines drift by more than a scan and a copy differ, so both are timed in each
// round.
#include "registry/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "registry/back_end.hpp"
#include "registry/held.hpp"
#include "registry/scanner.hpp"
#include "registry/visit.hpp"
#include "upsweep/cpu/engine.hpp"
#include "upsweep/cpu/tasks.hpp"
#include "upsweep/error.hpp"

namespace upsweep::registry {
namespace {

using steady = std::chrono::steady_clock;

constexpr int fewest_rounds = 5;
constexpr double shortest_sample = 200e-6;  // seconds; shorter work is repeated within one sample

double since(steady::time_point start) {
    return std::chrono::duration<double>(steady::now() - start).count();
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// Memory on huge pages where the system has them; page faults would cost more than a scan.
class buffer {
  public:
    explicit buffer(std::size_t bytes) : bytes_(std::max<std::size_t>(bytes, 1)) {
        memory_ = static_cast<std::byte*>(::operator new(bytes_, alignment, std::nothrow));
        if (memory_ == nullptr) {
            throw_error(errc::out_of_memory,
                        std::to_string(bytes) + " bytes are more than this machine can give");
        }
#if defined(__linux__)
        ::madvise(memory_, bytes_, MADV_HUGEPAGE);
#endif
    }
    buffer(const buffer&) = delete;
    buffer& operator=(const buffer&) = delete;
    ~buffer() { ::operator delete(memory_, alignment); }
    [[nodiscard]] std::byte* data() const { return memory_; }

  private:
    static constexpr std::align_val_t alignment{std::size_t{2} << 20};
    std::size_t bytes_;
    std::byte* memory_;
};

// A copy that writes past the caches where the processor has such stores.
void stream_copy(std::byte* to, const std::byte* from, std::size_t bytes) {
#if defined(__SSE2__)
    const std::size_t head = std::min(bytes, (16 - reinterpret_cast<std::uintptr_t>(to) % 16) % 16);
    std::memcpy(to, from, head);
    std::size_t i = head;
    for (; i + 64 <= bytes; i += 64) {
        const auto load = [&](std::size_t k) {
            return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i + 16 * k));
        };
        const __m128i line[] = {load(0), load(1), load(2), load(3)};
        for (std::size_t k = 0; k < 4; ++k)
            _mm_stream_si128(reinterpret_cast<__m128i*>(to + i + 16 * k), line[k]);
    }
    std::memcpy(to + i, from + i, bytes - i);
    _mm_sfence();
#else
    std::memcpy(to, from, bytes);
#endif
}

// Copies in pieces, shared out among the executor's threads.
void copy(cpu::executor& executor, std::byte* to, const std::byte* from, std::size_t bytes) {
    constexpr std::size_t piece = std::size_t{256} << 10;
    const std::size_t pieces = (bytes + piece - 1) / piece;
    const bool streaming = executor.streams(2 * bytes);
    const std::size_t helpers =
        2 * bytes < cpu::tuning::parallel_bytes ? 0 : std::min(executor.threads(), pieces) - 1;
    cpu::for_each_task(executor, helpers, pieces, [&](std::size_t i) {
        const std::size_t count = std::min(piece, bytes - i * piece);
        if (streaming)
            stream_copy(to + i * piece, from + i * piece, count);
        else
            std::memcpy(to + i * piece, from + i * piece, count);
    });
}

// Small numbers of both signs, so that no sum overflows and no product vanishes at once.
void fill(dtype type, std::byte* data, std::size_t n) {
    visit_type(type, [&]<class T>(std::type_identity<T>) {
        auto* x = reinterpret_cast<T*>(data);
        for (std::size_t i = 0; i < n; ++i) {
            const auto pattern = static_cast<int>(i * 2654435761u >> 13 & 7u);
            if constexpr (std::is_same_v<T, bool>)
                x[i] = (pattern & 1) != 0;
            else if constexpr (is_complex<T>)
                x[i] = T(static_cast<typename T::value_type>(pattern - 3), 1);
            else if constexpr (is_half<T>)
                x[i] = T(static_cast<float>(pattern - 3));
            else
                x[i] = static_cast<T>(pattern - 3);
        }
    });
}

// The seconds of so many repetitions of some work.
using timed_work = std::function<double(std::size_t times)>;

timed_work by_the_clock(const std::function<void()>& work) {
    return [work](std::size_t times) {
        const auto start = steady::now();
        for (std::size_t i = 0; i < times; ++i) work();
        return since(start);
    };
}

std::size_t repetitions(const timed_work& work) {
    work(1);
    const double took = std::max(work(1), 1e-9);
    return took >= shortest_sample ? 1 : static_cast<std::size_t>(shortest_sample / took) + 1;
}

measurement measure_in_turn(const timed_work& scan, const timed_work& copy, double budget) {
    const std::size_t scan_times = repetitions(scan), copy_times = repetitions(copy);
    const auto sample = [](const timed_work& work, std::size_t times) {
        return work(times) / static_cast<double>(times);
    };
    std::vector<double> scans, copies;
    for (const auto start = steady::now(); scans.size() < fewest_rounds || since(start) < budget;) {
        // First one, then the other goes first.
        if (scans.size() % 2 == 0) scans.push_back(sample(scan, scan_times));
        copies.push_back(sample(copy, copy_times));
        if (copies.size() > scans.size()) scans.push_back(sample(scan, scan_times));
    }
    return {median(scans), median(copies), static_cast<int>(scans.size())};
}

double bandwidth(const timed_work& copy, std::size_t bytes) {
    std::vector<double> times;
    times.reserve(fewest_rounds);
    copy(1);
    for (int round = 0; round < fewest_rounds; ++round) times.push_back(copy(1));
    return 2.0 * static_cast<double>(bytes) / median(times);
}

std::unique_ptr<timed_scan> prepare(const device& where, operation op, const scan_types& types, std::size_t n,
                                    bool exclusive) {
    const dtype type = types.input, held = held_type(op, type);
    if (size_of(held) != size_of(type) || types.accumulator != type) {
        throw_error(errc::unsupported,
                    "device " + where.name() + ": " + std::string(name(op)) + " of " +
                        std::string(name(type)) +
                        " is not timed there: its totals are held in another type, so elements are converted "
                        "besides");
    }
    return where.accelerated()->prepare(op, held, n, exclusive);
}

}  // namespace

measurement measure_scan(const device& where, operation op, dtype type, std::size_t n, bool exclusive,
                         double budget) {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(n, size_of(type), &bytes))
        throw_error(errc::out_of_memory, std::to_string(n) + " elements are more than any memory holds");
    scan_request request;
    request.op = op;
    request.types = resolve_types(op, type, type);
    request.exclusive = exclusive;
    if (where.accelerated() != nullptr) {
        const auto timed = prepare(where, op, request.types, n, exclusive);
        return measure_in_turn([&](std::size_t times) { return timed->scan(times); },
                               [&](std::size_t times) { return timed->copy(times); }, budget);
    }
    const buffer in(bytes);
    const buffer out(bytes);
    fill(type, in.data(), n);
    std::memset(out.data(), 0, bytes);
    const auto scanner = make_scanner(where, request);
    return measure_in_turn(by_the_clock([&] {
                               scanner->restart();
                               scanner->scan(in.data(), out.data(), n);
                           }),
                           by_the_clock([&] { copy(where.executor(), out.data(), in.data(), bytes); }),
                           budget);
}

double copy_bandwidth(const device& where) {
    if (where.accelerated() != nullptr) {
        const std::size_t bytes = where.accelerated()->copy_bytes();
        const auto timed = where.accelerated()->prepare(operation::plus, dtype::uint32,
                                                        bytes / sizeof(std::uint32_t), false);
        return bandwidth([&](std::size_t times) { return timed->copy(times); }, bytes);
    }
    constexpr std::size_t bytes = std::size_t{128} << 20;
    const buffer in(bytes);
    const buffer out(bytes);
    std::memset(in.data(), 1, bytes);
    std::memset(out.data(), 0, bytes);
    return bandwidth(by_the_clock([&] { copy(where.executor(), out.data(), in.data(), bytes); }), bytes);
}

}  // namespace upsweep::registry
