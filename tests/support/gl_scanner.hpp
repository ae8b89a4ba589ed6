// Scans of host memory in an OpenGL context, so that the checks of sweep.hpp run there: memory is carried to
// buffer objects and back, with the offset that the host pointer has past a 64-byte boundary, poison and
// guards around everything. The twin of vulkan_scanner.hpp.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support/axis_memory.hpp"
#include "support/gl_context.hpp"
#include "support/gl_memory.hpp"
#include "support/host_segments.hpp"
#include "upsweep/gl/axis_reduce.hpp"
#include "upsweep/gl/axis_scan.hpp"
#include "upsweep/gl/reduce.hpp"
#include "upsweep/gl/scan.hpp"
#include "upsweep/gl/segmented_scan.hpp"
#include "upsweep/options.hpp"

namespace upsweep::test {

// How the scans below are made.
struct gl_scan_settings {
    gl::scan_algorithm algorithm = gl::scan_algorithm::tree;
    std::uint32_t work_group_size = 256;
    bool length_in_buffer = false;  // the buffers are `surplus` elements longer than what is scanned
    std::size_t surplus = 5000;
};

// An operator of the CPU's and its text on the device.
template <class T, class Op>
struct gl_pair : Op {
    const gl::user_operator<T>* on_device;
    gl_pair(const Op& op, const gl::user_operator<T>& text) : Op(op), on_device(&text) {}
};

// An operator as a value, of elements of whatever type it names: one scanner is compiled for all that combine
// a type. It is handed over as one of the users' is, without a text.
struct gl_named_operator {
    shader::operation named;
    [[nodiscard]] const shader::operation& operation() const { return named; }
    [[nodiscard]] static std::uint32_t number() { return 0; }
};

// Where the results of a call lie: in place of its input if there are none of their own. The types differ
// only where they are.
template <class T, class In>
const gl_memory<T>& results_of(const gl_memory<In>& in, const gl_memory<T>& own, bool in_place) {
    if constexpr (std::is_same_v<In, T>) {
        if (in_place) return in;
    }
    return own;
}
// Elements of other types than the results are never in place, even if empty ones begin where these do.
template <class T, class In>
bool in_place(const In* in, const T* out) {
    return std::is_same_v<In, T> && static_cast<const void*>(in) == static_cast<const void*>(out);
}

class gl_scanner {
  public:
    using named_operator = gl_named_operator;
    // The executor belongs to the context of that kind.
    gl_scanner(gl::api kind, gl::executor& ex) : kind_(kind), executor_(&ex) {}

    [[nodiscard]] gl::executor& executor() const { return *executor_; }
    [[nodiscard]] gl::api kind() const { return kind_; }
    gl_scan_settings settings;
    // The stages of the last scan.
    [[nodiscard]] const std::vector<std::string>& stages() const { return stages_; }

    // What the executor itself says against its arithmetic, where a result depends on that.
    template <class Op, class T>
    [[nodiscard]] std::string excuse() const {
        if (is_exact<Op, T>) return {};
        const shader::conformance& report = executor_->conformance();
        return report.conforming() ? std::string() : report.findings.front();
    }

    template <class T, class In = T, class Op>
    void scan(std::type_identity_t<std::span<const In>> in, std::span<T> out, bool exclusive, const Op& op,
              const scan_options<T>& options) {
        const gl::functions& gl = gl_context::of(kind_).gl();
        const bool in_place = test::in_place(in.data(), out.data());
        const std::size_t n = in.size(), surplus = settings.length_in_buffer ? settings.surplus : 0;
        const gl_memory<In> from(gl, in, misalignment(in.data()), surplus);
        const gl_memory<T> separate(gl, in_place ? 0 : n + surplus, misalignment(out.data()));
        const gl_memory<T>& to = results_of(from, separate, in_place);
        const gl_memory<T> total(gl, 1, 1);
        const auto count = static_cast<std::uint32_t>(n);
        const gl_memory<std::uint32_t> length(gl, std::span(&count, 1), 3);

        gl::scan_options<T> asked;
        asked.initial = options.initial;
        asked.reverse = options.reverse;
        if (options.total != nullptr) asked.total = total.span();
        if (settings.length_in_buffer) asked.length = length.span();
        asked.algorithm = settings.algorithm;
        asked.work_group_size = settings.work_group_size;
        stages_.clear();
        executor_->observe([this](std::string_view stage) { stages_.emplace_back(stage); });
        const auto& known = on_device<T>(op);
        if constexpr (std::is_same_v<Op, named_operator>)
            executor_->run(gl::detail::make_call<T, In>(from.span(), to.span(), exclusive, known, asked));
        else if (exclusive)
            upsweep::exclusive_scan<T>(*executor_, from.span(), to.span(), known, asked);
        else
            upsweep::inclusive_scan<T>(*executor_, from.span(), to.span(), known, asked);
        executor_->observe({});

        const std::vector<T> results = to.read();
        if (n != 0) std::memcpy(static_cast<void*>(out.data()), results.data(), n * sizeof(T));
        const std::vector<T> sum = total.read();
        if (options.total != nullptr)
            std::memcpy(static_cast<void*>(options.total), sum.data(), sizeof(T));
        else
            EXPECT_TRUE(total.untouched());
        EXPECT_EQ(length.read()[0], count);
        if (!in_place) {
            EXPECT_TRUE(n == 0 || std::memcmp(from.read().data(), in.data(), in.size_bytes()) == 0)
                << "changed the input";
        }
        const auto* const behind = reinterpret_cast<const std::byte*>(results.data() + n);
        EXPECT_TRUE(std::all_of(behind, behind + surplus * sizeof(T), [](std::byte each) {
            return each == gl_memory<T>::poison;
        })) << "wrote past the length";
    }

    // A workspace of the caller's serves every other time.
    template <class T, class In = T, class Op>
    [[nodiscard]] T total(std::type_identity_t<std::span<const In>> in, const Op& op,
                          const reduce_options<T>& options) {
        const gl::functions& gl = gl_context::of(kind_).gl();
        const std::size_t surplus = settings.length_in_buffer ? settings.surplus : 0;
        const gl_memory<In> from(gl, in, misalignment(in.data()), surplus);
        const gl_memory<T> total(gl, 1, turn_ % 7);
        const auto count = static_cast<std::uint32_t>(in.size());
        const gl_memory<std::uint32_t> length(gl, std::span(&count, 1), turn_ % 5);
        const auto& known = on_device<T>(op);
        const gl_memory<std::uint32_t> workspace(
            gl, executor_->scan_workspace_bytes(operation_of<T>(known), in.size() + surplus) / 4);

        gl::reduce_options<T> asked;
        asked.initial = options.initial;
        if (settings.length_in_buffer) asked.length = length.span();
        if (turn_++ % 2 == 0) asked.workspace = workspace.span().region();
        stages_.clear();
        executor_->observe([this](std::string_view stage) { stages_.emplace_back(stage); });
        if constexpr (std::is_same_v<Op, named_operator>)
            executor_->run(gl::detail::make_call<T, In>(from.span(), total.span(), known, asked));
        else
            upsweep::reduce(*executor_, from.span(), total.span(), known, asked);
        executor_->observe({});

        static_cast<void>(workspace.read());  // nothing outside it
        EXPECT_EQ(length.read()[0], count) << "changed the length";
        EXPECT_TRUE(in.empty() || std::memcmp(from.read().data(), in.data(), in.size_bytes()) == 0)
            << "changed the input";
        return total.read()[0];
    }

    // In segments. A workspace of the caller's serves every other time.
    template <class T, class In = T, class Op>
    void scan_segments(const host_segments& segments, std::type_identity_t<std::span<const In>> in,
                       std::span<T> out, bool exclusive, const Op& op, const batch_options<T>& options) {
        const gl::functions& gl = gl_context::of(kind_).gl();
        const bool in_place = test::in_place(in.data(), out.data());
        const gl_memory<In> from(gl, in, misalignment(in.data()));
        const gl_memory<T> separate(gl, in_place ? 0 : in.size(), misalignment(out.data()));
        const gl_memory<T>& to = results_of(from, separate, in_place);
        const gl_memory<std::uint32_t> described(gl, std::span<const std::uint32_t>(segments.words),
                                                 2 * (turn_ % 5));
        stages_.clear();
        executor_->observe([this](std::string_view stage) { stages_.emplace_back(stage); });
        const auto& known = on_device<T>(op);
        const auto scan_by = [&](const auto& by) {
            const gl_memory<std::uint32_t> workspace(
                gl, executor_->segmented_workspace_bytes(operation_of<T>(known), in.size()) / 4);
            gl::segmented_options<T> asked{options.initial, options.reverse, {}};
            if (turn_++ % 2 == 0) asked.workspace = workspace.span().region();
            if constexpr (std::is_same_v<Op, named_operator>)
                executor_->run(gl::detail::make_call<T, In>(by.described, from.span(), to.span(), exclusive,
                                                            known, asked));
            else if (exclusive)
                upsweep::exclusive_segmented_scan(*executor_, by, from.span(), to.span(), known, asked);
            else
                upsweep::inclusive_segmented_scan(*executor_, by, from.span(), to.span(), known, asked);
            static_cast<void>(workspace.read());  // nothing outside it
        };
        segments.with_element([&](auto element) {
            using E = decltype(element);
            const gl::buffer_span<const E> span{described.name(), segments.count(), described.span().offset};
            if constexpr (std::is_same_v<E, std::uint32_t>) {
                if (segments.kind == shader::segments_by::head_flags) return scan_by(gl::by_head_flags(span));
                if (segments.kind == shader::segments_by::offsets) return scan_by(gl::by_offsets(span));
            }
            scan_by(gl::by_keys(span));
        });
        executor_->observe({});

        const std::vector<T> results = to.read();
        if (!in.empty()) std::memcpy(static_cast<void*>(out.data()), results.data(), out.size_bytes());
        EXPECT_EQ(described.read(), segments.words) << "changed what describes the segments";
        if (!in_place && !in.empty()) {
            EXPECT_EQ(std::memcmp(from.read().data(), in.data(), in.size_bytes()), 0) << "changed the input";
        }
    }

    // Along an axis. `result` receives the memory of `out` as it is after the scan.
    template <class T, class In = T, class Op>
    void scan_axis(const std::type_identity_t<axis_memory<In>>& in, const axis_memory<T>& out, T* result,
                   int axis, bool exclusive, const Op& op, const batch_options<T>& options,
                   gl::axis_way way = gl::axis_way::automatic) {
        const auto& known = on_device<T>(op);
        carry<In>(in, out, result, [&](const auto& x, const auto& y) {
            gl::axis_options<T> asked{options.initial, options.reverse, way, {}};
            auto call = gl::detail::make_call<T, In>(x, y, axis, exclusive, known, asked);
            with_axis_workspace(call, asked, [&] {
                if constexpr (std::is_same_v<Op, named_operator>)
                    executor_->run(call);
                else if (exclusive)
                    upsweep::exclusive_scan(*executor_, x, y, axis, known, asked);
                else
                    upsweep::inclusive_scan(*executor_, x, y, axis, known, asked);
            });
        });
    }
    template <class T, class In = T, class Op>
    void total_axis(const std::type_identity_t<axis_memory<In>>& in, const axis_memory<T>& out, T* result,
                    int axis, const Op& op, const reduce_options<T>& options,
                    gl::axis_way way = gl::axis_way::automatic) {
        const auto& known = on_device<T>(op);
        carry<In>(in, out, result, [&](const auto& x, const auto& y) {
            gl::axis_reduce_options<T> asked{options.initial, way, {}};
            auto call = gl::detail::make_call<T, In>(x, y, axis, known, asked);
            with_axis_workspace(call, asked, [&] {
                if constexpr (std::is_same_v<Op, named_operator>)
                    executor_->run(call);
                else
                    upsweep::reduce(*executor_, x, y, axis, known, asked);
            });
        });
    }

  private:
    // A workspace of the caller's serves every other time.
    template <class Options, class Run>
    void with_axis_workspace(gl::axis_call& call, Options& asked, const Run& run) {
        const gl_memory<std::uint32_t> workspace(gl_context::of(kind_).gl(),
                                                 executor_->axis_workspace_bytes(call) / 4);
        if (turn_++ % 2 == 0) call.workspace = asked.workspace = workspace.span().region();
        run();
        static_cast<void>(workspace.read());  // nothing outside it
    }
    // Views of the arrays on the device for `run`.
    template <class In, class T, class Run>
    void carry(const axis_memory<In>& in, const axis_memory<T>& out, T* result, const Run& run) {
        const gl::functions& gl = gl_context::of(kind_).gl();
        const bool in_place = test::in_place(in.memory.data(), out.memory.data());
        const gl_memory<In> from(gl, in.memory, misalignment(in.memory.data()));
        const gl_memory<T> separate(gl, in_place ? std::span<const T>() : out.memory,
                                    misalignment(out.memory.data()));
        const gl_memory<T>& to = results_of(from, separate, in_place);
        const auto at = []<class E>(const gl_memory<E>& memory, std::size_t first) {
            return memory.span().offset + first * sizeof(E);
        };
        const gl::buffer_view<const In> x(from.name(), at(from, in.first), in.shape, in.strides);
        const gl::buffer_view<T> y(to.name(), at(to, out.first), out.shape, out.strides);
        stages_.clear();
        executor_->observe([this](std::string_view stage) { stages_.emplace_back(stage); });
        run(x, y);
        executor_->observe({});

        const std::vector<T> results = to.read();
        if (!results.empty())
            std::memcpy(static_cast<void*>(result), results.data(), results.size() * sizeof(T));
        if (!in_place && !in.memory.empty()) {
            EXPECT_EQ(std::memcmp(from.read().data(), in.memory.data(), in.memory.size_bytes()), 0)
                << "changed the input";
        }
    }

    // What the library is given for `op`, and what that combines.
    template <class T, class Op>
    static const auto& on_device(const Op& op) {
        if constexpr (shader::supported<Op, T> || std::is_same_v<Op, named_operator>)
            return op;
        else
            return *op.on_device;
    }
    template <class T, class Known>
    static shader::operation operation_of(const Known& known) {
        if constexpr (shader::supported<Known, T>)
            return shader::operation_of<Known, T>();
        else
            return known.operation();
    }
    // In elements.
    template <class T>
    static std::size_t misalignment(const T* p) {
        return reinterpret_cast<std::uintptr_t>(p) % 64 / sizeof(T);
    }

    gl::api kind_;
    gl::executor* executor_;
    std::vector<std::string> stages_;
    unsigned turn_ = 0;
};

// The library's functions stay visible beside these.
using upsweep::exclusive_scan;
using upsweep::inclusive_scan;
using upsweep::reduce;

template <class Acc, class In, class T, class Op>
void inclusive_scan(gl_scanner& ex, std::span<const In> in, std::span<T> out, const Op& op,
                    const scan_options<Acc>& options) {
    ex.scan<T, In>(in, out, false, op, options);
}
template <class Acc, class In, class T, class Op>
void exclusive_scan(gl_scanner& ex, std::span<const In> in, std::span<T> out, const Op& op,
                    const scan_options<Acc>& options) {
    ex.scan<T, In>(in, out, true, op, options);
}
template <class Acc, class Op>
Acc reduce(gl_scanner& ex, std::span<const Acc> in, const Op& op,
           const std::type_identity_t<reduce_options<Acc>>& options) {
    return ex.total<Acc>(in, op, options);
}

}  // namespace upsweep::test
