// What the plans of sorts share: places in buffers, the flags of a key's order, values fetched by their
// indices.
#pragma once

#include <cstdint>
#include <vector>

#include "shader/plan-inl.hpp"

namespace upsweep::shader {

// Where something begins in a buffer, in bytes, and what the caller calls it.
struct place {
    resource from = resource::none;
    std::uint64_t offset = 0;
    const char* name = "";
};
[[nodiscard]] inline place keys_in(const sort_request& request) {
    const bool pairs = request.shape.output == sort_output::keys_with_values;
    return {resource::input, request.input_offset, pairs ? "keys" : "in"};
}
// The sorted keys, or the indices that are asked for instead.
[[nodiscard]] inline place sorted_out(const sort_request& request) {
    const bool pairs = request.shape.output == sort_output::keys_with_values;
    return {resource::output, request.output_offset, pairs ? "keys_out" : "out"};
}

// Elements of so many words. Throws upsweep::error (unsupported) if they are more than can be bound.
[[nodiscard]] bound_range bind_place(const place& from, std::uint64_t elements, std::uint32_t words,
                                     const limits& device);
// Binds them; `parameter` says where the first is.
void bind_elements(dispatch& to, int at, int parameter, const place& from, std::uint64_t elements,
                   std::uint32_t words, const limits& device);
// The length that is in a buffer, if there is one.
void set_length(dispatch& to, const sort_request& request, const limits& device);
// UPSWEEP_F_...
[[nodiscard]] std::uint32_t order_flags(const core::key_order& order);
[[nodiscard]] std::uint32_t order_flags(const sort_request& request);
// Throws as plan_sort does but for what exceeds binding_bytes.
void check_sort(const sort_request& request, const limits& device);

// A sort of everything that merges, in the workspace of a sort of segments; and of how many items sorts do:
// limits::merged_keys, or as many as have records of keys and indices that can be bound.
[[nodiscard]] std::vector<dispatch> plan_merge_sort(const sort_request& request, const limits& device);
[[nodiscard]] std::uint64_t merged_items(const sort_shape& shape, const limits& device);

// Records of `width` words go from `from` to `to`: those with these indices, or, without indices, in their
// order; `count` of them, which is not 0, but no more than the word `length` says where there is one.
struct gathering {
    place from;
    std::uint64_t from_count = 0;
    place indices{};
    place to;
    std::uint64_t count = 0;
    std::uint32_t width = 1;
    place length{};
};
void append_gather(std::vector<dispatch>& made, const gathering& what, const limits& device);
// All values of a sort.
void append_gather(std::vector<dispatch>& made, const sort_request& request, std::uint32_t width,
                   const place& values, const place* indices, const place& out, const limits& device);

}  // namespace upsweep::shader
