// Elements repeated as often as 32-bit counts say, of 1, 2, 10 and 100 results each on average, and the
// indices of those they are of. A copy moves the counts and elements that are read and the results that are
// written.
#include "peers/repetition.hpp"
#include "support/contenders.hpp"
#include "support/session.hpp"
#include "upsweep/repeat.hpp"

#include <cstring>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

using namespace bench;

namespace {

template <class T>
const char* name_of() {
    if constexpr (std::is_same_v<T, std::uint8_t>)
        return "uint8";
    else
        return type_name<T>();
}

// About so many results, of counts from 0 to twice the mean.
template <class T>
void measure(session& current, team& threads, executors& upsweeps, std::size_t wanted, std::uint32_t mean) {
    const std::size_t n = wanted / mean;
    std::minstd_rand random(7);
    std::vector<std::int32_t> counts(n);
    for (std::int32_t& count : counts) count = static_cast<std::int32_t>(random() % (2 * mean + 1));
    const std::size_t results = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    const std::string words = ", " + std::to_string(mean);
    const cell elements{"repeat" + words, name_of<T>(), wanted, n * (4 + sizeof(T)) + results * sizeof(T)};
    const cell indices{"repeat_indices" + words, "int32", wanted, (n + results) * 4};
    const bool with_indices = std::is_same_v<T, float>;
    const std::size_t bytes =
        std::max({n * sizeof(T), results * std::max<std::size_t>(4, sizeof(T)), elements.bytes / 2});
    if (!current.fits(2 * bytes + 16 * n) ||
        !(current.wants(elements) || (with_indices && current.wants(indices))))
        return;
    const buffer from(bytes, 0, threads), to(bytes, 1, threads);
    const T* const in = from.as<const T>();
    T* const out = to.as<T>();
    auto* const out_indices = to.as<std::int32_t>();
    fill(from.as<T>(), n);
    std::vector<T> expected(results);
    std::vector<std::int32_t> expected_indices(with_indices ? results : 0);
    std::vector<std::int64_t> offsets(n);
    repeat_loop(in, counts.data(), expected.data(), n);
    if (with_indices) repeat_indices_loop(counts.data(), expected_indices.data(), n);

    std::size_t found = 0;  // what the latest call returned
    const auto run = [&](const cell& which, const auto& call, const auto& wanted_results,
                         const std::vector<counting_peer>& peers) {
        if (!current.wants(which)) return;
        std::vector<contender> list;
        add_copies(list, threads, from, to, which.bytes / 2);
        add_counting(list, threads.size(), upsweeps, found, peers, call);
        for (contender& one : list)
            if (one.kind != role::copy)
                one.correct = [&, repeat = one.repeat] {
                    const std::size_t size = results * sizeof wanted_results[0];
                    std::memset(to.as<std::byte>(), 0x5a, size);
                    repeat(1);
                    return found == results &&
                           std::memcmp(to.as<std::byte>(), wanted_results.data(), size) == 0;
                };
        current.measure(which, std::move(list));
    };
    run(elements,
        [&](auto& ex) { return upsweep::repeat(ex, std::span(in, n), counts, std::span(out, results)); },
        expected,
        {{"plain loop", false, [&] { return repeat_loop(in, counts.data(), out, n); }},
         {"std, oneTBB", true, [&] { return repeat_parallel(in, counts.data(), offsets.data(), out, n); }}});
    if (with_indices)
        run(indices,
            [&](auto& ex) { return upsweep::repeat_indices(ex, counts, std::span(out_indices, results)); },
            expected_indices,
            {{"plain loop", false, [&] { return repeat_indices_loop(counts.data(), out_indices, n); }}});
}

}  // namespace

int main(int argc, char** argv) {
    return run_session(argc, argv, [](session& current) {
        team threads(current.threads());
        executors upsweeps(current.threads());
        for (const std::size_t results : {std::size_t{1000}, std::size_t{100'000}, std::size_t{1'000'000},
                                          std::size_t{10'000'000}, std::size_t{100'000'000}}) {
            if (current.quick() && results != 1'000'000) continue;
            for (const std::uint32_t mean : {1, 2, 10, 100}) {
                measure<std::uint8_t>(current, threads, upsweeps, results, mean);
                measure<float>(current, threads, upsweeps, results, mean);
                measure<double>(current, threads, upsweeps, results, mean);
            }
        }
    });
}
