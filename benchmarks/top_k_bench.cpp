// The greatest of random floats, of a sequence and of each of many rows, beside reading as many bytes. Peers
// give elements alone, and so does Upsweep here, with which of equal bits they are.
#include "peers/selection.hpp"
#include "support/contenders.hpp"
#include "support/session.hpp"
#include "upsweep/top_k.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

using namespace bench;

namespace {

void fill_at_random(float* data, std::size_t n) {
    std::mt19937_64 random(n);
    std::uniform_real_distribution<float> unit;
    std::generate_n(data, n, [&] { return unit(random); });
}

// Lets all but the copies prove that they give these.
void expect_bits(std::vector<contender>& list, const std::vector<float>& expected, float* out) {
    for (contender& one : list) {
        if (one.kind == role::copy) continue;
        one.correct = [&, out, repeat = one.repeat] {
            std::fill_n(out, expected.size(), -1.0f);
            repeat(1);
            return std::memcmp(out, expected.data(), expected.size() * sizeof(float)) == 0;
        };
    }
}

void measure(session& current, team& threads, executors& upsweeps, std::size_t n, std::size_t k) {
    const std::size_t bytes = n * sizeof(float);
    const cell which{"top " + std::to_string(k), "float", n, bytes};
    if (!current.fits(4 * bytes) || !current.wants(which)) return;
    const buffer from(bytes, 0, threads), to(bytes, 1, threads), aside(bytes, 2, threads);
    const float* const in = from.as<const float>();
    float* const out = to.as<float>();
    float* const room = aside.as<float>();
    fill_at_random(from.as<float>(), n);
    std::vector<float> expected(k);
    std::partial_sort_copy(in, in + n, expected.begin(), expected.end(), std::greater<>());

    std::vector<contender> list;
    add_reads(list, threads, from, to, bytes);
    for (const selection_peer& peer : selections) {
        const bool is_parallel = std::strstr(peer.name, "par_unseq") != nullptr;
        list.push_back({peer.name, role::peer, is_parallel ? threads.size() : 1,
                        repeated([=, select = peer.select] { select(in, out, room, n, k); })});
    }
    upsweeps.add_to(list,
                    [=](auto& executor) { upsweep::top_k(executor, std::span(in, n), std::span(out, k)); });
    expect_bits(list, expected, out);
    current.measure(which, std::move(list));
}

void measure_rows(session& current, team& threads, executors& upsweeps, std::size_t rows, std::size_t n,
                  std::size_t k) {
    const std::size_t bytes = rows * n * sizeof(float);
    const cell which{"top " + std::to_string(k) + " of rows of " + std::to_string(n), "float", rows * n,
                     bytes};
    if (!current.fits(3 * bytes) || !current.wants(which)) return;
    const buffer from(bytes, 0, threads), to(bytes, 1, threads);
    const float* const in = from.as<const float>();
    float* const out = to.as<float>();
    fill_at_random(from.as<float>(), rows * n);
    std::vector<float> expected(rows * k);
    select_of_rows(in, expected.data(), rows, n, k);

    std::vector<contender> list;
    add_reads(list, threads, from, to, bytes);
    list.push_back({"std::partial_sort_copy, oneTBB", role::peer, threads.size(),
                    repeated([=] { select_of_rows(in, out, rows, n, k); })});
    upsweeps.add_to(list, [=](auto& executor) {
        upsweep::top_k_rows(executor, rows, std::span(in, rows * n), std::span(out, rows * k));
    });
    expect_bits(list, expected, out);
    current.measure(which, std::move(list));
}

}  // namespace

int main(int argc, char** argv) {
    return run_session(argc, argv, [](session& current) {
        team threads(current.threads());
        executors upsweeps(current.threads());
        for (const std::size_t n : {1000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000}) {
            if (current.quick() && n != 1'000'000) continue;
            for (const std::size_t k : {1, 10, 100, 1000, 100'000})
                if (k <= n / 10) measure(current, threads, upsweeps, n, k);
        }
        measure_rows(current, threads, upsweeps, 131'072, 64, 8);
        if (current.quick()) return;
        measure_rows(current, threads, upsweeps, 10'000, 1000, 10);
        measure_rows(current, threads, upsweeps, 80, 131'072, 50);
    });
}
