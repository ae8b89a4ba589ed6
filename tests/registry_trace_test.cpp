// Traces as data: every step follows from the one before by its actions, and the last one is the scan.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "registry/back_end.hpp"
#include "registry/trace.hpp"
#include "registry/trace_terms.hpp"
#include "support/build.hpp"
#include "support/random.hpp"
#include "upsweep/core/reference.hpp"
#include "upsweep/error.hpp"
#include "upsweep/operators.hpp"

namespace upsweep::test {
namespace {

using registry::dtype;
using registry::operation;
using registry::trace_algorithm;
using registry::trace_report;
using registry::trace_request;
using registry::value;

std::string text_of(const std::optional<value>& cell) { return cell ? format_value(*cell) : "."; }

trace_report traced(const trace_request& request) {
    registry::add_back_ends();
    return run_trace(request);
}

TEST(registry_trace, needs_the_emulator_but_for_the_tree) {
    registry::add_emulated_trace(nullptr);
    for (const auto& about : registry::trace_algorithms()) {
        trace_request request{.algorithm = about.algorithm};
        request.elements.assign(3, value::of(dtype::int64, std::int64_t{1}));
        if (!about.is_emulated) {
            EXPECT_EQ(format_value(run_trace(request).result.back()), "3");
            continue;
        }
        try {
            (void)run_trace(request);
            ADD_FAILURE() << about.name;
        } catch (const error& problem) {
            EXPECT_EQ(problem.code(), errc::unsupported);
            EXPECT_NE(std::string(problem.what()).find("which this build lacks"), std::string::npos);
        }
    }
}

// What stands in every cell, by the actions alone.
class replay {
  public:
    replay(const trace_request& request, const trace_report& report) : request_(request), report_(report) {
        for (std::size_t a = 0; a < report.arrays.size(); ++a) {
            const std::string& name = report.arrays[a].name;
            const auto array = static_cast<unsigned>(a);
            if (name == "identity") put({array, 0}, neutral_element(request.op, request.type));
            if (name == "initial" && request.initial) put({array, 0}, *request.initial);
            if (name == "0") put({array, 0}, value::of(dtype::uint32, 0u));
        }
        for (unsigned i = 0; i < report.threads; ++i) {
            const bool there = i < request.elements.size();
            put({0, i}, there ? request.elements[i] : neutral_element(request.op, request.type));
        }
    }

    void check() {
        for (const registry::trace_step& step : report_.steps) follow(step);
    }

  private:
    using key = std::pair<unsigned, unsigned>;
    void put(registry::trace_cell cell, const value& held) { cells_[key(cell.array, cell.index)] = held; }
    value get(registry::trace_cell cell) const {
        const auto found = cells_.find(key(cell.array, cell.index));
        EXPECT_NE(found, cells_.end()) << cell_text(report_, cell);
        return found == cells_.end() ? value() : found->second;
    }

    // All actions of a step see what was before it.
    void follow(const registry::trace_step& step) {
        std::vector<std::pair<registry::trace_cell, value>> made;
        for (const registry::trace_action& action : step.actions) {
            EXPECT_EQ(action.to.array, step.array) << step.label;
            const operation op = info(request_.algorithm).is_partition ? operation::plus : request_.op;
            const value left = get(action.left);
            made.emplace_back(action.to, action.right ? combined(op, left, get(*action.right)) : left);
        }
        for (const auto& [cell, held] : made) put(cell, held);
        // Partitions begin with flags that no action makes.
        for (unsigned i = 0; step.actions.empty() && i < step.cells.size(); ++i)
            if (step.cells[i]) put({step.array, i}, *step.cells[i]);
        for (unsigned i = 0; i < step.cells.size(); ++i) {
            const auto found = cells_.find(key(step.array, i));
            const std::string replayed = found == cells_.end() ? "." : text_of(found->second);
            ASSERT_EQ(text_of(step.cells[i]), replayed) << step.label << ", cell " << i;
        }
    }

    const trace_request& request_;
    const trace_report& report_;
    std::map<key, value> cells_;
};

std::vector<value> numbers(std::size_t count, dtype type, random_bits& random) {
    std::vector<value> made;
    for (std::size_t i = 0; i < count; ++i) {
        const auto small = static_cast<std::int64_t>(random() % 5) - 2;
        made.push_back(registry::parse_value(std::to_string(small), type));
    }
    return made;
}

// The scan of small integers, whose sums and products are exact in every grouping.
std::vector<std::string> scan_of(const trace_request& request) {
    std::optional<value> so_far = request.initial;
    std::vector<std::string> results;
    const std::size_t count = std::max<std::size_t>(request.threads, request.elements.size());
    for (std::size_t i = 0; i < count; ++i) {
        const value neutral = neutral_element(request.op, request.type);
        const value element = i < request.elements.size() ? request.elements[i] : neutral;
        if (request.exclusive) results.push_back(format_value(so_far ? *so_far : neutral));
        so_far = so_far ? combined(request.op, *so_far, element) : element;
        if (!request.exclusive) results.push_back(format_value(*so_far));
    }
    if (request.algorithm == trace_algorithm::warp_reduce) results.assign(count, format_value(*so_far));
    return results;
}

void check_scan(const trace_request& request) {
    const auto& about = info(request.algorithm);
    SCOPED_TRACE(std::string(about.name) + ", " + std::to_string(request.elements.size()) + " " +
                 std::string(name(request.type)) + ", " + std::to_string(request.threads) +
                 " threads, warps of " + std::to_string(request.warp_width) +
                 (request.exclusive ? ", exclusive" : "") + (request.initial ? ", initial" : "") + ", " +
                 std::string(name(request.op)));
    const trace_report report = traced(request);
    std::vector<std::string> results;
    for (const value& result : report.result) results.push_back(format_value(result));
    EXPECT_EQ(results, scan_of(request));
    if (!about.is_emulated) return;  // one action after the other; see tree
    replay(request, report).check();
    // The last row is the result.
    std::vector<std::string> last;
    for (const auto& cell : report.steps.back().cells) last.push_back(text_of(cell));
    EXPECT_EQ(last, results);
    std::uint64_t combines = 0;
    for (const registry::trace_step& step : report.steps)
        for (const registry::trace_action& action : step.actions) combines += action.right.has_value();
    EXPECT_EQ(combines, report.counts.combines);
}

constexpr trace_algorithm block_scans[] = {trace_algorithm::hillis_steele,
                                           trace_algorithm::hillis_steele_double, trace_algorithm::blelloch,
                                           trace_algorithm::block_scan};

void check_forms(trace_request request, random_bits& random, std::size_t count) {
    request.elements = numbers(count, request.type, random);
    for (const bool exclusive : {false, true}) {
        request.exclusive = exclusive;
        request.initial.reset();
        check_scan(request);
        request.initial = numbers(1, request.type, random).front();
        check_scan(request);
    }
}

TEST(registry_trace, block_scans_of_every_size) {
    random_bits random(1);
    for (const trace_algorithm algorithm : block_scans) {
        for (std::size_t count = 1; count <= 34; count += repetitions(1, 11))
            check_forms({.algorithm = algorithm}, random, count);
        for (const std::size_t count : {63, 65, 129}) {
            if (sanitized && count != 65) continue;
            check_forms({.algorithm = algorithm, .type = dtype::int32}, random, count);
        }
        trace_request most{.algorithm = algorithm, .type = dtype::float32};
        most.elements = numbers(repetitions(1024, 300), most.type, random);
        check_scan(most);
    }
}

TEST(registry_trace, warps_of_every_width) {
    random_bits random(2);
    for (unsigned width = 1; width <= 64; width *= 2) {
        for (std::size_t count = 1; count <= width; count += repetitions(1, 1 + width / 8)) {
            check_forms({.algorithm = trace_algorithm::warp_scan, .warp_width = width}, random, count);
            trace_request reduce{.algorithm = trace_algorithm::warp_reduce, .warp_width = width};
            reduce.elements = numbers(count, reduce.type, random);
            check_scan(reduce);
        }
        // As many warps as one of them has lanes, and around that.
        const std::size_t most = std::min<std::size_t>(std::size_t{width} * width, 70);
        for (std::size_t count = width > 8 ? 60 : 1; count <= most; count += repetitions(1, 3))
            check_forms({.algorithm = trace_algorithm::block_scan, .warp_width = width}, random, count);
    }
}

TEST(registry_trace, types_and_operators) {
    random_bits random(3);
    for (const operation op : registry::operations()) {
        for (const dtype type : {dtype::bool8, dtype::int8, dtype::uint16, dtype::int32, dtype::uint64,
                                 dtype::float32, dtype::float64, dtype::complex64, dtype::complex128}) {
            if (!accepts(op, type)) continue;
            for (const trace_algorithm algorithm : block_scans) {
                trace_request request{
                    .algorithm = algorithm, .op = op, .type = type, .threads = 13, .warp_width = 4};
                for (const char* word : {"1", "0", "1", "1", "0", "1", "1", "1", "0", "1", "1"})
                    request.elements.push_back(registry::parse_value(word, type));
                check_scan(request);
                request.exclusive = true;
                check_scan(request);
            }
        }
    }
}

TEST(registry_trace, narrow_elements_are_loaded_as_scans_load_them) {
    const std::int8_t narrow[] = {-1, 127, -128};
    const auto wide = registry::trace_elements(dtype::int8, narrow, 3, operation::plus, dtype::int64);
    const auto same = registry::trace_elements(dtype::int8, narrow, 3, operation::maximum, dtype::int8);
    const auto truth = registry::trace_elements(dtype::int8, narrow, 3, operation::logical_and, dtype::bool8);
    const auto real = registry::trace_elements(dtype::int8, narrow, 3, operation::plus, dtype::float32);
    ASSERT_EQ(wide.size(), 3u);
    EXPECT_EQ(wide[2].type(), dtype::int64);
    EXPECT_EQ(wide[2].as<std::int64_t>(), -128);
    EXPECT_EQ(same[0].as<std::int8_t>(), -1);
    EXPECT_TRUE(truth[1].as<bool>());
    EXPECT_EQ(real[0].as<float>(), -1.0f);
}

TEST(registry_trace, partitions) {
    random_bits random(4);
    for (const trace_algorithm algorithm :
         {trace_algorithm::warp_partition, trace_algorithm::warp_partition_scans}) {
        for (unsigned width = 1; width <= 64; width *= 2) {
            for (std::size_t count = 1; count <= width; count += repetitions(1, 1 + width / 8)) {
                trace_request request{.algorithm = algorithm, .type = dtype::float32, .warp_width = width};
                request.pivot = "0";
                request.elements = numbers(count, request.type, random);
                SCOPED_TRACE(std::to_string(count) + " of " + std::to_string(width));
                const trace_report report = traced(request);
                std::vector<float> expected;
                for (const bool left : {true, false}) {
                    for (const value& element : request.elements)
                        if ((element.as<float>() < 0) == left) expected.push_back(element.as<float>());
                    if (left) {
                        EXPECT_EQ(report.left_count, expected.size());
                    }
                }
                std::vector<float> results;
                for (const value& result : report.result) results.push_back(result.as<float>());
                EXPECT_EQ(results, expected);
                replay(request, report).check();
            }
        }
    }
}

// The parts of the tree, from their actions one after the other.
TEST(registry_trace, tree) {
    random_bits random(5);
    for (const bool exclusive : {false, true}) {
        for (const bool has_initial : {false, true}) {
            trace_request request{
                .algorithm = trace_algorithm::tree, .exclusive = exclusive, .type = dtype::float32};
            if (has_initial) request.initial = value::of(dtype::float32, 1e6f);
            for (int i = 0; i < 9000; ++i)
                request.elements.push_back(
                    value::of(dtype::float32, static_cast<float>(random() % 1000) / 7.0f));
            const trace_report report = traced(request);

            std::map<std::string, std::string> cells;
            core::odometer<float, plus> reference({}, has_initial ? std::optional(1e6f) : std::nullopt);
            ASSERT_EQ(report.steps.size(), request.elements.size() + has_initial);
            ASSERT_EQ(report.result.size(), request.elements.size());
            const std::string neutral = format_value(neutral_element(operation::plus, dtype::float32));
            for (std::size_t i = 0; i < request.elements.size(); ++i) {
                const auto& step = report.steps[i + has_initial];
                const auto before = reference.value();
                reference.take(request.elements[i].as<float>());
                const auto prefix = exclusive ? before : reference.value();
                const std::string expected =
                    prefix ? format_value(value::of(dtype::float32, *prefix)) : neutral;
                ASSERT_EQ(format_value(report.result[i]), expected) << i;
                ASSERT_EQ(text_of(step.cells.back()), expected) << i;
                const auto parts = reference.parts();
                for (std::size_t k = 0; k < parts.size(); ++k) {
                    const std::string part =
                        parts[k] ? format_value(value::of(dtype::float32, *parts[k])) : ".";
                    ASSERT_EQ(text_of(step.cells[5 - k]), part) << i << " " << k;
                }
            }
            // A carry through all parts but the last.
            std::string words;
            for (const auto& action : report.steps[8192 + has_initial].actions) {
                words += cell_text(report, action.to) + "=" + cell_text(report, action.left);
                if (action.right) words += "+" + cell_text(report, *action.right);
                words += ' ';
            }
            EXPECT_NE(words.find("V=V+L R=R+V T=T+R L=x "), std::string::npos) << words;
        }
    }
}

TEST(registry_trace, tree_reaches_its_last_part) {
    trace_request request{.algorithm = trace_algorithm::tree};
    request.elements.assign(131072 + 4096, value::of(dtype::int64, std::int64_t{1}));
    const trace_report report = traced(request);
    EXPECT_EQ(format_value(report.result.back()), "135168");
    EXPECT_EQ(text_of(report.steps[131072].cells[1]), "131072");
    request.elements.push_back(request.elements.front());
    EXPECT_THROW((void)traced(request), error);
}

TEST(registry_trace, counts) {
    const auto counts_of = [](trace_algorithm algorithm, std::size_t count, unsigned width) {
        trace_request request{
            .algorithm = algorithm, .exclusive = true, .type = dtype::int32, .warp_width = width};
        request.elements.assign(count, value::of(dtype::int32, 1));
        return traced(request).counts;
    };
    const auto in_place = counts_of(trace_algorithm::hillis_steele, 8, 32);
    EXPECT_EQ(in_place.combines, 17u);
    EXPECT_EQ(in_place.depth, 3u);
    EXPECT_EQ(in_place.barriers, 7u);
    EXPECT_EQ(in_place.reads, 24u);
    EXPECT_EQ(in_place.writes, 25u);
    EXPECT_EQ(in_place.shuffles, 0u);
    EXPECT_EQ(counts_of(trace_algorithm::hillis_steele_double, 8, 32).barriers, 4u);
    const auto sweeps = counts_of(trace_algorithm::blelloch, 1024, 32);
    EXPECT_EQ(sweeps.combines,
              1023u + 1013u);  // the down-sweep has nothing to combine where nothing is before
    EXPECT_EQ(sweeps.barriers, 20u);
    EXPECT_EQ(sweeps.passes, sweeps.requests);
    EXPECT_EQ(sweeps.worst_degree, 1u);
    const auto warps = counts_of(trace_algorithm::block_scan, 16, 4);
    EXPECT_EQ(warps.barriers, 2u);
    EXPECT_EQ(warps.shuffles, 4u * 2 + 2 + 4);  // in warps, of totals, to the next lane
    EXPECT_EQ(warps.ballots, 0u);
    const auto odd = counts_of(trace_algorithm::blelloch, 1023, 32);
    EXPECT_GT(odd.passes, odd.requests);
}

TEST(registry_trace, what_cannot_be_traced) {
    const auto refused = [](trace_request request, std::size_t count, const std::string& part) {
        request.elements.assign(count, value::of(dtype::int64, std::int64_t{1}));
        try {
            (void)traced(request);
            ADD_FAILURE() << part;
        } catch (const error& problem) {
            EXPECT_EQ(problem.code(), errc::invalid_argument);
            EXPECT_NE(std::string(problem.what()).find(part), std::string::npos) << problem.what();
        }
    };
    refused({.algorithm = trace_algorithm::blelloch}, 0, "blelloch: there are no elements");
    refused({.algorithm = trace_algorithm::blelloch}, 1025,
            "at most 1024 elements (a block has at most 1024 threads)");
    refused({.algorithm = trace_algorithm::warp_scan}, 33, "takes at most 32 elements");
    refused({.algorithm = trace_algorithm::block_scan, .warp_width = 4}, 17, "takes at most 16 elements");
    refused({.algorithm = trace_algorithm::warp_scan, .warp_width = 48}, 3, "a power of two from 1 to 64");
    refused({.algorithm = trace_algorithm::warp_scan, .warp_width = 0}, 3, "a power of two from 1 to 64");
    refused({.algorithm = trace_algorithm::hillis_steele, .threads = 4}, 5, "4 threads, expected 5");
    refused({.algorithm = trace_algorithm::hillis_steele, .threads = 1025}, 5, "to 1024");
    refused({.algorithm = trace_algorithm::tree, .threads = 8}, 5, "has no threads without an element");
    refused({.algorithm = trace_algorithm::warp_reduce, .exclusive = true}, 5, "has no exclusive form");
    refused({.algorithm = trace_algorithm::warp_partition, .pivot = "five"}, 5,
            "int64 is compared with an integer");
}

}  // namespace
}  // namespace upsweep::test
