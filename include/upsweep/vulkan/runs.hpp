// What segmented_reduce.hpp and unique.hpp have in common: one result for each segment or run.
#pragma once

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/shader/operation.hpp"
#include "upsweep/shader/segments.hpp"
#include "upsweep/vulkan/buffer.hpp"
#include "upsweep/vulkan/commands.hpp"
#include "upsweep/vulkan/compact.hpp"
#include "upsweep/vulkan/executor.hpp"
#include "upsweep/vulkan/scan.hpp"

namespace upsweep::vulkan::detail {

struct runs_arguments {
    shader::run_values values = shader::run_values::none;
    shader::operation op{};  // of totals
    const user_operator* user = nullptr;
    bool has_initial = false;
    std::array<std::uint32_t, 4> initial{};
    shader::segments<VkBuffer> segments{};
    const char* described = "segments";  // what the caller calls them: "keys"
    std::uint64_t element_count = 0;
    std::uint32_t record_words = 0;  // of first elements
    bool has_keys = false;           // keys_out is wanted
    buffer_span<const std::byte> in{};
    buffer_span<std::byte> out{};  // room for `room` results
    std::uint64_t room = 0;
    buffer_span<std::byte> keys_out{};
    std::uint64_t keys_room = 0;
    buffer_span<indirect_arguments> arguments{};
    buffer_span<const std::uint32_t> length{};
    std::uint32_t vertices_per_instance = 0;
    std::uint32_t items_per_group = 256;
    workspace_span workspace{};
};
commands prepare_runs(executor& ex, const runs_arguments& given);
workspace_requirements runs_workspace(const executor& ex, const runs_arguments& given);

template <class T>
void set_results(runs_arguments& to, const buffer_span<T>& out) {
    to.out = {out.buffer, out.bytes(), out.offset};
    to.room = out.size;
}
template <class Key>
void set_keys_out(runs_arguments& to, const buffer_span<Key>& keys_out) {
    to.has_keys = true;
    to.keys_out = {keys_out.buffer, keys_out.bytes(), keys_out.offset};
    to.keys_room = keys_out.size;
}
template <class In>
void set_elements(runs_arguments& to, const buffer_span<In>& in) {
    to.in = {in.buffer, in.bytes(), in.offset};
    to.element_count = in.size;
}

}  // namespace upsweep::vulkan::detail
