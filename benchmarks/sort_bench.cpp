// Sorting of numbers, and of pairs of a key and a value: random ones, some with few small and many large
// values (skewed), and sorted ones; and of numbers in segments of equal length. Peers sort in place, so what
// they take has a copy of the input in it, as long as the memcpy beside it; Upsweep writes its result
// elsewhere, stably.
#include "peers/sorting.hpp"
#include "support/contenders.hpp"
#include "support/session.hpp"
#include "upsweep/segmented_sort.hpp"
#include "upsweep/sort.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <type_traits>

using namespace bench;

namespace {

template <class T>
constexpr const char* name_of() {
    if constexpr (std::is_same_v<T, keyed_value>) return "uint32, uint32";
    if constexpr (std::is_same_v<T, std::uint32_t>) return "uint32";
    return type_name<T>();
}

template <class T>
T number(const std::string& kind, std::mt19937_64& random) {
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(kind == "skewed" ? std::exp(40 * unit * unit * unit) : unit);
    else
        return static_cast<T>(kind == "skewed" ? random() >> (64 - random() % 64 - 1) : random());
}
template <class T>
void fill_for_sort(const std::string& kind, T* data, std::size_t n) {
    std::mt19937_64 random(n);
    for (std::size_t i = 0; i < n; ++i) {
        if constexpr (std::is_same_v<T, keyed_value>)
            data[i] = {number<std::uint32_t>(kind, random), static_cast<std::uint32_t>(i)};
        else
            data[i] = number<T>(kind, random);
    }
    if (kind == "sorted") std::stable_sort(data, data + n);
}

template <class T>
void measure(session& current, team& threads, executors& upsweeps, const std::string& kind, std::size_t n) {
    const std::size_t bytes = n * sizeof(T);
    const cell which{"sort, " + kind, name_of<T>(), n, 2 * bytes};
    if (!current.fits(5 * bytes) || !current.wants(which)) return;
    const buffer from(bytes, 0, threads);
    const buffer to(bytes, 1, threads);
    const buffer sorted(bytes, 2, threads);
    T* const in = from.as<T>();
    T* const out = to.as<T>();
    T* const expected = sorted.as<T>();
    fill_for_sort(kind, in, n);
    std::copy_n(in, n, expected);
    std::stable_sort(expected, expected + n);
    const auto is_sorted = [=](bool stable) {
        if (stable) return std::memcmp(out, expected, bytes) == 0;
        return std::is_sorted(out, out + n);
    };

    std::vector<contender> list;
    add_copies(list, threads, from, to, bytes);
    for (const sorting_peer<T>& peer : sorting_peers<T>()) {
        contender one{peer.name, role::peer, peer.parallel ? threads.size() : 1,
                      repeated([=, sort = peer.sort] {
                          std::memcpy(static_cast<void*>(out), in, bytes);
                          sort(out, n);
                      })};
        one.correct = [=, repeat = one.repeat, stable = peer.stable] {
            repeat(1);
            return is_sorted(stable);
        };
        list.push_back(std::move(one));
    }
    const std::size_t peers = list.size();
    if constexpr (std::is_same_v<T, keyed_value>) {
        // Pairs as two arrays, in the same memory.
        const buffer keys(bytes, 3, threads);
        const buffer results(bytes, 4, threads);
        auto* const k = keys.as<std::uint32_t>();
        auto* const r = results.as<std::uint32_t>();
        for (std::size_t i = 0; i < n; ++i) {
            k[i] = in[i].key;
            k[n + i] = in[i].value;
        }
        upsweeps.add_to(list, [=](auto& executor) {
            upsweep::sort_by_key(executor, std::span(k, n), std::span(k + n, n), std::span(r, n),
                                 std::span(r + n, n));
        });
        for (std::size_t i = peers; i < list.size(); ++i) {
            list[i].correct = [=, repeat = list[i].repeat] {
                std::memset(r, 0x5a, bytes);
                repeat(1);
                for (std::size_t j = 0; j < n; ++j)
                    if (r[j] != expected[j].key || r[n + j] != expected[j].value) return false;
                return true;
            };
        }
        current.measure(which, std::move(list));
    } else {
        upsweeps.add_to(list, [=](auto& executor) {
            upsweep::sort(executor, std::span<const T>(in, n), std::span<T>(out, n));
        });
        for (std::size_t i = peers; i < list.size(); ++i) {
            list[i].correct = [=, repeat = list[i].repeat] {
                std::memset(static_cast<void*>(out), 0x5a, bytes);
                repeat(1);
                return is_sorted(true);
            };
        }
        current.measure(which, std::move(list));
    }
}

template <class T>
void measure_all(session& current, team& threads, executors& upsweeps, std::size_t n) {
    measure<T>(current, threads, upsweeps, "random", n);
    if (n != 10'000'000) return;
    measure<T>(current, threads, upsweeps, "skewed", n);
    measure<T>(current, threads, upsweeps, "sorted", n);
}

// Segments of so many floats, by offsets.
void measure_segments(session& current, team& threads, executors& upsweeps, std::size_t n,
                      std::size_t length) {
    const std::size_t bytes = n * sizeof(float);
    const cell which{"segmented sort, " + std::to_string(length), "float", n, 2 * bytes};
    if (!current.fits(4 * bytes) || !current.wants(which)) return;
    const buffer from(bytes, 0, threads);
    const buffer to(bytes, 1, threads);
    const buffer sorted(bytes, 2, threads);
    auto* const in = from.as<float>();
    auto* const out = to.as<float>();
    auto* const expected = sorted.as<float>();
    std::vector<std::uint32_t> offsets{0};
    while (offsets.back() != n)
        offsets.push_back(static_cast<std::uint32_t>(std::min(n, offsets.back() + length)));
    const std::size_t count = offsets.size() - 1;
    const std::vector<segment_sorting_peer> peers = segment_sorting_peers();
    fill_for_sort("random", in, n);
    std::copy_n(in, n, expected);
    peers.front().sort(expected, offsets.data(), count);

    std::vector<contender> list;
    add_copies(list, threads, from, to, bytes);
    for (const segment_sorting_peer& peer : peers)
        list.push_back({peer.name, role::peer, peer.parallel ? threads.size() : 1,
                        repeated([=, &offsets, sort = peer.sort] {
                            std::memcpy(out, in, bytes);
                            sort(out, offsets.data(), count);
                        })});
    upsweeps.add_to(list, [=, &offsets](auto& executor) {
        upsweep::segmented_sort(executor, upsweep::by_offsets(offsets), std::span<const float>(in, n),
                                std::span<float>(out, n));
    });
    for (contender& one : list)
        if (one.kind != role::copy)
            one.correct = [=, repeat = one.repeat] {
                std::memset(out, 0x5a, bytes);
                repeat(1);
                return std::memcmp(out, expected, bytes) == 0;
            };
    current.measure(which, std::move(list));
}

}  // namespace

int main(int argc, char** argv) {
    return run_session(argc, argv, [](session& current) {
        team threads(current.threads());
        executors upsweeps(current.threads());
        for (const std::size_t n :
             {std::size_t{1'000}, std::size_t{10'000}, std::size_t{100'000}, std::size_t{1'000'000},
              std::size_t{10'000'000}, std::size_t{100'000'000}}) {
            if (current.quick() && n != 1'000'000) continue;
            measure_all<std::uint32_t>(current, threads, upsweeps, n);
            measure_all<std::int64_t>(current, threads, upsweeps, n);
            measure_all<float>(current, threads, upsweeps, n);
            measure_all<double>(current, threads, upsweeps, n);
            measure_all<keyed_value>(current, threads, upsweeps, n);
        }
        for (const std::size_t n : {std::size_t{1} << 22, std::size_t{1} << 24}) {
            for (const std::size_t length : {8, 100, 1'000, 100'000}) {
                if (current.quick() && (n != std::size_t{1} << 22 || length != 100)) continue;
                measure_segments(current, threads, upsweeps, n, length);
            }
        }
    });
}
