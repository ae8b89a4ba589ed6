// The first elements of every row: those of std::stable_sort of the row, bit for bit, and nothing else is
// written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support/backend.hpp"
#include "support/build.hpp"
#include "support/guarded.hpp"
#include "support/sorted.hpp"
#include "upsweep/top_k.hpp"

namespace upsweep::test {
namespace {

template <class T>
std::vector<T> first(const std::vector<T>& all, std::size_t k) {
    return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k)};
}

// Every row by itself.
template <class T>
void check_rows(coverage wanted, std::string_view kind, std::size_t rows, std::size_t length, std::size_t k) {
    SCOPED_TRACE(std::to_string(k) + " of each of " + std::to_string(rows) + " rows of " +
                 std::to_string(length) + ", " + std::string(kind));
    const std::vector<T> x = keys_of<T>(kind, rows * length, length + k);
    for (const bool smallest : {false, true}) {
        std::vector<T> expected;
        std::vector<std::int64_t> places;
        for (std::size_t row = 0; row < rows; ++row) {
            const auto begin = x.begin() + static_cast<std::ptrdiff_t>(row * length);
            const std::vector<T> own(begin, begin + static_cast<std::ptrdiff_t>(length));
            for (const std::size_t i : first(sorted_indices(own, !smallest), k)) {
                expected.push_back(own[i]);
                places.push_back(static_cast<std::int64_t>(i));
            }
        }
        guarded<T> out;
        guarded<std::int64_t> indices;
        for_each_backend(wanted, [&](const auto& backend) {
            out.reset(rows * k, length % 7);
            top_k_rows(*backend.executor, rows, x, out.span(), {.smallest = smallest});
            expect_same(expected, out);
            indices.reset(rows * k, 1);
            top_k_row_indices(*backend.executor, rows, x, indices.span(), {.smallest = smallest});
            expect_same(places, indices);
        });
    }
}
template <class T>
class top_k_rows_of_type : public testing::Test {};
TYPED_TEST_SUITE(top_k_rows_of_type, every_key);

TYPED_TEST(top_k_rows_of_type, every_kind) {
    if (thread_sanitizer && sizeof(TypeParam) != 4) return;
    std::size_t turn = 0;
    for (const std::size_t length : {1, 2, 7, 32, 64, 100, 256, 257, 300, 1'000, 1'024, 4'100}) {
        const std::size_t rows = std::max<std::size_t>(2, repetitions(9'000, 3'000, 2'000) / length);
        for (const std::size_t k : {std::size_t{1}, length / 8, length / 2, length})
            if (k <= length)
                check_rows<TypeParam>(coverage::threads, key_kinds[turn++ % key_kinds.size()], rows, length,
                                      k);
    }
}
TEST(top_k_rows, few_long_ones) {
    const std::size_t length = repetitions(300'007, 20'007, 30'007);
    check_rows<float>(coverage::threads, "special", 3, length, 100);
    check_rows<float>(coverage::threads, "any bits", 2, length, length / 3);
    check_rows<std::int64_t>(coverage::threads, "few values", 3, length, 5'000);
    check_rows<std::uint8_t>(coverage::threads, "any bits", 5, length, 70);
}
TEST(top_k_rows, many) {
    const std::size_t rows = repetitions(30'011, 2'011, 4'011);
    check_rows<float>(coverage::threads, "special", rows, 8, 2);
    check_rows<float>(coverage::threads, "any bits", rows / 8, 64, 8);
    check_rows<std::int16_t>(coverage::threads, "few values", rows / 8, 129, 4);
    check_rows<double>(coverage::threads, "any bits", rows / 32, 700, 12);
}
TEST(top_k_rows, nothing) {
    const std::vector<float> none, some{1, 2, 3};
    std::vector<float> out;
    std::vector<int> indices;
    for_each_backend(coverage::threads, [&](const auto& backend) {
        top_k_rows(*backend.executor, 0, none, out);
        top_k_rows(*backend.executor, 3, some, out);
        top_k_rows(*backend.executor, 3, none, out);
        top_k_row_indices(*backend.executor, 0, none, indices);
    });
}

}  // namespace
}  // namespace upsweep::test
