// Inclusive and exclusive sums and running maxima from 16 elements to 1e8, against the copy and every peer.
#include "support/contenders.hpp"
#include "support/session.hpp"

using namespace bench;

namespace {

const std::vector<std::size_t> full_sizes = {16,      64,        128,       256,        512,
                                             1000,    4096,      10'000,    32'768,     100'000,
                                             260'000, 1'000'000, 3'000'000, 10'000'000, 100'000'000};
const std::vector<std::size_t> quick_sizes = {16, 256, 1000, 4096, 100'000, 1'000'000, 10'000'000};

std::string name(scan_work work) {
    return work == scan_work::inclusive   ? "inclusive"
           : work == scan_work::exclusive ? "exclusive"
                                          : "maximum";
}

template <class T>
cell describe(scan_work work, std::size_t n) {
    return {name(work), type_name<T>(), n, 2 * n * sizeof(T)};
}

template <class T>
void measure(session& current, team& threads, executors& upsweeps, scan_work work, const buffer& from,
             const buffer& to, std::size_t n) {
    const T* in = from.as<const T>();
    T* out = to.as<T>();
    std::vector<contender> list;
    add_copies(list, threads, from, to, n * sizeof(T));
    for (const peer<T>& one : all_peers<T>(work)) add_peer(list, one, threads.size(), in, out, n);
    upsweeps.add_to(list, [=](upsweep::cpu::executor& executor) {
        const std::span<const T> source(in, n);
        const std::span<T> target(out, n);
        switch (work) {
            case scan_work::inclusive:
                return upsweep::inclusive_scan(executor, source, target);
            case scan_work::exclusive:
                return upsweep::exclusive_scan(executor, source, target);
            case scan_work::maximum:
                return upsweep::inclusive_scan(executor, source, target, upsweep::maximum{});
        }
    });
    const expectation<T> expected(work, in, n);
    expect(list, expected, out);
    current.measure(describe<T>(work, n), std::move(list));
}

template <class T>
void measure_all(session& current, team& threads, executors& upsweeps, const std::vector<scan_work>& works,
                 const std::vector<std::size_t>& sizes) {
    struct task {
        scan_work work;
        std::size_t n;
    };
    std::vector<task> tasks;
    for (const std::size_t n : sizes)
        for (const scan_work work : works)
            if (current.fits(4 * n * sizeof(T)) && current.wants(describe<T>(work, n)))
                tasks.push_back({work, n});
    if (tasks.empty()) return;
    const std::size_t bytes = tasks.back().n * sizeof(T);
    const buffer from(bytes, 0, threads);
    const buffer to(bytes, 1, threads);
    fill(from.as<T>(), tasks.back().n);
    for (const task& next : tasks) measure<T>(current, threads, upsweeps, next.work, from, to, next.n);
}

}  // namespace

int main(int argc, char** argv) {
    return run_session(argc, argv, [](session& current) {
        team threads(current.threads());
        executors upsweeps(current.threads());
        const std::vector<scan_work> works = {scan_work::inclusive, scan_work::exclusive, scan_work::maximum};
        const std::vector<std::size_t> sizes = current.quick() ? quick_sizes : full_sizes;
        // The largest size takes most of a run's time; a quick one does it for the plain case alone.
        std::vector<std::size_t> plain_sizes = quick_sizes;
        plain_sizes.push_back(full_sizes.back());

        measure_all<float>(current, threads, upsweeps, {scan_work::inclusive},
                           current.quick() ? plain_sizes : sizes);
        measure_all<float>(current, threads, upsweeps, {scan_work::exclusive, scan_work::maximum}, sizes);
        measure_all<double>(current, threads, upsweeps, works, sizes);
        measure_all<std::int8_t>(current, threads, upsweeps, works, sizes);
        measure_all<std::int32_t>(current, threads, upsweeps, works, sizes);
        measure_all<std::int64_t>(current, threads, upsweeps, works, sizes);
        measure_all<std::int16_t>(current, threads, upsweeps, {scan_work::inclusive},
                                  current.quick()
                                      ? std::vector<std::size_t>{10'000'000}
                                      : std::vector<std::size_t>{1'000'000, 10'000'000, 100'000'000});
    });
}
