// A shader_executor on top of gl_scanner or vulkan_scanner, which stage host memory.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "shader/backend.hpp"
#include "shader/element.hpp"
#include "support/axis_memory.hpp"

namespace upsweep::test {

template <class Scanner>
class scanner_executor : public shader_executor {
  public:
    template <class... Given>
    explicit scanner_executor(Given&&... given) : scanner_(std::forward<Given>(given)...) {}

  protected:
    Scanner scanner_;

  private:
    using named_operator = typename Scanner::named_operator;

    // The last stage of a scan by the tree, in either sequence_way.
    static bool is_scan(const std::string& stage) {
        return stage == "tile_scan" || stage == "look_back_scan";
    }

    template <class T>
    static std::optional<T> initial_value(const void* initial) {
        if (initial == nullptr) return {};
        T value;
        std::memcpy(static_cast<void*>(&value), initial, sizeof(T));
        return value;
    }

    void run(const shader_call& call) final {
        scanner_.settings.length_in_buffer = call.length_in_buffer;
        scanner_.settings.surplus = call.surplus;
        with_types(call.op, [&]<class In, class T>(std::type_identity<In>, std::type_identity<T>) {
            scan_options<T> options;
            options.initial = initial_value<T>(call.initial);
            options.reverse = call.reverse;
            options.total = static_cast<T*>(call.total);
            scanner_.template scan<T, In>(std::span(static_cast<const In*>(call.in), call.size),
                                          std::span(static_cast<T*>(call.out), call.size), call.exclusive,
                                          named_operator{call.op}, options);
        });
        const auto& stages = scanner_.stages();
        EXPECT_EQ(stages.empty(), call.size + call.surplus == 0 && call.total == nullptr) << "nothing ran";
        EXPECT_TRUE(stages.empty() || is_scan(stages.back())) << "another algorithm ran";
    }
    void run(const shader_total_call& call) final {
        scanner_.settings.length_in_buffer = call.length_in_buffer;
        scanner_.settings.surplus = call.surplus;
        with_types(call.op, [&]<class In, class T>(std::type_identity<In>, std::type_identity<T>) {
            const reduce_options<T> options{initial_value<T>(call.initial)};
            const T total = scanner_.template total<T, In>(
                std::span(static_cast<const In*>(call.in), call.size), named_operator{call.op}, options);
            std::memcpy(call.total, static_cast<const void*>(&total), sizeof(T));
        });
        ASSERT_FALSE(scanner_.stages().empty()) << "nothing ran";
        EXPECT_EQ(scanner_.stages().back(), "tile_scan");
    }
    const std::vector<std::string>& run(const shader_axis_call& call) final {
        with_types(call.op, [&]<class In, class T>(std::type_identity<In>, std::type_identity<T>) {
            const batch_options<T> options{initial_value<T>(call.initial), call.reverse};
            const axis_memory<In> in = axis_memory_of<In>(call.in, call.in.bytes);
            const axis_memory<T> out = axis_memory_of<T>(call.out, call.out.bytes);
            auto* const result = static_cast<T*>(call.result);
            const named_operator op{call.op};
            if (call.only_totals)
                scanner_.template total_axis<T, In>(in, out, result, call.axis, op,
                                                    reduce_options<T>{options.initial}, call.way);
            else
                scanner_.template scan_axis<T, In>(in, out, result, call.axis, call.exclusive, op, options,
                                                   call.way);
        });
        return scanner_.stages();
    }
    void run(const shader_segmented_call& call) final {
        with_types(call.op, [&]<class In, class T>(std::type_identity<In>, std::type_identity<T>) {
            const batch_options<T> options{initial_value<T>(call.initial), call.reverse};
            scanner_.template scan_segments<T, In>(call.segments,
                                                   std::span(static_cast<const In*>(call.in), call.size),
                                                   std::span(static_cast<T*>(call.out), call.size),
                                                   call.exclusive, named_operator{call.op}, options);
        });
        const auto& stages = scanner_.stages();
        EXPECT_EQ(stages.empty(), call.size == 0) << "nothing ran";
        if (stages.empty()) return;
        EXPECT_EQ(stages.front(), "mark_heads");
        EXPECT_EQ(std::ranges::count(stages, "mark_offsets"),
                  call.segments.kind == shader::segments_by::offsets ? 1 : 0);
        EXPECT_TRUE(is_scan(stages.back())) << stages.back();
    }
    std::size_t run(const host_runs& call, run_results& results) final {
        std::vector<std::string> stages;
        const unsigned turn = next_turn();
        const std::size_t size = call.size + with_length(call, turn).surplus;  // that the host knows of
        const std::size_t count = run_on(scanner_, call, turn, results, stages);
        const auto times = [&](const char* stage) { return std::ranges::count(stages, stage); };
        const bool totals = call.values == shader::run_values::totals && call.room != 0 && size != 0;
        EXPECT_EQ(times("segment_totals") + times("look_back_totals"), totals ? 1 : 0);
        EXPECT_EQ(times("tile_scan") + times("look_back_scan") != 0,
                  !call.by_offsets() || (call.room != 0 && size != 0));
        EXPECT_EQ(times("fill_empty"), call.by_offsets() && call.room != 0 ? 1 : 0);
        const bool lengths = call.values == shader::run_values::lengths && call.room != 0 && size != 0;
        EXPECT_EQ(times("run_lengths"), lengths ? 1 : 0);
        EXPECT_EQ(stages.empty(), call.by_offsets() && call.room == 0) << "nothing ran";
        return count;
    }
    template <class T>
    static axis_memory<T> axis_memory_of(const shader_array& array, const void* bytes) {
        return {{static_cast<const T*>(bytes), array.elements}, array.first, array.shape, array.strides};
    }
};

}  // namespace upsweep::test
