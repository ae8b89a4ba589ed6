// Lookups of bins by a table, against find_bin: edges that cells suit, and edges that they do not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "support/random.hpp"
#include "upsweep/bin_range.hpp"
#include "upsweep/core/arithmetic.hpp"
#include "upsweep/cpu/edge_index.hpp"

namespace upsweep::test {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

// The edges, their neighbours, numbers between them and far away, NaNs.
template <class T>
std::vector<T> numbers_around(const std::vector<T>& edges) {
    std::vector<T> x{T(0), core::smallest<T>(), core::largest<T>(), std::numeric_limits<T>::lowest(),
                     std::numeric_limits<T>::max()};
    for (const T edge : edges) {
        x.push_back(edge);
        if constexpr (std::floating_point<T>) {
            x.push_back(std::nextafter(edge, T(-inf)));
            x.push_back(std::nextafter(edge, T(inf)));
        } else {
            if (edge != core::smallest<T>()) x.push_back(static_cast<T>(edge - 1));
            if (edge != core::largest<T>()) x.push_back(static_cast<T>(edge + 1));
        }
    }
    if constexpr (std::floating_point<T>) x.insert(x.end(), {T(-0.0), std::numeric_limits<T>::quiet_NaN()});
    random_bits random(edges.size());
    for (std::size_t i = 0; i < 3000; ++i) {
        const auto k = static_cast<std::size_t>(random.below(edges.size() - 1));
        const double share = random.between(0, 1);
        const double between =
            static_cast<double>(edges[k]) * (1 - share) + static_cast<double>(edges[k + 1]) * share;
        if (between < static_cast<double>(core::largest<T>())) x.push_back(static_cast<T>(between));
    }
    return x;
}

template <class T>
void check(const std::vector<T>& edges) {
    const bin_edges<T> bins{edges};
    const std::vector<T> x = numbers_around(edges);
    for (const std::size_t n : {std::size_t{0}, std::size_t{1} << 30}) {  // without a table, and with one
        const cpu::edge_index<T> index(bins, n);
        std::vector<std::uint32_t> found(x.size());
        index.find(x.data(), x.size(), found.data());
        for (std::size_t i = 0; i < x.size(); ++i) {
            ASSERT_EQ(found[i], std::min(find_bin(bins, x[i]), index.bins()))
                << +x[i] << " among " << edges.size() << " edges from " << +edges[0];
        }
    }
}

template <class T, class F>
std::vector<T> edges_of(std::size_t count, const F& edge) {
    std::vector<T> edges;
    for (std::size_t i = 0; i < count; ++i) edges.push_back(static_cast<T>(edge(static_cast<double>(i))));
    return edges;
}

template <class T>
void check_reals() {
    check<T>({0, 1});
    check<T>({5, 5});
    check<T>({T(-0.0), T(0.0), 1});
    check<T>({T(0.5), 1, 2, 2, 2, 50});
    check<T>({T(-inf), 0, 1, T(inf)});
    check<T>({T(-inf), T(inf)});
    check<T>({T(inf), T(inf)});
    check<T>({std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()});
    check<T>({std::numeric_limits<T>::denorm_min(), 3 * std::numeric_limits<T>::denorm_min()});
    check<T>(edges_of<T>(1001, [](double i) { return i / 1000; }));
    check<T>(edges_of<T>(300, [](double i) { return std::pow(1.2, i - 150); }));    // geometric
    check<T>(edges_of<T>(300, [](double i) { return 1 + i * 0x1p-20; }));           // in few octaves
    check<T>(edges_of<T>(300, [](double i) { return i < 299 ? i : 1e30; }));        // one far away
    check<T>(edges_of<T>(300, [](double i) { return std::floor(i / 7); }));         // many alike
    check<T>(edges_of<T>(40, [](double i) { return i < 20 ? i * 0x1p-100 : i; }));  // on two scales
}
TEST(edge_index, floats) { check_reals<float>(); }
TEST(edge_index, doubles) { check_reals<double>(); }

template <class T>
void check_integers() {
    constexpr T least = core::smallest<T>(), most = core::largest<T>();
    check<T>({0, 1});
    check<T>({7, 7});
    check<T>({least, most});
    check<T>({least, 1, 2, 3, most});
    check<T>({3, 3, 3, 3, 3, 3, 9});
    check<T>(edges_of<T>(100, [](double i) { return i; }));
    check<T>(edges_of<T>(11, [](double i) { return i * i; }));
}
TEST(edge_index, integers) {
    check_integers<std::int8_t>();
    check_integers<std::uint8_t>();
    check_integers<std::int16_t>();
    check_integers<std::uint16_t>();
    check_integers<std::int32_t>();
    check_integers<std::uint32_t>();
    check_integers<std::int64_t>();
    check_integers<std::uint64_t>();
}

}  // namespace
}  // namespace upsweep::test
