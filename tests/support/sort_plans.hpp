// What the plans of sorts, of sorts of segments and of the first k of an order are made for, and where they
// read and write.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "shader/plan.hpp"
#include "support/refused.hpp"

namespace upsweep::test {

// Keys alone, indices, and values of one word and of more, elsewhere and in place.
inline constexpr std::array<shader::sort_shape, 11> sort_shapes{{
    {shader::sort_output::keys, 1},
    {shader::sort_output::keys, 2},
    {shader::sort_output::indices, 1},
    {shader::sort_output::indices, 2},
    {shader::sort_output::keys_with_values, 1, 1},
    {shader::sort_output::keys_with_values, 2, 1},
    {shader::sort_output::keys_with_values, 1, 2},
    {shader::sort_output::keys_with_values, 2, 5},
    {shader::sort_output::keys_with_values, 1, 1, true},
    {shader::sort_output::keys_with_values, 1, 5, true},
    {shader::sort_output::keys_with_values, 2, 7, true},
}};

// Devices that bind much, as much as most do, and little, the last with few groups a dispatch.
inline std::vector<shader::limits> sort_devices(std::uint64_t merged_keys = shader::limits{}.merged_keys) {
    return {
        {.binding_bytes = std::uint64_t{1} << 32,
         .binding_alignment = 16,
         .groups_x = 0x7fffffffu,
         .merged_keys = merged_keys},
        {.binding_bytes = std::uint64_t{1} << 27, .merged_keys = merged_keys},
        {.binding_bytes = std::uint64_t{1} << 20,
         .binding_alignment = 64,
         .groups_x = 2,
         .groups_y = 3,
         .merged_keys = merged_keys},
    };
}

// A sort_request or a top_k_request of n keys, with an offset of its own in each buffer.
template <class Request>
Request sort_request_of(const shader::sort_shape& shape, std::uint64_t n) {
    Request request;
    request.shape = shape;
    request.items = n;
    request.input_offset = 24;
    request.output_offset = 4096 + 40;
    request.values_offset = 12;
    request.moved_values_offset = 512 + 4;
    request.workspace_offset = 1024;
    return request;
}

// plan(request) refuses offsets that nothing of its type begins at and says what has them. `good` has keys of
// two words, and values.
template <class Request, class Plan>
void expect_offsets_checked(Request good, const Plan& plan) {
    good.length_in_buffer = true;
    const auto misplaced = [&](const char* beginning, std::uint64_t Request::*offset, std::uint64_t bytes) {
        Request request = good;
        request.*offset = bytes;
        expect_refused(beginning, [&] { plan(request); });
    };
    misplaced("keys: expected an offset", &Request::input_offset, 4);
    misplaced("keys_out: expected an offset", &Request::output_offset, 12);
    misplaced("values: expected an offset", &Request::values_offset, 2);
    misplaced("values_out: expected an offset", &Request::moved_values_offset, 5);
    misplaced("workspace: expected an offset", &Request::workspace_offset, 16);
    misplaced("options.length: expected an offset", &Request::length_offset, 3);
}

// Where in a buffer something begins, in bytes.
struct site {
    shader::resource from = shader::resource::none;
    std::uint64_t offset = 0;
    friend bool operator==(const site&, const site&) = default;
};
inline site site_of(const shader::dispatch& d, int at, int parameter, std::uint64_t size) {
    const shader::binding& bound = d.bindings[static_cast<std::size_t>(at)];
    return {bound.from, bound.offset + d.parameters[static_cast<std::size_t>(parameter)] * size};
}

inline bool has(const shader::dispatch& d, std::uint32_t flag) {
    return (d.parameters[UPSWEEP_P_FLAGS] & flag) != 0;
}

inline bool overlap(const shader::binding& a, const shader::binding& b) {
    return a.from == b.from && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

}  // namespace upsweep::test
