// Views are checked, their bytes found, and described as the plan wants them.
#include "shader/axis_arguments.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "upsweep/core/reduced_axis.hpp"
#include "upsweep/error.hpp"

namespace upsweep::shader {
namespace {

// No buffer has so many bytes, and sums of two such numbers fit 64 bits.
constexpr std::int64_t most_bytes = std::int64_t{1} << 62;

[[noreturn]] void throw_reach(const char* name) {
    throw_error(errc::invalid_argument,
                std::string(name) +
                    ": expected fewer than 2^62 bytes between elements, but its strides reach "
                    "further");
}

byte_range bytes_of(const char* name, const array_description& view, std::uint64_t size) {
    if (std::ranges::find(view.shape, 0) != view.shape.end()) return {view.offset, 0};
    if (view.offset >= static_cast<std::uint64_t>(most_bytes)) throw_reach(name);
    std::int64_t low = 0;
    std::int64_t high = 0;
    for (std::size_t k = 0; k < view.shape.size(); ++k) {
        std::int64_t reach = 0;
        std::int64_t& end = view.strides[k] < 0 ? low : high;
        if (__builtin_mul_overflow(view.shape[k] - 1, view.strides[k], &reach) ||
            __builtin_mul_overflow(reach, static_cast<std::int64_t>(size), &reach) ||
            __builtin_add_overflow(end, reach, &end) || end > most_bytes || end < -most_bytes)
            throw_reach(name);
    }
    const std::int64_t first = static_cast<std::int64_t>(view.offset) + low;
    if (first < 0) {
        throw_error(errc::invalid_argument, std::string(name) +
                                                ": expected to begin within its buffer, but its lowest "
                                                "element is " +
                                                std::to_string(-first) + " bytes in front of it");
    }
    return {static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(high - low) + size};
}

bool overlap(const byte_range& a, const byte_range& b) {
    return a.bytes != 0 && b.bytes != 0 && a.first < b.first + b.bytes && b.first < a.first + a.bytes;
}

// Where the results lie is what a plan takes for the output.
core::axis_geometry geometry_of_totals(std::span<const std::int64_t> shape,
                                       std::span<const std::int64_t> in_strides,
                                       std::span<const std::int64_t> out_strides, std::size_t axis) {
    core::axis_geometry made = core::reduced_geometry(shape, in_strides, out_strides, axis);
    made.out_stride = made.second_stride;
    made.origin.out = made.origin.second;
    for (core::axis_geometry::dimension& other : made.others) other.out_stride = other.second_stride;
    return made;
}

}  // namespace

axis_arguments check_axis_arguments(const operation& op, const array_description& in,
                                    const array_description& out, bool same_buffer, int axis) {
    const int along = upsweep::detail::check_axis("in", in.shape, out.shape, out.strides, axis);
    const std::uint64_t size = std::uint64_t{4} * op.element_words;
    // First of all that no product of extents and strides overflows.
    const byte_range from = bytes_of("in", in, input_bytes(op));
    const byte_range to = bytes_of("out", out, size);
    const std::array<std::int64_t, max_rank> none{};
    const std::span<const std::int64_t> unused(none.data(), in.shape.size());
    const bool empty = from.bytes == 0;
    axis_arguments made{{op,
                         {in.shape, empty ? unused : in.strides, empty ? unused : out.strides,
                          static_cast<std::size_t>(along)}},
                        from,
                        to};
    made.request.input_offset = in.offset;
    made.request.output_offset = out.offset;
    const bool in_place = op.input == input_type::same && in.offset == out.offset &&
                          std::ranges::equal(in.strides, out.strides);
    if (same_buffer && !in_place && overlap(made.in, made.out)) upsweep::detail::throw_views_overlap("in");
    return made;
}

axis_arguments check_total_arguments(const operation& op, const array_description& in,
                                     const array_description& out, bool same_buffer, int axis) {
    const int along = upsweep::detail::check_reduced_axis(in.shape, out.shape, out.strides, axis);
    const std::uint64_t size = std::uint64_t{4} * op.element_words;
    const byte_range from = bytes_of("in", in, input_bytes(op));
    const byte_range to = bytes_of("out", out, size);
    const std::array<std::int64_t, max_rank> none{};
    const auto used = [&](const array_description& view, const byte_range& bytes) {
        return bytes.bytes == 0 ? std::span(none.data(), view.strides.size()) : view.strides;
    };
    axis_arguments made{
        {op, geometry_of_totals(in.shape, used(in, from), used(out, to), static_cast<std::size_t>(along))},
        from,
        to};
    made.request.only_totals = true;
    made.request.input_offset = in.offset;
    made.request.output_offset = out.offset;
    if (same_buffer && overlap(made.in, made.out))
        throw_error(errc::invalid_argument, "out: overlaps in; it must be disjoint from it");
    return made;
}

}  // namespace upsweep::shader
