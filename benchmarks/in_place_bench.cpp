// Inclusive sums in place, against a read-modify-write of the same bytes. The array is scanned again and
// again, so its values overflow; no contender's time depends on them.
#include "support/contenders.hpp"
#include "support/session.hpp"

using namespace bench;

namespace {

template <class T>
cell describe(std::size_t n) {
    return {"in place", type_name<T>(), n, 2 * n * sizeof(T)};
}

template <class T>
void measure(session& current, team& threads, executors& upsweeps, std::size_t n) {
    if (!current.fits(4 * n * sizeof(T)) || !current.wants(describe<T>(n))) return;
    const buffer original(n * sizeof(T), 0, threads);
    const buffer scanned(n * sizeof(T), 1, threads);
    fill(original.as<T>(), n);
    T* data = scanned.as<T>();

    std::vector<contender> list;
    add_read_modify_writes(list, threads, scanned, n * sizeof(T));
    for (const peer<T>& one : all_peers<T>(scan_work::inclusive))
        if (one.in_place) add_peer(list, one, threads.size(), data, data, n);
    upsweeps.add_to(list, [=](upsweep::cpu::executor& executor) {
        upsweep::inclusive_scan(executor, std::span<const T>(data, n), std::span<T>(data, n));
    });
    const expectation<T> expected(scan_work::inclusive, original.as<const T>(), n);
    for (contender& one : list)
        if (one.kind != role::copy)
            one.correct = [&, run = one.repeat] {
                copy_plain(threads, scanned.as<std::byte>(), original.as<const std::byte>(), n * sizeof(T));
                run(1);
                return expected.matches(data);
            };
    current.measure(describe<T>(n), std::move(list));
}

}  // namespace

int main(int argc, char** argv) {
    return run_session(argc, argv, [](session& current) {
        team threads(current.threads());
        executors upsweeps(current.threads());
        for (const std::size_t n : {std::size_t{100'000}, std::size_t{1'000'000}, std::size_t{10'000'000},
                                    std::size_t{100'000'000}}) {
            measure<float>(current, threads, upsweeps, n);
            if (current.quick()) continue;
            measure<double>(current, threads, upsweeps, n);
            measure<std::int32_t>(current, threads, upsweeps, n);
            measure<std::int64_t>(current, threads, upsweeps, n);
        }
    });
}
