// OpenGL and Vulkan under test: an executor for host memory, so that the tests of the CPU's scans run on a
// device unchanged. Included in front of a test's source, it takes the place of the CPU's back ends:
//
//     #include "shader/backend.hpp"
//
//     #include "../float_scan_test.cpp"
//
// Such a source is compiled once for both: an executor is told the pair of type and operator as a value.
// gl_backends.cpp and vulkan_backends.cpp supply the executors, one of them to each program.
//
// Each call carries its arrays to buffers, at the misalignment of the host's pointers and with poison and
// guards around them, scans there, and brings the results back. Every third call takes its length from a
// buffer. What the stages do not combine is left out when a test is compiled; what a device lacks, when it
// runs: the test's output says what, and a test of which nothing is left counts as skipped.
#pragma once

#define UPSWEEP_TEST_SHADERS 1

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "support/host_runs.hpp"
#include "support/host_segments.hpp"
#include "upsweep/concepts.hpp"
#include "upsweep/options.hpp"
#include "upsweep/recurrence.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/shader/axis_way.hpp"
#include "upsweep/shader/conformance.hpp"
#include "upsweep/shader/operation.hpp"

namespace upsweep::test {

// For the report on the test that runs: a scan that it has made, and scans that it has not.
void count_scan();
void leave_out(const std::string& what);

// A scan without types; elements are those of `op`.
struct shader_call {
    shader::operation op;
    const void* in;
    void* out;
    std::size_t size;
    bool exclusive, reverse;
    const void* initial;  // null: none
    void* total;          // null: not asked for
    bool length_in_buffer;
    std::size_t surplus;  // elements of the buffers behind the sequence
};

// A total without types.
struct shader_total_call {
    shader::operation op;
    const void* in;
    std::size_t size;
    const void* initial;  // null: none
    void* total;
    bool length_in_buffer;
    std::size_t surplus;
};

// A scan, or totals, along an axis of arrays whose bytes, with all that lies between the elements, are
// carried.
struct shader_array {
    const void* bytes;
    std::size_t elements;  // of the memory
    std::size_t first;     // of it is the one with indices 0
    std::span<const std::int64_t> shape, strides;
};
struct shader_axis_call {
    shader::operation op;
    shader_array in, out;  // equal memory: in place
    void* result;          // receives the memory of `out`
    int axis;
    bool exclusive, reverse;
    const void* initial;  // null: none
    shader::axis_way way;
    bool only_totals = false;  // `out` lacks the axis
};

struct shader_segmented_call {
    shader::operation op;
    host_segments segments;
    const void* in;
    void* out;  // equal: in place
    std::size_t size;
    bool exclusive, reverse;
    const void* initial;  // null: none
};

class shader_executor {
  public:
    shader_executor() = default;
    shader_executor(const shader_executor&) = delete;
    shader_executor& operator=(const shader_executor&) = delete;
    virtual ~shader_executor() = default;

    [[nodiscard]] virtual bool is_what_it_claims() = 0;
    // Empty, or why scans with this operator are not run here.
    [[nodiscard]] virtual std::string refusal(const shader::operation& op) = 0;
    // Empty, or why no test of scans along an axis, in segments, or of runs is run here.
    [[nodiscard]] virtual std::string refusal_of_batches() = 0;
    [[nodiscard]] virtual const shader::conformance& conformance() = 0;

    template <class Op, class T>
    [[nodiscard]] bool takes() {
        const std::string reason = refusal(shader::operation_of<Op, T>());
        if (!reason.empty()) leave_out(reason);
        return reason.empty();
    }
    // What the device itself says against its arithmetic, where a result depends on that.
    template <class Op, class T>
    [[nodiscard]] std::string excuse() {
        return is_exact<Op, T> || conformance().conforming() ? std::string() : conformance().findings.front();
    }

    template <class T, class Op, class In>
    void scan(const In* in, T* out, std::size_t n, bool exclusive, const scan_options<T>& options) {
        ASSERT_EQ(options.carry, nullptr) << "a scan on a device is not continued";
        count_scan();
        const unsigned turn = turn_++;
        const bool counted = turn % 3 == 1;
        run({shader::operation_of<Op, T, In>(), in, out, n, exclusive, options.reverse,
             options.initial ? &*options.initial : nullptr, options.total, counted,
             counted ? turn % 11 * 37 : 0});
    }

    template <class T, class Op, class In>
    [[nodiscard]] T total(const In* in, std::size_t n, const std::optional<T>& initial) {
        count_scan();
        const unsigned turn = turn_++;
        const bool counted = turn % 3 == 1;
        T made{};
        run({shader::operation_of<Op, T, In>(), in, n, initial ? &*initial : nullptr, &made, counted,
             counted ? turn % 11 * 3700 : 0});
        return made;
    }

    // Stages that ran for it.
    const std::vector<std::string>& scan_axis(const shader_axis_call& call) {
        count_scan();
        return run(call);
    }
    void scan_segments(const shader_segmented_call& call) {
        count_scan();
        run(call);
    }
    // Returns how many segments there are.
    std::size_t run_runs(const host_runs& call, run_results& results) {
        count_scan();
        return run(call, results);
    }
    [[nodiscard]] unsigned next_turn() { return turn_++; }

  private:
    virtual void run(const shader_call& call) = 0;
    virtual void run(const shader_total_call& call) = 0;
    virtual const std::vector<std::string>& run(const shader_axis_call& call) = 0;
    virtual void run(const shader_segmented_call& call) = 0;
    virtual std::size_t run(const host_runs& call, run_results& results) = 0;

    unsigned turn_ = 0;
};

// The CPU's functions stay visible beside these.
using upsweep::exclusive_scan;
using upsweep::inclusive_scan;
using upsweep::linear_recurrence;

template <class Acc = deduced, input_range In, class Out, class Op = plus,
          class T = shader::accumulator_for<Acc, std::ranges::range_value_t<In>>>
requires shader::loads_and_combines<Op, std::ranges::range_value_t<In>, T>
void inclusive_scan(shader_executor& ex, const In& in, Out&& out, const Op& = {},
                    const std::type_identity_t<scan_options<T>>& options = {}) {
    ex.scan<T, Op>(std::ranges::data(in), std::ranges::data(out), std::ranges::size(in), false, options);
}
template <class Acc = deduced, input_range In, class Out, class Op = plus,
          class T = shader::accumulator_for<Acc, std::ranges::range_value_t<In>>>
requires shader::loads_and_combines<Op, std::ranges::range_value_t<In>, T>
void exclusive_scan(shader_executor& ex, const In& in, Out&& out, const Op& = {},
                    const std::type_identity_t<scan_options<T>>& options = {}) {
    ex.scan<T, Op>(std::ranges::data(in), std::ranges::data(out), std::ranges::size(in), true, options);
}
// The scan of affine maps from (0, x0) that docs/numerics.md says it is.
template <input_range A, input_range B, class Out, class T = std::ranges::range_value_t<A>>
requires shader::supported<affine, affine_map<T>>
void linear_recurrence(shader_executor& ex, const A& a, const B& b, const std::type_identity_t<T>& x0,
                       Out&& out, const recurrence_options& options = {}) {
    const std::size_t n = std::ranges::size(a);
    const auto place = [&](std::size_t i) { return options.reverse ? n - 1 - i : i; };
    std::vector<affine_map<T>> maps(n);
    for (std::size_t i = 0; i < n; ++i)
        maps[i] = {std::ranges::data(a)[place(i)], std::ranges::data(b)[place(i)]};
    inclusive_scan(ex, maps, maps, affine{}, {.initial = affine_map<T>{T(0), x0}});
    for (std::size_t i = 0; i < n; ++i) std::ranges::data(out)[place(i)] = maps[i].b;
}

struct shader_backend {
    std::string name;  // "OpenGL ES 3.2 Mesa 22.3.6, llvmpipe ..."
    std::unique_ptr<shader_executor> executor;
    static constexpr std::size_t threads = 1;  // of the host

    [[nodiscard]] bool is_what_it_claims() const { return executor->is_what_it_claims(); }
};

// Whether the test that runs is for that one.
bool covers_test(const shader_backend& backend);

// Those of the program: every context of OpenGL, or the Vulkan device with subgroups and without.
const std::vector<shader_backend>& shader_backends();

// Whether an operator is one of the few that are enough where time is short or the programs differ in little:
// a software driver takes about a second to compile the stages of each.
bool is_representative(const shader::operation& op);

}  // namespace upsweep::test
