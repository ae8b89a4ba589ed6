// What hands a scan's state from chunk to chunk, the chain and the regions, as a script on one thread: every
// order in which the steps of several threads can come and every choice they can make, on words and on the
// engines' own kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "src/cpu/engine-impl.hpp"
#include "src/cpu/segmented-impl.hpp"
#include "support/bits.hpp"
#include "support/guarded.hpp"
#include "support/monoids.hpp"
#include "support/random.hpp"
#include "support/schedules.hpp"
#include "support/simulation.hpp"
#include "support/sweep.hpp"
#include "support/word_kernel.hpp"
#include "upsweep/cpu/generic.hpp"
#include "upsweep/segmented_scan.hpp"

namespace upsweep::test {
namespace {

// simulate(kernel, schedule) in every order of steps; how many there are.
template <class Kernel = word_kernel, class Simulate>
std::size_t check_all_schedules(std::size_t chunks, const Simulate& simulate) {
    all_schedules schedules;
    std::size_t count = 0;
    Kernel kernel(chunks);
    do {
        kernel.reset();
        kernel.expect_right("S", simulate(kernel, std::ref(schedules)));
        ++count;
    } while (schedules.next() && !::testing::Test::HasFailure());
    return count;
}

// ---- the chain ----

template <class Kernel = word_kernel>
std::size_t check_all_chains(std::size_t threads, std::size_t chunks) {
    return check_all_schedules<Kernel>(chunks, [&](const Kernel& kernel, const auto& schedule) {
        return simulate_chain(kernel, threads, chunks, std::string("S"), schedule);
    });
}
TEST(chain_script, every_schedule) {
    EXPECT_EQ(check_all_chains(1, 6), 32u);  // five chunks, each in one pass or in two
    EXPECT_GT(check_all_chains(2, 6), 600u);
    EXPECT_GT(check_all_chains(3, 4), 2000u);
    EXPECT_GT(check_all_chains(4, 2), 200u);
}
TEST(chain_script, every_schedule_with_summaries_ahead) {
    EXPECT_EQ(check_all_chains<ahead<word_kernel>>(1, 6), 32u);
    EXPECT_GT(check_all_chains<ahead<word_kernel>>(2, 6), 600u);
    EXPECT_GT(check_all_chains<ahead<word_kernel>>(3, 4), 2000u);
}
TEST(chain_script, random_schedules) {
    random_bits random(6);
    int ahead_times = 0;
    for (std::size_t i = 0; i < repetitions(20000, 600) && !HasFailure(); ++i) {
        const std::size_t chunks = 1 + random.below(12);
        const word_kernel kernel(chunks);
        const ahead<word_kernel> looking(chunks);
        const std::size_t threads = 1 + random.below(5);
        const auto choose = [&](std::size_t n) { return random.below(n); };
        kernel.expect_right("S", simulate_chain(kernel, threads, chunks, std::string("S"), choose));
        looking.expect_right("S", simulate_chain(looking, threads, chunks, std::string("S"), choose));
        ahead_times += looking.times.load();
    }
    EXPECT_GT(ahead_times, 100);
}

// ---- regions ----

std::size_t check_all_regions(std::size_t helpers, std::size_t regions) {
    return check_all_schedules(regions, [&](const word_kernel& kernel, const auto& schedule) {
        return simulate_regions(kernel, helpers, regions, std::string("S"), schedule);
    });
}
TEST(regions_script, every_schedule) {
    EXPECT_GT(check_all_regions(1, 2), 10u);
    EXPECT_GT(check_all_regions(1, 3), 100u);
    EXPECT_GT(check_all_regions(1, 4), 100u);
    EXPECT_GT(check_all_regions(2, 2), 10u);
}
TEST(regions_script, random_schedules) {
    random_bits random(8);
    for (std::size_t i = 0; i < repetitions(20000, 600) && !HasFailure(); ++i) {
        const std::size_t regions = 1 + random.below(40);
        const word_kernel kernel(regions);
        kernel.expect_right("S", simulate_regions(kernel, 1 + random.below(6), regions, std::string("S"),
                                                  [&](std::size_t n) { return random.below(n); }));
    }
}

// How the work is divided when every helper is there from the start: a step of each in turn.
TEST(regions_script, division) {
    for (const std::size_t helpers : {1u, 2u, 3u, 7u, 15u, 63u}) {
        for (const std::size_t regions : {64u, 100u, 128u}) {
            const word_kernel kernel(regions);
            std::size_t turn = 0;
            kernel.expect_right("", simulate_regions(kernel, helpers, regions, std::string(),
                                                     [&](std::size_t n) { return turn++ % n; }));
            std::size_t summarised = 0;
            for (const auto& times : kernel.summarised) summarised += static_cast<std::size_t>(times.load());
            const double share = static_cast<double>(regions) / static_cast<double>(helpers + 1);
            EXPECT_EQ(kernel.summarised.back().load(), 0) << "the tail is the caller's";
            EXPECT_GT(static_cast<double>(summarised), 0.5 * share * static_cast<double>(helpers));
            EXPECT_LT(static_cast<double>(summarised), static_cast<double>(regions) - 0.5 * share);
        }
    }
}

// ---- the engines' own kernels, in random schedules of both ----

// A state that crosses a tile, or a super, in one kind of pass and not in the other would show in the bits.
template <class Kernel, class State, class Check>
void simulate_many(const Kernel& kernel, std::size_t chunks, const State& initial, const Check& check) {
    random_bits random(chunks);
    for (std::size_t i = 0; i < repetitions(60, 2) && !::testing::Test::HasFailure(); ++i) {
        SCOPED_TRACE("schedule " + std::to_string(i));
        const auto choose = [&](std::size_t n) { return random.below(n); };
        check(simulate_chain(kernel, 1 + i % 4, chunks, initial, choose));
        check(simulate_regions(kernel, 1 + i % 3, chunks, initial, choose));
    }
}

template <class T, class Op>
void check_generic_engine(std::size_t chunk_size, std::size_t n, bool exclusive, std::optional<T> initial) {
    const Op op;
    const auto values = sequence<T, Op>(n, 31);
    const auto expected = prefixes<T>(span_of(values), op, initial);
    std::vector<T> out(n);
    const std::identity same;
    const cpu::element_source<T, T, std::identity> source{std::begin(values), 1, same};
    const cpu::element_sink<T, T> sink{out.data(), 1, expected[0]};
    using engine = cpu::generic_engine<T, Op, decltype(source), decltype(sink)>;
    const engine kernel(source, sink, op, n, exclusive, chunk_size);
    const std::size_t chunks = (n + chunk_size - 1) / chunk_size;
    const typename engine::state start{{initial, {}, 0}, {}};
    simulate_many(kernel, chunks, start, [&](const auto& state) {
        EXPECT_EQ(first_difference(out.data(), std::begin(expected) + (exclusive ? 0 : 1), n), n);
        EXPECT_TRUE(same_bits(*state.last, expected[n]));
        std::ranges::fill(out, T{});
    });
}
TEST(chain_script, generic_engine) {
    constexpr std::size_t tile = core::tile_size;
    check_generic_engine<word, concatenate>(tile, 5 * tile + 130, false, {});
    check_generic_engine<word, concatenate>(2 * tile, 9 * tile, true, word::letter('!'));
    check_generic_engine<std::uint64_t, fingerprint>(tile, 6 * tile + 1, false, {});
    check_generic_engine<std::uint64_t, fingerprint>(16 * tile, 70 * tile + 77, false,
                                                     5u);  // across two supers
    check_generic_engine<brackets, bicyclic>(tile, 6 * tile, true, {});
    check_generic_engine<std::int32_t, plus>(tile, 5 * tile + 3, false, {});  // exact
}

// Where results go; streamed at an alignment at which the kernels stream by themselves, or not.
enum class results { cached, past_caches, streamed, streamed_misaligned };

// Reverse: the elements lie back to front.
template <class T, class Op>
void check_vector_engine(std::size_t chunk_size, std::size_t n, bool exclusive, bool staged, results where,
                         bool reverse = false) {
    const auto values = sequence<T, Op>(n, 32);
    auto expected = prefixes<T>(span_of(values), Op());
    auto lying = values;
    if (reverse) std::reverse(std::begin(lying), std::end(lying));
    const T last = expected[n];
    std::valarray<T> results_of(n);
    for (std::size_t i = 0; i < n; ++i)
        results_of[reverse ? n - 1 - i : i] = expected[i + (exclusive ? 0 : 1)];
    // Streamed backwards, the end is what has to be aligned.
    const std::size_t aligned = reverse ? (64 - n % 64) % 64 : 0;
    const std::size_t offset = where == results::streamed ? aligned : 3;
    const bool streaming = where == results::streamed || where == results::streamed_misaligned;
    guarded<T> out(n, offset);
    const std::ptrdiff_t stride = reverse ? -1 : 1;
    const std::size_t front = reverse ? n - 1 : 0;
    cpu::source<T> source = cpu::make_source<T>(std::begin(lying) + front, stride);
    const cpu::sink<T> sink = cpu::make_sink<T>(out.data() + front, stride);
    if (staged) {  // as if elements had to be converted
        source.direct = nullptr;
        source.plain = false;
    }
    for (const cpu::simd_level level : cpu::supported_simd_levels()) {
        SCOPED_TRACE(std::string(cpu::name(level)));
        using engine = cpu::scan_engine<T, is_exact<Op, T>>;
        const auto& operation = cpu::operation_of<T, Op>;
        const engine kernel(operation, level, source, sink, {n, exclusive, false, 0}, streaming,
                            where == results::past_caches, chunk_size);
        simulate_many(kernel, (n + chunk_size - 1) / chunk_size, typename engine::state(operation.identity),
                      [&](const auto& state) {
                          EXPECT_EQ(first_difference(out.data(), std::begin(results_of), n), n);
                          EXPECT_TRUE(same_bits(state.last, last));
                          EXPECT_TRUE(out.sentinels_intact());
                          out.reset(n, offset);
                      });
    }
}
TEST(chain_script, vector_engine) {
    constexpr std::size_t tile = core::tile_size;
    using enum results;
    check_vector_engine<float, plus>(tile, 5 * tile + 130, false, false, cached);
    check_vector_engine<float, plus>(2 * tile, 10 * tile - 1, true, true, cached);
    check_vector_engine<float, plus>(2 * tile, 9 * tile - 256, false, false, past_caches);
    check_vector_engine<double, multiplies>(tile, 2 * tile + 1000, true, false, past_caches);
    check_vector_engine<float, plus>(8 * tile, 70 * tile + 77, false, false, streamed);  // across two supers
    check_vector_engine<float, plus>(tile, 3 * tile + 5, true, false, streamed_misaligned);
    check_vector_engine<double, plus>(tile, 6 * tile, true, false, streamed);
    check_vector_engine<std::int8_t, plus>(tile, 6 * tile + 5, false, true, cached);
    check_vector_engine<std::int64_t, plus>(tile, 4 * tile + 4095, true, false, cached);
    check_vector_engine<std::int64_t, plus>(tile, 4 * tile + 9, false, false, streamed_misaligned);
}
TEST(chain_script, vector_engine_backwards) {
    constexpr std::size_t tile = core::tile_size;
    using enum results;
    for (const results where : {cached, past_caches, streamed, streamed_misaligned}) {
        for (const bool staged : {false, true}) {
            SCOPED_TRACE("results " + std::to_string(static_cast<int>(where)) + (staged ? ", staged" : ""));
            check_vector_engine<float, plus>(tile, 5 * tile + 130, staged, staged, where, true);
            check_vector_engine<double, plus>(2 * tile, 4 * tile + 31, !staged, staged, where, true);
            check_vector_engine<std::int8_t, plus>(tile, 6 * tile + 5, staged, staged, where, true);
            check_vector_engine<std::int64_t, plus>(tile, 4 * tile + 9, !staged, staged, where, true);
        }
    }
}

// Segments of every length, some longer than a super. Only head flags: heads_test.cpp has the rest.
template <class T, class Op>
void check_segmented_engine(std::size_t chunk_size, std::size_t n, double mean_length, bool exclusive,
                            bool streaming, bool reverse) {
    const auto values = sequence<T, Op>(n, 33);
    random_bits random(n);
    std::vector<std::uint8_t> heads(n);  // in scan order
    for (std::size_t i = 0; i < n; ++i) heads[i] = i == 0 || random.unit() * mean_length < 1;
    const Op op;
    const T initial = values[n / 2];
    const auto joined = [&](const std::pair<bool, T>& a, const std::pair<bool, T>& b) {
        return std::pair<bool, T>(a.first || b.first, b.first ? b.second : op(a.second, b.second));
    };
    core::odometer<std::pair<bool, T>, decltype(joined)> odometer(joined);
    std::valarray<T> expected(n), lying(n);
    T last{};
    for (std::size_t i = 0; i < n; ++i) {
        const bool head = heads[i] != 0;
        const T before = i == 0 || head ? initial : odometer.value()->second;
        odometer.take({head, head ? op(initial, values[i]) : values[i]});
        last = odometer.value()->second;
        expected[reverse ? n - 1 - i : i] = exclusive ? before : last;
        lying[reverse ? n - 1 - i : i] = values[i];
    }
    if (reverse) {  // a segment that starts at scan position i ends in front of the element that lies at n -
                    // i
        std::vector<std::uint8_t> lying_heads(n);
        for (std::size_t i = 1; i < n; ++i) lying_heads[n - i] = heads[i];
        heads = lying_heads;
    }
    const by_head_flags segments(heads);
    const cpu::head_marks marks = cpu::marks_of(segments, n, reverse);
    const cpu::segment_options<T> options{initial, initial};
    const cpu::scan_shape shape{n, exclusive, false, 2 * n * sizeof(T)};
    const std::ptrdiff_t stride = reverse ? -1 : 1;
    const std::size_t front = reverse ? n - 1 : 0;
    guarded<T> out(n, 3);
    for (const cpu::simd_level level : cpu::supported_simd_levels()) {
        SCOPED_TRACE(std::string(cpu::name(level)));
        using engine = cpu::segmented_engine<T, Op>;
        const engine kernel(level, cpu::make_source<T>(std::begin(lying) + front, stride),
                            cpu::make_sink<T>(out.data() + front, stride), shape, marks, options, streaming,
                            chunk_size);
        simulate_many(kernel, (n + chunk_size - 1) / chunk_size, typename engine::state(),
                      [&](const auto& state) {
                          EXPECT_EQ(first_difference(out.data(), std::begin(expected), n), n);
                          EXPECT_TRUE(same_bits(static_cast<T>(state.last), last));
                          EXPECT_TRUE(out.sentinels_intact());
                          out.reset(n, 3);
                      });
    }
}
TEST(chain_script, segmented_engine) {
    constexpr std::size_t tile = core::tile_size;
    std::size_t number = 0;
    for (const double mean_length : {1.0, 3.0, 150.0, 20000.0, 1e9}) {
        for (const bool streaming : {false, true}) {
            const bool exclusive = number % 2 != 0;
            const bool reverse = number / 2 % 2 != 0;
            SCOPED_TRACE("segments of about " + std::to_string(mean_length));
            check_segmented_engine<float, plus>(tile, 5 * tile + 130 + number, mean_length, exclusive,
                                                streaming, reverse);
            check_segmented_engine<double, multiplies>(2 * tile, 7 * tile - number, mean_length, !exclusive,
                                                       streaming, reverse);
            check_segmented_engine<std::int8_t, plus>(tile, 3 * tile + 63 + number, mean_length, exclusive,
                                                      streaming, !reverse);
            ++number;
        }
    }
    check_segmented_engine<float, plus>(8 * tile, 70 * tile + 77, 100000, false, false, false);
}

}  // namespace
}  // namespace upsweep::test
