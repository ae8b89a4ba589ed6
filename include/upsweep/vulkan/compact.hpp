// Stream compaction and partition in VkBuffers: vote, scan, compact. The count stays on the device, as
// arguments of indirect draws and dispatches.
//
//     compact:   out = the items that were chosen, in order, as far as out has room
//     partition: out = the items that were chosen, in order, then the others, in order
//
// An item is chosen by a flag, a word that is not zero, or by a predicate of the caller's, written in GLSL
// and compiled with the stages at build time (upsweep_vulkan_items in cmake/Shaders.cmake). Shapes: n < 2^32
// items; flags and in have n elements. Records are any trivially copyable type whose size is a multiple of 4
// bytes. Aliasing: no two arguments may overlap. Errors: upsweep::error names the argument. Cost: 3
// dispatches below 2^24 items, 5 or 6 above; flags and records are read once, chosen ones written once, and
// 1/8 byte an item written and read between. Source: Harris, Sengupta and Owens, Parallel prefix sum (scan)
// with CUDA, 2007, section 39.3.1; votes as bits after Billeter, Olsson and Assarsson, Efficient stream
// compaction on wide SIMD many-core architectures, 2009.
#pragma once

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include "upsweep/vulkan/buffer.hpp"
#include "upsweep/vulkan/commands.hpp"
#include "upsweep/vulkan/executor.hpp"

namespace upsweep::vulkan {

// What compact and partition write, 48 bytes. The buffer needs the usage STORAGE_BUFFER, and INDIRECT_BUFFER
// to draw from it.
struct indirect_arguments {
    VkDrawIndirectCommand draw;  // see compact_options::vertices_per_instance
    VkDispatchIndirectCommand
        dispatch;            // ceil(count / items_per_group) groups, two-dimensional where x is not enough
    std::uint32_t count;     // items chosen, at most the maximum; a length for what follows
    std::uint32_t found;     // items chosen
    std::uint32_t rejected;  // the others
    std::uint32_t zero[2];
};
static_assert(sizeof(indirect_arguments) == 48);
inline constexpr VkDeviceSize count_offset = offsetof(indirect_arguments, count);

struct compact_options {
    // At most so many are kept; what out has room for is a limit too.
    std::uint32_t maximum = 0xffffffffu;
    // 0: the draw has `count` vertices and one instance. Else `count` instances of so many vertices.
    std::uint32_t vertices_per_instance = 0;
    std::uint32_t items_per_group = 256;
    // One word: how many items there are, read when the commands execute, at most n.
    // indirect_arguments::count of an earlier call serves.
    buffer_span<const std::uint32_t> length{};
    // Four words that a predicate reads as parameters[UPSWEEP_P_USER + 0], ... + 3.
    std::array<std::uint32_t, 4> user{};
};

// A predicate `bool keep(uint item)` and `void move(uint item, uint place)` in GLSL; cmake/Shaders.cmake
// makes these.
struct user_items {
    std::span<const std::uint32_t> vote;
    std::span<const std::uint32_t> vote_subgroups;
    std::span<const std::uint32_t> compact;
};

// The pipelines of a predicate. Its GLSL sees its own buffers as descriptor set 1 of the given layout, in
// compute stages. The executor must outlive it, and it the commands made with it.
class item_stages {
  public:
    item_stages(executor& ex, const user_items& items, VkDescriptorSetLayout layout);
    ~item_stages();
    item_stages(const item_stages&) = delete;
    item_stages& operator=(const item_stages&) = delete;

    class state;
    [[nodiscard]] state& internal() const { return *state_; }

  private:
    std::unique_ptr<state> state_;
};

namespace detail {

struct compact_arguments {
    bool partition;
    std::uint64_t items;
    std::size_t record_bytes;  // 0: indices
    buffer_span<const std::uint32_t> flags;
    buffer_span<const std::byte> in;
    buffer_span<std::byte> out;
    std::uint64_t out_count;
    buffer_span<indirect_arguments> arguments;
    workspace_span workspace;
    compact_options options;
};
commands prepare_compact(executor& ex, const compact_arguments& arguments);
commands prepare_compact(const item_stages& stages, VkDescriptorSet set, const compact_arguments& arguments);

template <class Record>
commands prepare_records(executor& ex, bool partition, const buffer_span<const std::uint32_t>& flags,
                         const buffer_span<const Record>& in, const buffer_span<Record>& out,
                         const buffer_span<indirect_arguments>& arguments, const workspace_span& workspace,
                         const compact_options& options) {
    static_assert(record<Record>);
    return prepare_compact(ex, {partition,
                                in.size,
                                sizeof(Record),
                                flags,
                                {in.buffer, in.bytes(), in.offset},
                                {out.buffer, out.bytes(), out.offset},
                                out.size,
                                arguments,
                                workspace,
                                options});
}

}  // namespace detail

// The workspace for up to n items.
[[nodiscard]] workspace_requirements compact_workspace(const executor& ex, std::uint64_t n);

// The records whose flag is not zero.
template <class In, class Record = std::remove_const_t<In>>
[[nodiscard]] commands prepare_compact(executor& ex, const buffer_span<const std::uint32_t>& flags,
                                       const buffer_span<In>& in,
                                       const std::type_identity_t<buffer_span<Record>>& out,
                                       const buffer_span<indirect_arguments>& arguments,
                                       const workspace_span& workspace, const compact_options& options = {}) {
    return detail::prepare_records<Record>(ex, false, flags, in, out, arguments, workspace, options);
}
// out has as many elements as in.
template <class In, class Record = std::remove_const_t<In>>
[[nodiscard]] commands prepare_partition(executor& ex, const buffer_span<const std::uint32_t>& flags,
                                         const buffer_span<In>& in,
                                         const std::type_identity_t<buffer_span<Record>>& out,
                                         const buffer_span<indirect_arguments>& arguments,
                                         const workspace_span& workspace,
                                         const compact_options& options = {}) {
    return detail::prepare_records<Record>(ex, true, flags, in, out, arguments, workspace, options);
}

// The indices of the items instead of records.
[[nodiscard]] commands prepare_compact_indices(executor& ex, const buffer_span<const std::uint32_t>& flags,
                                               const buffer_span<std::uint32_t>& out,
                                               const buffer_span<indirect_arguments>& arguments,
                                               const workspace_span& workspace,
                                               const compact_options& options = {});
[[nodiscard]] commands prepare_partition_indices(executor& ex, const buffer_span<const std::uint32_t>& flags,
                                                 const buffer_span<std::uint32_t>& out,
                                                 const buffer_span<indirect_arguments>& arguments,
                                                 const workspace_span& workspace,
                                                 const compact_options& options = {});

// n items with a predicate and moves of the caller's; `set` fits the layout of the stages.
[[nodiscard]] commands prepare_compact(const item_stages& stages, VkDescriptorSet set, std::uint64_t n,
                                       const buffer_span<indirect_arguments>& arguments,
                                       const workspace_span& workspace, const compact_options& options = {});
[[nodiscard]] commands prepare_partition(const item_stages& stages, VkDescriptorSet set, std::uint64_t n,
                                         const buffer_span<indirect_arguments>& arguments,
                                         const workspace_span& workspace,
                                         const compact_options& options = {});

}  // namespace upsweep::vulkan
