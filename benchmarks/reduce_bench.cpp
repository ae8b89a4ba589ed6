// Totals of whole arrays, and along either axis of two-dimensional ones, beside reading as many bytes, the
// peers, and the scan of which they are the last results.
#include "peers/totals.hpp"
#include "support/contenders.hpp"
#include "support/session.hpp"
#include "upsweep/upsweep.hpp"

#include <algorithm>
#include <array>

using namespace bench;

namespace {

const std::vector<std::size_t> full_sizes = {1000,      10'000,     100'000,    260'000,
                                             1'000'000, 10'000'000, 100'000'000};
const std::vector<std::size_t> quick_sizes = {1000, 100'000, 10'000'000};

// Float sums of many elements in a plain loop lose more than this allows, so that of those Upsweep alone is
// checked.
template <class T>
bool is_near(T value, double expected) {
    return std::abs(static_cast<double>(value) - expected) <= 1e-3 * expected;
}

template <class T>
cell describe(total_work work, std::size_t n) {
    return {work == total_work::sum ? "total" : "total maximum", type_name<T>(), n, n * sizeof(T)};
}

template <class T>
void measure(session& current, team& threads, executors& upsweeps, total_work work, const buffer& from,
             const buffer& to, std::size_t n) {
    const T* in = from.as<const T>();
    const std::span<const T> source(in, n);
    T found{};
    std::vector<contender> list;
    add_reads(list, threads, from, to, n * sizeof(T));
    for (const total_peer<T>& one : total_peers<T>(work)) {
        list.push_back({std::string(one.name), role::peer, one.parallel ? threads.size() : 1,
                        repeated([=, &found, run = one.run] { found = run(in, n); })});
        if (one.parallel && one.name.starts_with("OpenMP")) list.back().settle = openmp_settle();
    }
    const std::span<T> target(to.as<T>(), n);
    const auto scan = [=](upsweep::cpu::executor& executor) {
        if (work == total_work::sum)
            upsweep::inclusive_scan(executor, source, target);
        else
            upsweep::inclusive_scan(executor, source, target, upsweep::maximum{});
    };
    list.push_back({"inclusive_scan", role::orientation, threads.size(),
                    repeated([scan, &ex = upsweeps.all] { scan(ex); })});
    list.push_back({"inclusive_scan, 1 thread", role::orientation, 1,
                    repeated([scan, &ex = upsweeps.one] { scan(ex); })});
    upsweeps.add_to(list, [=, &found](upsweep::cpu::executor& executor) {
        found = work == total_work::sum ? upsweep::reduce(executor, source)
                                        : upsweep::reduce(executor, source, upsweep::maximum{});
    });
    double sum = 0;
    std::uint64_t wrapped = 0;
    for (std::size_t i = 0; i < n; ++i) {
        sum += static_cast<double>(in[i]);
        wrapped += static_cast<std::uint64_t>(in[i]);  // of integers
    }
    const T exact = work == total_work::sum ? static_cast<T>(wrapped) : *std::max_element(in, in + n);
    for (contender& one : list) {
        const bool rounds = std::is_floating_point_v<T> && work == total_work::sum;
        if (one.kind == role::copy || one.kind == role::orientation ||
            (rounds && n > 1'000'000 && one.kind != role::upsweep))
            continue;
        one.correct = [=, &found, repeat = one.repeat] {
            found = T(-1);
            repeat(1);
            return rounds ? is_near(found, sum) : found == exact;
        };
    }
    current.measure(describe<T>(work, n), std::move(list));
}

template <class T>
void measure_all(session& current, team& threads, executors& upsweeps, const std::vector<total_work>& works) {
    std::vector<std::size_t> wanted;
    for (const std::size_t n : current.quick() ? quick_sizes : full_sizes)
        if (current.fits(4 * n * sizeof(T))) wanted.push_back(n);
    for (const total_work work : works) {
        std::vector<std::size_t> sizes;
        for (const std::size_t n : wanted)
            if (current.wants(describe<T>(work, n))) sizes.push_back(n);
        if (sizes.empty()) continue;
        const buffer from(sizes.back() * sizeof(T), 0, threads), to(sizes.back() * sizeof(T), 1, threads);
        fill(from.as<T>(), sizes.back());
        for (const std::size_t n : sizes) measure<T>(current, threads, upsweeps, work, from, to, n);
    }
}

void measure_axis(session& current, team& threads, executors& upsweeps, matrix shape, int axis) {
    const std::size_t results = axis == 0 ? shape.columns : shape.rows, bytes = shape.size() * sizeof(float);
    const cell which{"totals along axis " + std::to_string(axis), "float", shape.size(),
                     bytes + results * sizeof(float),
                     std::to_string(shape.rows) + "x" + std::to_string(shape.columns)};
    if (!current.fits(4 * bytes) || !current.wants(which)) return;
    const buffer from(bytes, 0, threads), to(bytes, 1, threads);
    const float* in = from.as<const float>();
    float* out = to.as<float>();
    fill(from.as<float>(), shape.size());
    std::vector<double> sums(results);
    for (std::size_t row = 0; row < shape.rows; ++row)
        for (std::size_t column = 0; column < shape.columns; ++column)
            sums[axis == 0 ? column : row] += static_cast<double>(in[row * shape.columns + column]);

    std::vector<contender> list;
    add_reads(list, threads, from, to, bytes);
    list.push_back({"plain loop", role::peer, 1, repeated([=] { axis_totals_loop(in, out, shape, axis); })});
    list.push_back(
        {"OpenMP", role::peer, threads.size(), repeated([=] { axis_totals_openmp(in, out, shape, axis); })});
    list.back().settle = openmp_settle();
    const std::array<std::int64_t, 2> extents = {static_cast<std::int64_t>(shape.rows),
                                                 static_cast<std::int64_t>(shape.columns)};
    const auto left = static_cast<std::int64_t>(results);
    const upsweep::strided_view<const float> source(in, extents);
    list.push_back({"inclusive_scan", role::orientation, threads.size(), repeated([=, &ex = upsweeps.all] {
                        upsweep::inclusive_scan(ex, source, upsweep::strided_view<float>(out, extents), axis);
                    })});
    upsweeps.add_to(list, [=](upsweep::cpu::executor& executor) {
        upsweep::reduce(executor, source, upsweep::strided_view<float>(out, {left}), axis);
    });
    for (contender& one : list) {
        if (one.kind != role::upsweep) continue;
        one.correct = [=, &sums, run = one.repeat] {
            std::memset(out, 0xff, results * sizeof(float));
            run(1);
            return std::equal(sums.begin(), sums.end(), out,
                              [](double expected, float got) { return is_near(got, expected); });
        };
    }
    current.measure(which, std::move(list));
}

}  // namespace

int main(int argc, char** argv) {
    return run_session(argc, argv, [](session& current) {
        team threads(current.threads());
        executors upsweeps(current.threads());
        measure_all<float>(current, threads, upsweeps, {total_work::sum, total_work::maximum});
        measure_all<double>(current, threads, upsweeps, {total_work::sum});
        measure_all<std::int32_t>(current, threads, upsweeps, {total_work::sum});
        measure_all<std::int8_t>(current, threads, upsweeps, {total_work::sum});
        for (const matrix shape :
             {matrix{std::size_t{1} << 22, 16}, matrix{4096, 4096}, matrix{16, std::size_t{1} << 22}})
            for (const int axis : {0, 1})
                if (!current.quick()) measure_axis(current, threads, upsweeps, shape, axis);
    });
}
