// Histograms, bin extraction and totals by bin of random elements in few, hundreds of, and many bins. A
// histogram reads its input once, as totals do, which have a value beside every element; extraction reads it
// twice and writes it once, which is compared with a copy of it.
#include "peers/binning.hpp"
#include "support/contenders.hpp"
#include "support/session.hpp"
#include "upsweep/bin_totals.hpp"
#include "upsweep/bins.hpp"

#include <cmath>
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

// A plain loop of a million floats has some four digits.
template <class T>
bool are_about(const std::vector<T>& totals, const std::vector<T>& expected) {
    for (std::size_t b = 0; b < totals.size(); ++b) {
        const auto is = static_cast<double>(totals[b]), should_be = static_cast<double>(expected[b]);
        if (!(std::abs(is - should_be) <= 1e-2 * std::abs(should_be))) return false;
    }
    return true;
}

template <class T>
void measure_totals(session& current, team& threads, executors& upsweeps, std::size_t n, std::uint32_t bins) {
    const T hi = std::is_floating_point_v<T> ? T(1) : T(1'000'000);
    const std::size_t bytes = 2 * n * sizeof(T);
    const cell totalled{"totals by bin, " + std::to_string(bins) + " bins", type_name<T>(), n, bytes};
    if (!current.fits(2 * bytes) || !current.wants(totalled)) return;

    const buffer from(bytes, 0, threads);
    const buffer to(bytes, 1, threads);
    T* const in = from.as<T>();
    fill(in, 2 * n);
    if (std::is_integral_v<T>)  // of more digits
        for (std::size_t i = 0; i < n; ++i) in[i] += 100 * in[i + 1] + 10'000 * in[i + 2];
    const upsweep::bin_range<T> range{0, hi, bins};
    const std::span<const T> source(in, n), values(in + n, n);
    std::vector<T> totals(bins), expected(bins);
    upsweep::bin_totals(upsweeps.one, source, values, expected, range);
    std::vector<contender> list;
    add_copies(list, threads, from, to, bytes / 2);
    list.push_back({"plain loop", role::peer, 1,
                    repeated([&] { bin_totals_loop(in, in + n, n, T(0), hi, bins, totals.data()); })});
    list.push_back({"OpenMP", role::peer, threads.size(),
                    repeated([&] { bin_totals_openmp(in, in + n, n, T(0), hi, bins, totals.data()); })});
    list.back().settle = openmp_settle();
    upsweeps.add_to(list,
                    [&](auto& executor) { upsweep::bin_totals(executor, source, values, totals, range); });
    for (contender& one : list)
        if (one.kind != role::copy)
            one.correct = [&, repeat = one.repeat, is_own = one.kind == role::upsweep] {
                std::fill(totals.begin(), totals.end(), T(7));
                repeat(1);
                return is_own ? totals == expected : are_about(totals, expected);
            };
    current.measure(totalled, std::move(list));
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
                if (n <= 10'000'000) {
                    measure_totals<float>(current, threads, upsweeps, n, bins);
                    measure_totals<double>(current, threads, upsweeps, n, bins);
                    measure_totals<std::int32_t>(current, threads, upsweeps, n, bins);
                    measure_totals<std::int64_t>(current, threads, upsweeps, n, bins);
                }
                if (bins > 256) continue;
                measure<std::int8_t>(current, threads, upsweeps, n, bins);
                measure<std::int32_t>(current, threads, upsweeps, n, bins);
            }
        }
    });
}
