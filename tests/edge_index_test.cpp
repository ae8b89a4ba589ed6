// Lookups of bins by a table, against find_bin.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/edge_sets.hpp"
#include "upsweep/bin_range.hpp"
#include "upsweep/cpu/edge_index.hpp"

namespace upsweep::test {
namespace {

template <class T>
void check_edges() {
    for (const std::vector<T>& edges : edge_sets<T>()) {
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
}
TEST(edge_index, floats) { check_edges<float>(); }
TEST(edge_index, doubles) { check_edges<double>(); }
TEST(edge_index, integers) {
    check_edges<std::int8_t>();
    check_edges<std::uint8_t>();
    check_edges<std::int16_t>();
    check_edges<std::uint16_t>();
    check_edges<std::int32_t>();
    check_edges<std::uint32_t>();
    check_edges<std::int64_t>();
    check_edges<std::uint64_t>();
}

}  // namespace
}  // namespace upsweep::test
