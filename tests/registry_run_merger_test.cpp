// Runs that are merged a window at a time, against one stable sort of all: few elements, in parts of all
// lengths, so that equal elements lie across parts, runs and windows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "registry/run_merger.hpp"
#include "support/random.hpp"
#include "support/sorted.hpp"
#include "upsweep/error.hpp"

namespace upsweep::test {
namespace {

using registry::dtype;

const registry::device& processor() {
    static const registry::device device("cpu", 2);
    return device;
}

template <class T>
struct run_of {
    std::vector<T> keys;
    std::vector<std::int64_t> indices;
    std::size_t begin = 0, end = 0;  // of the part
};

// x cut into runs, each sorted.
template <class T>
std::vector<run_of<T>> sorted_runs(dtype type, const std::vector<T>& x, random_bits& random, bool descending,
                                   bool with_indices) {
    std::vector<run_of<T>> runs;
    for (std::size_t first = 0; first < x.size();) {
        const std::size_t n = std::min<std::size_t>(1 + random.below(40), x.size() - first);
        run_of<T> run;
        const auto begin = x.begin() + static_cast<std::ptrdiff_t>(first);
        run.keys.assign(begin, begin + static_cast<std::ptrdiff_t>(n));
        run.indices.resize(with_indices ? n : 0);
        registry::sort_run(processor(), type, run.keys.data(), with_indices ? run.indices.data() : nullptr, n,
                           static_cast<std::int64_t>(first), descending);
        runs.push_back(run);
        first += n;
    }
    return runs;
}

// Merges them: each part is as long as chance has it.
template <class T>
void merge_all(dtype type, std::vector<run_of<T>>& runs, random_bits& random, bool descending,
               std::vector<T>& keys, std::vector<std::int64_t>* indices) {
    std::size_t done = 0;
    while (true) {
        std::vector<registry::run_part> parts;
        for (run_of<T>& run : runs) {
            if (run.begin == run.end)
                run.end = std::min<std::size_t>(run.keys.size(), run.begin + 1 + random.below(12));
            parts.push_back({run.keys.data() + run.begin,
                             indices == nullptr ? nullptr : run.indices.data() + run.begin,
                             run.end - run.begin, run.end == run.keys.size(), 0});
        }
        const std::size_t n =
            registry::merge_window(processor(), type, parts, keys.data() + done,
                                   indices == nullptr ? nullptr : indices->data() + done, descending);
        if (n == 0) break;
        bool is_one_used_up = false;
        for (std::size_t k = 0; k < runs.size(); ++k) {
            is_one_used_up = is_one_used_up || (parts[k].count != 0 && parts[k].taken == parts[k].count);
            runs[k].begin += parts[k].taken;
        }
        EXPECT_TRUE(is_one_used_up);
        done += n;
        ASSERT_LE(done, keys.size());
    }
    EXPECT_EQ(done, keys.size());
}

template <class T>
void check(dtype type) {
    SCOPED_TRACE(std::string(registry::name(type)));
    random_bits random(17);
    for (const char* kind : {"special", "few values", "equal", "ascending", "descending", "any bits"}) {
        for (const std::size_t n : {0, 1, 2, 41, 700}) {
            const std::vector<T> x = keys_of<T>(kind, n, random());
            for (const bool descending : {false, true}) {
                const std::vector<std::size_t> order = sorted_indices(x, descending);
                std::vector<T> keys(n);
                std::vector<run_of<T>> runs = sorted_runs(type, x, random, descending, false);
                merge_all<T>(type, runs, random, descending, keys, nullptr);
                EXPECT_TRUE(same_bytes<T>(taken(x, order), keys)) << kind << " " << n;
                std::vector<std::int64_t> indices(n);
                runs = sorted_runs(type, x, random, descending, true);
                merge_all<T>(type, runs, random, descending, keys, &indices);
                EXPECT_TRUE(same_bytes<T>(taken(x, order), keys)) << kind << " " << n;
                EXPECT_EQ(indices, std::vector<std::int64_t>(order.begin(), order.end())) << kind << " " << n;
            }
        }
    }
}

TEST(registry_run_merger, every_type) {
    check<std::int8_t>(dtype::int8);
    check<std::uint8_t>(dtype::uint8);
    check<std::int16_t>(dtype::int16);
    check<std::uint16_t>(dtype::uint16);
    check<std::int32_t>(dtype::int32);
    check<std::uint32_t>(dtype::uint32);
    check<std::int64_t>(dtype::int64);
    check<std::uint64_t>(dtype::uint64);
    check<float16>(dtype::float16);
    check<bfloat16>(dtype::bfloat16);
    check<float>(dtype::float32);
    check<double>(dtype::float64);
}

// Equal elements of a part's end go on in its run: those of later runs have to wait, of earlier ones not.
TEST(registry_run_merger, equal_elements_wait_for_earlier_runs) {
    const std::vector<std::int32_t> first{1, 5}, second{5, 5}, third{5, 9};
    const std::vector<std::int64_t> at_first{0, 1}, at_second{2, 3}, at_third{4, 5};
    std::vector<registry::run_part> parts{{first.data(), at_first.data(), 2, true, 0},
                                          {second.data(), at_second.data(), 2, false, 0},
                                          {third.data(), at_third.data(), 2, true, 0}};
    std::vector<std::int32_t> keys(6);
    std::vector<std::int64_t> indices(6);
    EXPECT_EQ(registry::merge_window(processor(), dtype::int32, parts, keys.data(), indices.data(), false),
              4u);
    EXPECT_EQ(parts[0].taken, 2u);
    EXPECT_EQ(parts[1].taken, 2u);
    EXPECT_EQ(parts[2].taken, 0u);
    keys.resize(4);
    indices.resize(4);
    EXPECT_EQ(keys, (std::vector<std::int32_t>{1, 5, 5, 5}));
    EXPECT_EQ(indices, (std::vector<std::int64_t>{0, 1, 2, 3}));
}

TEST(registry_run_merger, complex_numbers_have_no_order) {
    EXPECT_THROW(registry::sort_run(processor(), dtype::complex64, nullptr, nullptr, 0, 0, false), error);
}

}  // namespace
}  // namespace upsweep::test
