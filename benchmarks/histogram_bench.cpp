// Histograms and bin extraction of random elements in few, hundreds of, and many bins. A histogram reads its
// input once; extraction reads it twice and writes it once, which is compared with a copy of it.
#include "peers/binning.hpp"
#include "support/contenders.hpp"
#include "support/session.hpp"
#include "upsweep/bins.hpp"

#include <cstring>
#include <span>
#include <string>

using namespace bench;

namespace {

template <class T>
void measure(session& current, team& threads, executors& upsweeps, std::size_t n, std::uint32_t bins) {
    const T hi = std::is_floating_point_v<T> ? T(1) : T(100);
    const std::size_t bytes = n * sizeof(T);
    const std::string words = ", " + std::to_string(bins) + " bins";
    const cell counted{"histogram" + words, type_name<T>(), n, bytes};
    const cell extracted{"bins" + words, type_name<T>(), n, 2 * bytes};
    if (!current.fits(4 * bytes) || !(current.wants(counted) || current.wants(extracted))) return;

    const buffer from(2 * bytes, 0, threads);
    const buffer to(2 * bytes, 1, threads);
    T* const in = from.as<T>();
    T* const out = to.as<T>();
    fill(in, n);
    const upsweep::bin_range<T> range{0, hi, bins};
    const std::span<const T> source(in, n);
    const std::span<T> target(out, n);
    std::vector<std::uint64_t> found(std::size_t{bins} + 1), expected(std::size_t{bins} + 1);
    const std::span<std::uint64_t> counts(found.data(), bins);
    const auto run = [&](const cell& which, auto scan, auto add_peers, auto check) {
        if (!current.wants(which)) return;
        std::vector<contender> list;
        add_copies(list, threads, from, to, which.bytes / 2);
        add_peers(list);
        upsweeps.add_to(list, scan);
        for (contender& one : list)
            if (one.kind != role::copy)
                one.correct = [&, check, repeat = one.repeat] {
                    std::memset(out, 0x5a, bytes);
                    std::fill(found.begin(), found.end(), 7);
                    repeat(1);
                    return check();
                };
        current.measure(which, std::move(list));
    };
    histogram_loop(in, n, T(0), hi, bins, expected.data());
    run(
        counted, [&](auto& executor) { upsweep::histogram(executor, source, counts, range); },
        [&](std::vector<contender>& list) {
            list.push_back({"plain loop", role::peer, 1,
                            repeated([&] { histogram_loop(in, n, T(0), hi, bins, found.data()); })});
            list.push_back({"OpenMP", role::peer, threads.size(),
                            repeated([&] { histogram_openmp(in, n, T(0), hi, bins, found.data()); })});
            list.back().settle = openmp_settle();
        },
        [&] { return std::equal(counts.begin(), counts.end(), expected.begin()); });
    std::vector<T> sorted(n);
    bins_loop(in, sorted.data(), n, T(0), hi, bins, expected.data());
    run(
        extracted, [&](auto& executor) { upsweep::bins(executor, source, target, found, range); },
        [&](std::vector<contender>& list) {
            list.push_back({"plain loop", role::peer, 1,
                            repeated([&] { bins_loop(in, out, n, T(0), hi, bins, found.data()); })});
        },
        [&] { return found == expected && std::memcmp(out, sorted.data(), bytes) == 0; });
}

}  // namespace

int main(int argc, char** argv) {
    return run_session(argc, argv, [](session& current) {
        team threads(current.threads());
        executors upsweeps(current.threads());
        for (const std::size_t n : {std::size_t{100'000}, std::size_t{1'000'000}, std::size_t{10'000'000},
                                    std::size_t{100'000'000}}) {
            if (current.quick() && n != 1'000'000) continue;
            for (const std::uint32_t bins : {8u, 256u, 65'536u}) {
                measure<float>(current, threads, upsweeps, n, bins);
                measure<double>(current, threads, upsweeps, n, bins);
                if (bins > 256) continue;
                measure<std::int8_t>(current, threads, upsweeps, n, bins);
                measure<std::int32_t>(current, threads, upsweeps, n, bins);
            }
        }
    });
}
