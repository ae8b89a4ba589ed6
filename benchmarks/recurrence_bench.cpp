// x[i] = a[i] x[i-1] + b[i], against the loop that says just that and a copy that moves the same bytes (two
// arrays read, one written).
#include "peers/special_loops.hpp"
#include "support/contenders.hpp"
#include "support/session.hpp"
#include "upsweep/recurrence.hpp"

using namespace bench;

namespace {

template <class T>
void measure(session& current, team& threads, executors& upsweeps, std::size_t n) {
    const cell which{"linear recurrence", type_name<T>(), n, 3 * n * sizeof(T)};
    if (!current.fits(8 * n * sizeof(T)) || !current.wants(which)) return;
    const std::size_t bytes = n * sizeof(T);
    const buffer slopes(2 * bytes, 0, threads);  // long enough for a copy of half the bytes moved
    const buffer shifts(bytes, 1, threads);
    const buffer result(2 * bytes, 2, threads);
    const T* a = slopes.as<const T>();
    const T* b = shifts.as<const T>();
    T* out = result.as<T>();
    fill(slopes.as<T>(), n);
    fill(shifts.as<T>(), n);

    std::vector<T> expected(n);
    recurrence_loop(a, b, T{1}, expected.data(), n);

    std::vector<contender> list;
    add_copies(list, threads, slopes, result, which.bytes / 2);
    list.push_back({"plain loop", role::peer, 1, repeated([=] { recurrence_loop(a, b, T{1}, out, n); })});
    upsweeps.add_to(list, [=](upsweep::cpu::executor& executor) {
        upsweep::linear_recurrence(executor, std::span<const T>(a, n), std::span<const T>(b, n), T{1},
                                   std::span<T>(out, n));
    });
    for (contender& one : list)
        if (one.kind != role::copy)
            one.correct = [&, run = one.repeat] {
                std::memset(out, 0xff, bytes);
                run(1);
                for (std::size_t i = 0; i < n; ++i)  // slopes below 1 forget earlier rounding
                    if (!(std::abs(out[i] - expected[i]) <= T(1e-3) * (1 + expected[i]))) return false;
                return true;
            };
    current.measure(which, std::move(list));
}

}  // namespace

int main(int argc, char** argv) {
    return run_session(argc, argv, [](session& current) {
        team threads(current.threads());
        executors upsweeps(current.threads());
        for (const std::size_t n : {std::size_t{1000}, std::size_t{100'000}, std::size_t{1'000'000},
                                    std::size_t{10'000'000}, std::size_t{100'000'000}}) {
            if (current.quick() && n != 1000 && n != 10'000'000) continue;
            measure<float>(current, threads, upsweeps, n);
            measure<double>(current, threads, upsweeps, n);
        }
    });
}
