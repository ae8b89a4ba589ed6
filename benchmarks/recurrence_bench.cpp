// x[i] = a[i] x[i-1] + b[i], against the loop that says just that and a copy that moves the same bytes (two
// arrays read, or one where all have one coefficient, and one written). Coefficients are in [0, 1), or, where
// it decays slowly, in (0.99, 1]; the one is 0.9.
#include <array>
#include <string>

#include "peers/special_loops.hpp"
#include "support/contenders.hpp"
#include "support/session.hpp"
#include "upsweep/recurrence.hpp"

using namespace bench;

namespace {

constexpr const char* slow_decay = "linear recurrence, slow decay";

// loop(a, b, out) and ours(executor, a, b, out)
template <class T, class Loop, class Ours>
void measure(session& current, team& threads, executors& upsweeps, const cell& which, const Loop& loop,
             const Ours& ours) {
    const std::size_t n = which.n;
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
    if (which.work == slow_decay)
        for (std::size_t i = 0; i < n; ++i) slopes.as<T>()[i] = 1 - slopes.as<T>()[i] / 100;

    std::vector<T> expected(n);
    loop(a, b, expected.data());

    std::vector<contender> list;
    add_copies(list, threads, slopes, result, which.bytes / 2);
    list.push_back({"plain loop", role::peer, 1, repeated([=] { loop(a, b, out); })});
    upsweeps.add_to(list, [=](upsweep::cpu::executor& executor) { ours(executor, a, b, out); });
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

template <class T>
void measure_sequence(session& current, team& threads, executors& upsweeps, std::size_t n,
                      const char* work = "linear recurrence") {
    measure<T>(
        current, threads, upsweeps, {work, type_name<T>(), n, 3 * n * sizeof(T)},
        [=](const T* a, const T* b, T* out) { recurrence_loop(a, b, T{1}, out, n); },
        [=](upsweep::cpu::executor& executor, const T* a, const T* b, T* out) {
            upsweep::linear_recurrence(executor, std::span<const T>(a, n), std::span<const T>(b, n), T{1},
                                       std::span<T>(out, n));
        });
}

// Of one coefficient.
template <class T>
void measure_smoothing(session& current, team& threads, executors& upsweeps, std::size_t n) {
    constexpr T decay = T(0.9);
    measure<T>(
        current, threads, upsweeps,
        {"linear recurrence, one coefficient", type_name<T>(), n, 2 * n * sizeof(T)},
        [=](const T*, const T* b, T* out) { smoothing_loop(decay, b, T{1}, out, n); },
        [=](upsweep::cpu::executor& executor, const T*, const T* b, T* out) {
            upsweep::linear_recurrence(executor, decay, std::span<const T>(b, n), T{1}, std::span<T>(out, n));
        });
}

template <class T>
void measure_axis(session& current, team& threads, executors& upsweeps, std::size_t rows, std::size_t columns,
                  int axis) {
    const std::size_t n = rows * columns;
    measure<T>(
        current, threads, upsweeps,
        {"linear recurrence, axis " + std::to_string(axis), type_name<T>(), n, 3 * n * sizeof(T),
         std::to_string(rows) + "x" + std::to_string(columns)},
        [=](const T* a, const T* b, T* out) {
            if (axis == 0) return recurrence_rows_loop(a, b, T{1}, out, rows, columns);
            for (std::size_t at = 0; at < n; at += columns)
                recurrence_loop(a + at, b + at, T{1}, out + at, columns);
        },
        [=](upsweep::cpu::executor& executor, const T* a, const T* b, T* out) {
            const std::array<std::int64_t, 2> shape{static_cast<std::int64_t>(rows),
                                                    static_cast<std::int64_t>(columns)};
            upsweep::linear_recurrence(executor, upsweep::strided_view<const T>(a, shape),
                                       upsweep::strided_view<const T>(b, shape), T{1},
                                       upsweep::strided_view<T>(out, shape), axis);
        });
}

}  // namespace

int main(int argc, char** argv) {
    return run_session(argc, argv, [](session& current) {
        team threads(current.threads());
        executors upsweeps(current.threads());
        for (const std::size_t n : {std::size_t{1000}, std::size_t{100'000}, std::size_t{1'000'000},
                                    std::size_t{10'000'000}, std::size_t{100'000'000}}) {
            if (current.quick() && n != 1000 && n != 10'000'000) continue;
            measure_sequence<float>(current, threads, upsweeps, n);
            measure_sequence<double>(current, threads, upsweeps, n);
            measure_smoothing<float>(current, threads, upsweeps, n);
            measure_smoothing<double>(current, threads, upsweeps, n);
        }
        for (const std::size_t n : {std::size_t{100'000}, std::size_t{10'000'000}}) {
            if (current.quick()) continue;
            measure_sequence<float>(current, threads, upsweeps, n, slow_decay);
            measure_sequence<double>(current, threads, upsweeps, n, slow_decay);
        }
        for (const int axis : {0, 1}) {
            measure_axis<float>(current, threads, upsweeps, 4096, 4096, axis);
            if (!current.quick()) measure_axis<double>(current, threads, upsweeps, 4096, 4096, axis);
        }
        // Rows of which several share a page.
        if (!current.quick()) measure_axis<float>(current, threads, upsweeps, 65536, 256, 0);
    });
}
