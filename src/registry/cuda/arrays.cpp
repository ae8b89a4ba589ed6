// Which of the kernels a scan of an array takes: those of its types, or conversions before and after a scan
// of held accumulators.
#include "registry/cuda/arrays.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include "registry/cuda/kernels.hpp"
#include "registry/cuda/stream_memory.hpp"
#include "registry/cuda/sums.hpp"
#include "registry/held.hpp"
#include "upsweep/core/arguments.hpp"
#include "upsweep/core/axis_geometry.hpp"
#include "upsweep/cuda/device_scope.hpp"

namespace upsweep::registry::gpu {
namespace {

// What a request comes to on held accumulators.
struct held_scan {
    explicit held_scan(const scan_request& request)
        : types(request.types),
          as(hold(request)),
          initial(request.initial ? &as.start : nullptr),
          loads(!is_held_as(types.input, types.accumulator, as.held)),
          // Exclusive results are made of inclusive ones when they are stored.
          stores(request.exclusive || !is_held_as(types.output, types.accumulator, as.held)),
          order{request.exclusive, request.reverse, as.start, nullptr, nullptr} {}
    held_scan(const held_scan&) = delete;
    held_scan& operator=(const held_scan&) = delete;

    scan_types types;
    held_request as;
    const value* initial;  // null: none
    bool loads, stores;    // whether elements and results are converted
    result_order order;

    [[nodiscard]] conversion load() const { return {types.input, types.accumulator, as.held}; }
    [[nodiscard]] conversion store() const { return {types.output, types.accumulator, as.held}; }
};

// Strides of an array that lies as `like` does, but has no gaps: the same order of dimensions.
std::array<std::int64_t, max_rank> packed_strides(std::span<const std::int64_t> shape,
                                                  std::span<const std::int64_t> like) {
    std::array<std::size_t, max_rank> order{};
    for (std::size_t k = 0; k < shape.size(); ++k) order.at(k) = k;
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(shape.size());
    std::stable_sort(order.begin(), end,
                     [&](std::size_t a, std::size_t b) { return std::abs(like[a]) > std::abs(like[b]); });
    std::array<std::int64_t, max_rank> strides{};
    std::int64_t stride = 1;
    for (auto k = end; k != order.begin();) {
        strides.at(*--k) = stride;
        stride *= shape[*k];
    }
    return strides;
}

std::size_t count_of(std::span<const std::int64_t> shape) {
    std::size_t count = 1;
    for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
    return count;
}

// Two arrays as one sequence, where they lie in the same order, each with equal steps from element to
// element.
std::optional<core::axis_geometry> line_of(std::span<const std::int64_t> shape,
                                           std::span<const std::int64_t> from,
                                           std::span<const std::int64_t> to) {
    const auto packed = packed_strides(shape, to);
    std::int64_t from_step = 1, to_step = 1;
    for (std::size_t k = 0; k < shape.size(); ++k)
        if (shape[k] > 1 && packed.at(k) == 1) from_step = from[k], to_step = to[k];
    for (std::size_t k = 0; k < shape.size(); ++k)
        if (shape[k] > 1 && (from[k] != from_step * packed.at(k) || to[k] != to_step * packed.at(k)))
            return std::nullopt;
    const auto count = static_cast<std::int64_t>(count_of(shape));
    return core::axis_geometry({&count, 1}, {&from_step, 1}, {&to_step, 1}, 0);
}
core::axis_geometry conversion_between(std::span<const std::int64_t> shape,
                                       std::span<const std::int64_t> from, std::span<const std::int64_t> to,
                                       std::size_t axis) {
    const auto line = line_of(shape, from, to);
    return line ? *line : core::axis_geometry(shape, from, to, axis);
}

bool is_sequence(std::span<const std::int64_t> shape, const recurrence_call::array& array, dtype type) {
    return shape.size() == 1 && array.type == type && (array.strides[0] == 1 || shape[0] == 1);
}

}  // namespace

void scan_array(const scan_request& request, cuda::executor& ex, const void* in, void* out,
                const axis_layout& layout) {
    const held_scan how(request);
    const std::optional<std::size_t> axis = check_axis(how.types, in, out, layout);
    if (!axis) return;
    ex.check_pointer(in, "in");
    ex.check_pointer(out, "out");
    const cuda::device_scope current(ex);
    const axis_call direct{in, out, layout, request.reverse, how.initial};
    if (request.op == operation::plus && (sum_halves(how.types, request.exclusive, ex, direct) ||
                                          sum_widening(how.types, request.exclusive, ex, direct) ||
                                          (request.exclusive && sum_exclusive(how.types, ex, direct))))
        return;

    // Accumulators go where the results will be, or to temporary memory where those are something else.
    const auto packed = packed_strides(layout.shape, layout.out_strides);
    const auto held_strides = how.stores ? std::span(packed).first(layout.shape.size()) : layout.out_strides;
    std::optional<stream_memory> temporary;
    if (how.stores) temporary.emplace(ex, count_of(layout.shape) * size_of(how.as.held));
    void* const held = temporary ? temporary->data() : out;
    if (how.loads)
        load_elements(how.load(), conversion_between(layout.shape, layout.in_strides, held_strides, *axis),
                      in, held, ex.stream());
    scan_axis(how.as.op, how.as.held, ex,
              {how.loads ? held : in,
               held,
               {layout.shape, how.loads ? held_strides : layout.in_strides, held_strides, layout.axis},
               request.reverse,
               how.initial});
    if (how.stores)
        store_results(how.store(), how.order,
                      request.exclusive
                          ? core::axis_geometry(layout.shape, held_strides, layout.out_strides, *axis)
                          : conversion_between(layout.shape, held_strides, layout.out_strides, *axis),
                      held, out, ex.stream());
}

void scan_array_segments(const scan_request& request, cuda::executor& ex, const void* in,
                         const std::uint8_t* heads, void* out, std::size_t n) {
    held_scan how(request);
    const std::size_t in_size = size_of(how.types.input), out_size = size_of(how.types.output);
    detail::check_disjoint("out", out, n * out_size, "heads", heads, n);
    detail::check_overlap(in, in_size, out, out_size, n);
    if (n == 0) return;
    ex.check_pointer(in, "in");
    ex.check_pointer(heads, "heads");
    ex.check_pointer(out, "out");
    const cuda::device_scope current(ex);
    how.order.heads = heads;
    std::optional<stream_memory> temporary;
    if (how.stores) temporary.emplace(ex, n * size_of(how.as.held));
    void* const held = temporary ? temporary->data() : out;
    if (how.loads) load_elements(how.load(), in, held, n, ex.stream());
    scan_segments(how.as.op, how.as.held, ex,
                  {how.loads ? held : in, held, heads, n, request.reverse, how.initial});
    if (how.stores) store_results(how.store(), how.order, held, out, n, ex.stream());
}

void scan_recurrence(cuda::executor& ex, const recurrence_call& call) {
    std::optional<std::size_t> axis;
    for (const recurrence_call::array* in : {&call.a, &call.b}) {
        axis = check_axis({in->type, in->type, call.out.type}, in->data, call.out.data,
                          {call.shape, in->strides, call.out.strides, call.axis});
        if (!axis) return;
        ex.check_pointer(in->data, in == &call.a ? "a" : "b");
    }
    ex.check_pointer(call.out.data, "out");
    const cuda::device_scope current(ex);
    const dtype number = call.in_double ? dtype::float64 : dtype::float32;
    const std::size_t count = count_of(call.shape);
    if (is_sequence(call.shape, call.a, number) && is_sequence(call.shape, call.b, number) &&
        is_sequence(call.shape, call.out, number))
        return recur(call.in_double, ex, call.a.data, call.b.data, call.out.data, count, call.x0);

    // Maps (a, b) side by side, in the order of the results.
    const stream_memory maps(ex, 2 * count * size_of(number));
    const auto packed = packed_strides(call.shape, call.out.strides);
    const std::span map_strides = std::span(packed).first(call.shape.size());
    // One sequence for both, or the axis for both: they are walked together.
    const auto a_line = line_of(call.shape, call.a.strides, map_strides),
               b_line = line_of(call.shape, call.b.strides, map_strides);
    const auto source_of = [&](const recurrence_call::array& in, const auto& line) {
        return pair_source{
            in.type, in.data,
            a_line && b_line ? *line : core::axis_geometry(call.shape, in.strides, map_strides, *axis)};
    };
    load_pairs(call.in_double, source_of(call.a, a_line), source_of(call.b, b_line), maps.data(),
               ex.stream());
    compose_maps(call.in_double, ex, maps.data(), call.shape, map_strides, call.axis, call.x0);

    auto strides = packed;  // of the second numbers of maps
    for (std::int64_t& stride : strides) stride *= 2;
    const void* const results = static_cast<std::byte*>(maps.data()) + size_of(number);
    store_results(
        {call.out.type, number, number}, {.start = value::of(number, 0.0)},
        conversion_between(call.shape, std::span(strides).first(call.shape.size()), call.out.strides, *axis),
        results, call.out.data, ex.stream());
}

}  // namespace upsweep::registry::gpu
