// Scans of host memory on the Vulkan device, so that the checks of sweep.hpp run there: memory is carried to
// buffers and back, with the offset that the host pointer has past a 64-byte boundary, poison and guards
// around everything.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "support/axis_memory.hpp"
#include "support/host_segments.hpp"
#include "support/vulkan_device.hpp"
#include "upsweep/options.hpp"
#include "upsweep/vulkan/axis_reduce.hpp"
#include "upsweep/vulkan/axis_scan.hpp"
#include "upsweep/vulkan/reduce.hpp"
#include "upsweep/vulkan/run.hpp"
#include "upsweep/vulkan/scan.hpp"
#include "upsweep/vulkan/segmented_scan.hpp"

namespace upsweep::test {

// Mapped device memory with `guard_bytes` of guard on both sides of what is in use.
class guarded_buffer {
  public:
    static constexpr std::size_t guard_bytes = 512;

    // `bytes` poisoned bytes that begin `offset` bytes past the guard.
    void reset(std::size_t bytes, std::size_t offset);
    [[nodiscard]] bool guards_intact() const;
    [[nodiscard]] std::byte* data() const { return memory_.data() + first_; }
    [[nodiscard]] VkBuffer handle() const { return memory_.handle(); }
    template <class T>
    [[nodiscard]] vulkan::buffer_span<T> span(std::size_t size) const {
        return {memory_.handle(), size, first_};
    }

  private:
    vulkan_buffer memory_;
    std::size_t first_ = 0;
    std::size_t bytes_ = 0;
};

// How the scans below are made.
struct vulkan_scan_settings {
    vulkan::scan_algorithm algorithm = vulkan::scan_algorithm::tree;
    std::uint32_t work_group_size = 256;
    bool length_in_buffer = false;  // the buffers are `surplus` elements longer than what is scanned
    std::size_t surplus = 5000;
    const vulkan::user_operator* user = nullptr;  // for what is not built in
};

// An operator as a value, of elements of whatever type it names: one scanner is compiled for all that combine
// a type.
struct vulkan_named_operator {
    shader::operation named;
};

// Elements of other types than the results are never in place, even if empty ones begin where these do.
template <class T, class In>
bool in_place(const In* in, const T* out) {
    return std::is_same_v<In, T> && static_cast<const void*>(in) == static_cast<const void*>(out);
}

class vulkan_scanner {
  public:
    using named_operator = vulkan_named_operator;
    explicit vulkan_scanner(const vulkan::executor_options& options = vulkan_device::get().options())
        : executor_(std::make_unique<vulkan::executor>(vulkan_device::get().handles(), options)) {}

    [[nodiscard]] vulkan::executor& executor() const { return *executor_; }
    vulkan_scan_settings settings;
    // The stages of the last scan.
    [[nodiscard]] const std::vector<std::string>& stages() const { return stages_; }

    template <class T, class In = T, class Op>
    void scan(std::type_identity_t<std::span<const In>> in, std::span<T> out, bool exclusive, const Op& op,
              const scan_options<T>& options) {
        const bool in_place = test::in_place(in.data(), out.data());
        const std::size_t n = in.size();
        const std::size_t room = n + (settings.length_in_buffer ? settings.surplus : 0);
        in_.reset(room * sizeof(In), misalignment(in.data()));
        if (n != 0) std::memcpy(in_.data(), in.data(), in.size_bytes());
        if (!in_place) out_.reset(room * sizeof(T), misalignment(out.data()));
        guarded_buffer& target = in_place ? in_ : out_;
        total_.reset(sizeof(T), sizeof(T));
        length_.reset(4, 12);
        const auto word = static_cast<std::uint32_t>(n);
        std::memcpy(length_.data(), &word, 4);

        vulkan::scan_options<T> made;
        made.initial = options.initial;
        made.reverse = options.reverse;
        if (options.total != nullptr) made.total = total_.span<T>(1);
        if (settings.length_in_buffer) made.length = length_.span<const std::uint32_t>(1);
        made.algorithm = settings.algorithm;
        made.work_group_size = settings.work_group_size;
        vulkan::commands commands;
        if constexpr (shader::supported<Op, T> || std::is_same_v<Op, named_operator>)
            commands = prepare<T, In>(target, room, exclusive, op, made);
        else
            commands = prepare<T, In>(target, room, exclusive, *settings.user, made);
        run(commands);

        if (n != 0) std::memcpy(out.data(), target.data(), out.size_bytes());
        if (options.total != nullptr)
            std::memcpy(static_cast<void*>(options.total), total_.data(), sizeof(T));
        for (const guarded_buffer* buffer : {&in_, &out_, &total_, &length_, &workspace_})
            EXPECT_TRUE(buffer->guards_intact());
        if (!in_place) {
            EXPECT_TRUE(n == 0 || std::memcmp(in_.data(), in.data(), in.size_bytes()) == 0)
                << "changed the input";
        }
        EXPECT_TRUE(untouched(target.data() + n * sizeof(T), (room - n) * sizeof(T)))
            << "wrote past the length";
    }

    template <class T, class In = T, class Op>
    [[nodiscard]] T total(std::type_identity_t<std::span<const In>> in, const Op& op,
                          const reduce_options<T>& options) {
        const std::size_t room = in.size() + (settings.length_in_buffer ? settings.surplus : 0);
        in_.reset(room * sizeof(In), misalignment(in.data()));
        if (!in.empty()) std::memcpy(in_.data(), in.data(), in.size_bytes());
        total_.reset(sizeof(T), sizeof(T) * (in.size() % 7));
        length_.reset(4, 4 * (in.size() % 5));
        const auto word = static_cast<std::uint32_t>(in.size());
        std::memcpy(length_.data(), &word, 4);

        vulkan::reduce_options<T> made;
        made.initial = options.initial;
        if (settings.length_in_buffer) made.length = length_.span<const std::uint32_t>(1);
        const auto x = in_.span<const In>(room);
        const auto y = total_.span<T>(1);
        vulkan::commands commands;
        const auto prepare = [&](const auto& known) {
            const vulkan::workspace_span workspace =
                workspace_of(vulkan::scan_workspace<T>(*executor_, room, known));
            commands = vulkan::prepare_reduce(*executor_, x, y, workspace, known, made);
        };
        if constexpr (std::is_same_v<Op, named_operator>) {
            const vulkan::workspace_span workspace = workspace_of(
                vulkan::detail::scan_workspace(*executor_, op.named, room, vulkan::scan_algorithm::tree, 0));
            commands = vulkan::detail::prepare_reduce(
                *executor_, vulkan::detail::arguments_of<T, In>(op.named, nullptr, x, y, workspace, made));
        } else if constexpr (shader::supported<Op, T>) {
            prepare(op);
        } else {
            prepare(*settings.user);
        }
        run(commands);

        for (const guarded_buffer* buffer : {&in_, &total_, &length_, &workspace_})
            EXPECT_TRUE(buffer->guards_intact());
        EXPECT_TRUE(in.empty() || std::memcmp(in_.data(), in.data(), in.size_bytes()) == 0)
            << "changed the input";
        T result;
        std::memcpy(static_cast<void*>(&result), total_.data(), sizeof(T));
        return result;
    }

    // In segments.
    template <class T, class In = T, class Op>
    void scan_segments(const host_segments& segments, std::type_identity_t<std::span<const In>> in,
                       std::span<T> out, bool exclusive, const Op& op, const batch_options<T>& options) {
        const bool in_place = test::in_place(in.data(), out.data());
        load(in_, in);
        if (!in_place) out_.reset(out.size_bytes(), misalignment(out.data()));
        const guarded_buffer& target = in_place ? in_ : out_;
        const std::size_t described_bytes = 4 * segments.words.size();
        described_.reset(described_bytes, 8 * (segments.words.size() % 5));
        if (described_bytes != 0) std::memcpy(described_.data(), segments.words.data(), described_bytes);
        vulkan::commands commands;
        const auto x = in_.span<const In>(in.size());
        const auto y = target.span<T>(in.size());
        const vulkan::segmented_options<T> asked{options.initial, options.reverse};
        const auto prepare = [&](const auto& by, const auto& known) {
            const vulkan::workspace_span workspace =
                workspace_of(vulkan::segmented_scan_workspace<T>(*executor_, in.size(), known));
            commands =
                exclusive
                    ? vulkan::prepare_exclusive_segmented_scan(*executor_, by, x, y, workspace, known, asked)
                    : vulkan::prepare_inclusive_segmented_scan(*executor_, by, x, y, workspace, known, asked);
        };
        const auto prepare_by = [&](const auto& by) {
            if constexpr (std::is_same_v<Op, named_operator>) {
                const vulkan::workspace_span workspace =
                    workspace_of(vulkan::detail::segmented_scan_workspace(*executor_, op.named, in.size()));
                commands = vulkan::detail::prepare_segmented_scan(
                    *executor_, vulkan::detail::segmented_arguments_of<T, In>(
                                    op.named, nullptr, by.described, exclusive, x, y, workspace, asked));
            } else if constexpr (shader::supported<Op, T>) {
                prepare(by, op);
            } else {
                prepare(by, *settings.user);
            }
        };
        segments.with_element([&](auto element) {
            using E = decltype(element);
            const vulkan::buffer_span<const E> span = described_.span<const E>(segments.count());
            if constexpr (std::is_same_v<E, std::uint32_t>) {
                if (segments.kind == shader::segments_by::head_flags)
                    return prepare_by(vulkan::by_head_flags(span));
                if (segments.kind == shader::segments_by::offsets)
                    return prepare_by(vulkan::by_offsets(span));
            }
            prepare_by(vulkan::by_keys(span));
        });
        run(commands);

        for (const guarded_buffer* buffer : {&in_, &out_, &workspace_, &described_})
            EXPECT_TRUE(buffer->guards_intact());
        if (!in.empty()) {
            if (!in_place) {
                EXPECT_EQ(std::memcmp(in_.data(), in.data(), in.size_bytes()), 0) << "changed the input";
            }
            std::memcpy(static_cast<void*>(out.data()), target.data(), out.size_bytes());
        }
        if (described_bytes != 0) {
            EXPECT_EQ(std::memcmp(described_.data(), segments.words.data(), described_bytes), 0)
                << "changed what describes the segments";
        }
    }

    // Along an axis. `result` receives the memory of `out` as it is after the scan.
    template <class T, class In = T, class Op>
    void scan_axis(const std::type_identity_t<axis_memory<In>>& in, const axis_memory<T>& out, T* result,
                   int axis, bool exclusive, const Op& op, const batch_options<T>& options,
                   vulkan::axis_way way = vulkan::axis_way::automatic) {
        const vulkan::axis_options<T> asked{options.initial, options.reverse, way};
        carry<In>(in, out, result, [&](const auto& x, const auto& y) {
            const auto prepare = [&](const auto& known) {
                const vulkan::workspace_span workspace =
                    workspace_of(vulkan::axis_scan_workspace(*executor_, x, y, axis, known, way));
                return exclusive
                           ? vulkan::prepare_exclusive_scan(*executor_, x, y, axis, workspace, known, asked)
                           : vulkan::prepare_inclusive_scan(*executor_, x, y, axis, workspace, known, asked);
            };
            if constexpr (std::is_same_v<Op, named_operator>)
                return prepare_named(
                    vulkan::detail::arguments_of<T, In>(op.named, nullptr, exclusive, x, y, axis, {}, asked));
            else if constexpr (shader::supported<Op, T>)
                return prepare(op);
            else
                return prepare(*settings.user);
        });
    }
    template <class T, class In = T, class Op>
    void total_axis(const std::type_identity_t<axis_memory<In>>& in, const axis_memory<T>& out, T* result,
                    int axis, const Op& op, const reduce_options<T>& options,
                    vulkan::axis_way way = vulkan::axis_way::automatic) {
        const vulkan::axis_reduce_options<T> asked{options.initial, way};
        carry<In>(in, out, result, [&](const auto& x, const auto& y) {
            const auto prepare = [&](const auto& known) {
                const vulkan::workspace_span workspace =
                    workspace_of(vulkan::axis_reduce_workspace(*executor_, x, y, axis, known, asked));
                return vulkan::prepare_reduce(*executor_, x, y, axis, workspace, known, asked);
            };
            if constexpr (std::is_same_v<Op, named_operator>)
                return prepare_named(
                    vulkan::detail::arguments_of<T, In>(op.named, nullptr, x, y, axis, {}, asked));
            else if constexpr (shader::supported<Op, T>)
                return prepare(op);
            else
                return prepare(*settings.user);
        });
    }

  private:
    // prepare(views of the arrays on the device)
    template <class In, class T, class Prepare>
    void carry(const axis_memory<In>& in, const axis_memory<T>& out, T* result, const Prepare& prepare) {
        const bool in_place = test::in_place(in.memory.data(), out.memory.data());
        load(in_, in.memory);
        if (!in_place) load(out_, out.memory);
        const guarded_buffer& target = in_place ? in_ : out_;
        const vulkan::buffer_view<const In> x(in_.handle(), in_.span<In>(0).offset + in.first * sizeof(In),
                                              in.shape, in.strides);
        const vulkan::buffer_view<T> y(target.handle(), target.span<T>(0).offset + out.first * sizeof(T),
                                       out.shape, out.strides);
        run(prepare(x, y));

        for (const guarded_buffer* buffer : {&in_, &out_, &workspace_}) EXPECT_TRUE(buffer->guards_intact());
        if (!out.memory.empty())
            std::memcpy(static_cast<void*>(result), target.data(), out.memory.size_bytes());
        if (!in_place && !in.memory.empty()) {
            EXPECT_EQ(std::memcmp(in_.data(), in.memory.data(), in.memory.size_bytes()), 0)
                << "changed the input";
        }
    }
    vulkan::commands prepare_named(vulkan::detail::axis_scan_arguments arguments) {
        arguments.workspace = workspace_of(vulkan::detail::axis_scan_workspace(*executor_, arguments));
        return vulkan::detail::prepare_axis_scan(*executor_, arguments);
    }
    // With what they are made of in stages_.
    void run(const vulkan::commands& commands) {
        stages_.clear();
        for (std::uint32_t i = 0; i < commands.dispatch_count(); ++i) stages_.emplace_back(commands.stage(i));
        vulkan::run(*executor_, vulkan_device::get().queue(), commands);
    }
    template <class T>
    static void load(guarded_buffer& to, std::span<const T> from) {
        to.reset(from.size_bytes(), misalignment(from.data()));
        if (!from.empty()) std::memcpy(to.data(), from.data(), from.size_bytes());
    }
    template <class T, class In, class Op>
    vulkan::commands prepare(const guarded_buffer& target, std::size_t room, bool exclusive, const Op& op,
                             const vulkan::scan_options<T>& options) {
        const auto in = in_.span<const In>(room);
        const auto out = target.span<T>(room);
        if constexpr (std::is_same_v<Op, named_operator>) {
            const vulkan::workspace_span workspace = workspace_of(vulkan::detail::scan_workspace(
                *executor_, op.named, room, options.algorithm, options.work_group_size));
            return vulkan::detail::prepare_scan<T, In>(*executor_, op.named, nullptr, exclusive, in, out,
                                                       workspace, options);
        } else {
            const vulkan::workspace_span workspace = workspace_of(
                vulkan::scan_workspace<T>(*executor_, room, op, options.algorithm, options.work_group_size));
            return exclusive ? vulkan::prepare_exclusive_scan<T>(*executor_, in, out, workspace, op, options)
                             : vulkan::prepare_inclusive_scan<T>(*executor_, in, out, workspace, op, options);
        }
    }
    vulkan::workspace_span workspace_of(const vulkan::workspace_requirements& needed) {
        workspace_.reset(needed.bytes, 0);
        const vulkan::workspace_span workspace = workspace_.span<std::byte>(needed.bytes);
        EXPECT_EQ(workspace.offset % needed.alignment, 0u);
        return workspace;
    }
    static std::size_t misalignment(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 64; }
    static bool untouched(const std::byte* first, std::size_t bytes);

    std::unique_ptr<vulkan::executor> executor_;
    guarded_buffer in_, out_, total_, length_, workspace_, described_;
    std::vector<std::string> stages_;
};

template <class Acc, class In, class T, class Op>
void inclusive_scan(vulkan_scanner& ex, std::span<const In> in, std::span<T> out, const Op& op,
                    const scan_options<Acc>& options) {
    ex.scan<T, In>(in, out, false, op, options);
}
template <class Acc, class In, class T, class Op>
void exclusive_scan(vulkan_scanner& ex, std::span<const In> in, std::span<T> out, const Op& op,
                    const scan_options<Acc>& options) {
    ex.scan<T, In>(in, out, true, op, options);
}
template <class Acc, class Op>
Acc reduce(vulkan_scanner& ex, std::span<const Acc> in, const Op& op,
           const std::type_identity_t<reduce_options<Acc>>& options) {
    return ex.total<Acc>(in, op, options);
}

}  // namespace upsweep::test
