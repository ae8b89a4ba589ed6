// Which of the kernels a scan of an array takes: those of its types, or conversions before and after a scan
// of held accumulators.
#include "registry/cuda/arrays.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <tuple>

#include "registry/cuda/array_choices.hpp"
#include "registry/cuda/held_scan.hpp"
#include "registry/cuda/kernels.hpp"
#include "registry/cuda/stream_memory.hpp"
#include "registry/cuda/sums.hpp"
#include "registry/held.hpp"
#include "upsweep/core/arguments.hpp"
#include "upsweep/core/axis_geometry.hpp"
#include "upsweep/cuda/device_scope.hpp"

namespace upsweep::registry::gpu {
namespace {

// Elements as accumulators are held: where they are, or in temporary memory.
class held_elements {
  public:
    held_elements(const held_scan& how, cuda::executor& ex, const void* in, std::size_t n) : data_(in) {
        if (!how.loads || n == 0) return;
        memory_.emplace(ex, n * size_of(how.as.held));
        load_elements(how.load(), in, memory_->data(), n, ex.stream());
        data_ = memory_->data();
    }
    [[nodiscard]] const void* data() const { return data_; }

  private:
    std::optional<stream_memory> memory_;
    const void* data_;
};

// An input of a recurrence as numbers of the arithmetic's type, those that it repeats once; along an axis
// that runs fastest in the results all of them, as tiles of lines want them.
class converted_input {
  public:
    converted_input(const recurrence_call& call, const recurrence_call::array& in, dtype number,
                    std::size_t axis, cuda::executor& ex) {
        const std::size_t rank = call.shape.size();
        const bool lies_along = std::abs(call.out.strides[axis]) == 1;
        for (std::size_t k = 0; k < rank; ++k)
            shape_.at(k) = in.strides[k] == 0 && !(k == axis && lies_along) ? 1 : call.shape[k];
        const auto shape = std::span(shape_).first(rank);
        strides_ = packed_strides(shape, call.out.strides);
        memory_.emplace(ex, count_of(shape) * size_of(number));
        const auto packed = std::span(strides_).first(rank);
        load_elements({in.type, number, number}, conversion_between(shape, in.strides, packed, axis), in.data,
                      memory_->data(), ex.stream());
        for (std::size_t k = 0; k < rank; ++k)
            if (shape_.at(k) != call.shape[k]) strides_.at(k) = 0;
        array_ = {number, memory_->data(), packed};
    }
    converted_input(const converted_input&) = delete;
    converted_input& operator=(const converted_input&) = delete;

    [[nodiscard]] const recurrence_call::array& array() const { return array_; }

  private:
    std::array<std::int64_t, max_rank> shape_{}, strides_{};
    std::optional<stream_memory> memory_;
    recurrence_call::array array_{};
};

// Whether an input of that type is read by the kernels as it is.
bool is_read_directly(const recurrence_call& call, const recurrence_call::array& in, dtype type,
                      std::size_t axis) {
    const bool repeats_along = in.strides[axis] == 0 && call.shape[axis] > 1;
    return in.type == type && !(repeats_along && std::abs(call.out.strides[axis]) == 1);
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

std::size_t held_bytes(const scan_request& request) {
    const held_scan how(request);
    return how.stores ? size_of(how.as.held) : 0;
}

void reduce_array_segments(const scan_request& request, cuda::executor& ex, const void* in,
                           const std::uint8_t* heads, std::size_t n, void* out, std::size_t room,
                           std::uint64_t* count) {
    const held_scan how(request);
    const std::size_t size = size_of(how.as.held);
    detail::check_disjoint("out", out, room * size, "heads", heads, n);
    detail::check_disjoint("out", out, room * size, "in", in, n * size_of(how.types.input));
    const cuda::device_scope current(ex);
    if (n == 0)
        return cuda::check(cudaMemsetAsync(count, 0, sizeof *count, ex.stream()), "clearing the count");
    ex.check_pointer(in, "in");
    ex.check_pointer(heads, "heads");
    ex.check_pointer(out, "out");
    const held_elements elements(how, ex, in, n);
    if (reduce_segments(how.as.op, how.as.held, ex, {elements.data(), out, heads, n, false, how.initial},
                        count))
        return;
    const stream_memory results(ex, n * size);
    scan_segments(how.as.op, how.as.held, ex,
                  {elements.data(), results.data(), heads, n, false, how.initial});
    choose_last(ex, heads, results.data(), out, n, size, count);
}

void reduce_array_by_keys(const scan_request& request, cuda::executor& ex, const void* in,
                          const keys_call& keys, void* out, std::size_t n, std::uint64_t* count) {
    const held_scan how(request);
    const std::size_t key_bytes = n * size_of(keys.type), out_bytes = n * size_of(how.as.held);
    const std::size_t kept_bytes = keys.keys_out == nullptr ? 0 : key_bytes;
    for (const auto& [name, target, bytes] :
         {std::tuple("out", out, out_bytes), std::tuple("keys_out", keys.keys_out, kept_bytes)}) {
        detail::check_disjoint(name, target, bytes, "keys", keys.keys, key_bytes);
        detail::check_disjoint(name, target, bytes, "in", in, n * size_of(how.types.input));
    }
    detail::check_disjoint("out", out, out_bytes, "keys_out", keys.keys_out, kept_bytes);
    if (how.as.op == operation::plus && n != 0) {
        ex.check_pointer(in, "in");
        ex.check_pointer(keys.keys, "keys");
        if (keys.keys_out != nullptr) ex.check_pointer(keys.keys_out, "keys_out");
        ex.check_pointer(out, "out");
        const cuda::device_scope current(ex);
        const held_elements elements(how, ex, in, n);
        if (sum_by_keys(how.as.held, ex, {elements.data(), out, nullptr, n, false, how.initial}, keys, count))
            return;
    }
    const stream_memory heads(ex, n);
    auto* const flags = static_cast<std::uint8_t*>(heads.data());
    mark_runs(ex, keys.type, keys.keys, flags, n);
    reduce_array_segments(request, ex, in, flags, n, out, n, count);
    if (keys.keys_out != nullptr) encode_runs(ex, keys.type, keys.keys, n, keys.keys_out, nullptr, count);
}

void reduce_array_by_offsets(const scan_request& request, cuda::executor& ex, const void* in, std::size_t n,
                             const std::int64_t* offsets, std::size_t count, void* out, std::uint64_t* bad,
                             const std::function<void()>& marked) {
    const held_scan how(request);
    const std::size_t size = size_of(how.as.held), segments = count - 1;
    detail::check_disjoint("out", out, segments * size_of(how.types.output), "offsets", offsets,
                           count * sizeof *offsets);
    detail::check_disjoint("out", out, segments * size_of(how.types.output), "in", in,
                           n * size_of(how.types.input));
    if (segments != 0) ex.check_pointer(out, "out");
    if (segments != 0 && n != 0) ex.check_pointer(in, "in");
    // Looked at ahead, as the host waits for no more than that.
    mark_offsets(ex, offsets, count, nullptr, n, bad);
    marked();
    if (segments == 0) return;
    const cuda::device_scope current(ex);
    std::optional<stream_memory> temporary;
    if (how.stores) temporary.emplace(ex, segments * size);
    void* const held = temporary ? temporary->data() : out;
    const held_elements elements(how, ex, in, n);
    if (!reduce_by_offsets(how.as.op, how.as.held, ex,
                           {elements.data(), held, offsets, count, n, how.initial, how.as.start})) {
        const stream_memory results(ex, n * size), flags(ex, n);
        auto* const heads = static_cast<std::uint8_t*>(flags.data());
        mark_offsets(ex, offsets, count, heads, n, nullptr);
        if (n != 0)
            scan_segments(how.as.op, how.as.held, ex,
                          {elements.data(), results.data(), heads, n, false, how.initial});
        gather_last(ex, offsets, count, results.data(), n, how.as.start, held);
    }
    if (how.stores) store_results(how.store(), how.order, held, out, segments, ex.stream());
}

void sum_array_by_bins(const scan_request& request, cuda::executor& ex, const std::uint32_t* bins,
                       const void* in, std::size_t n, void* out, std::size_t count) {
    if (count == 0) return;
    const held_scan how(request);
    ex.check_pointer(out, "out");
    if (n != 0) ex.check_pointer(in, "in");
    const cuda::device_scope current(ex);
    std::optional<stream_memory> temporary;
    if (how.stores) temporary.emplace(ex, count * size_of(how.as.held));
    void* const held = temporary ? temporary->data() : out;
    const held_elements elements(how, ex, in, n);
    sum_by_bins(how.as.held, ex, {bins, elements.data(), n, held, count});
    if (how.stores) store_results(how.store(), how.order, held, out, count, ex.stream());
}

void store_totals(const scan_request& request, cuda::executor& ex, const void* held, void* out,
                  std::size_t n) {
    if (n == 0) return;
    const held_scan how(request);
    const cuda::device_scope current(ex);
    store_results(how.store(), how.order, held, out, n, ex.stream());
}

void number_runs(cuda::executor& ex, dtype type, const void* in, std::size_t n, std::int64_t* out) {
    if (n == 0) return;
    const stream_memory heads(ex, n);
    mark_runs(ex, type, in, static_cast<std::uint8_t*>(heads.data()), n);
    scan_request request{operation::plus, {dtype::uint8, dtype::int64, dtype::int64}};
    request.initial = value::of(dtype::int64, std::int64_t{-1});
    const std::int64_t shape = static_cast<std::int64_t>(n), step = 1;
    scan_array(request, ex, heads.data(), out, {{&shape, 1}, {&step, 1}, {&step, 1}, 0});
}

void scan_recurrence(cuda::executor& ex, const recurrence_call& call) {
    std::optional<std::size_t> axis;
    const recurrence_call::array* const inputs[] = {&call.b, &call.a};
    for (const recurrence_call::array* in : std::span(inputs).first(call.coefficient ? 1 : 2)) {
        axis = check_axis({in->type, in->type, call.out.type}, in->data, call.out.data,
                          {call.shape, in->strides, call.out.strides, call.axis});
        if (!axis) return;
        ex.check_pointer(in->data, in == &call.a ? "a" : "b");
    }
    ex.check_pointer(call.out.data, "out");
    const cuda::device_scope current(ex);
    const dtype number = call.in_double ? dtype::float64 : dtype::float32;
    const bool halves = call.out.type == dtype::float16 || call.out.type == dtype::bfloat16;
    const auto a_is = [&](dtype type) {
        return call.coefficient || is_read_directly(call, call.a, type, *axis);
    };
    const auto b_is = [&](dtype type) { return is_read_directly(call, call.b, type, *axis); };
    if (!call.in_double && halves && a_is(call.out.type) && b_is(call.out.type))
        return recur(call.out.type, ex, call);

    recurrence_call numbers = call;
    std::optional<converted_input> a, b;
    if (!a_is(number)) numbers.a = a.emplace(call, call.a, number, *axis, ex).array();
    if (!b_is(number)) numbers.b = b.emplace(call, call.b, number, *axis, ex).array();
    if (call.out.type == number) return recur(number, ex, numbers);

    const auto packed = packed_strides(call.shape, call.out.strides);
    const std::span strides = std::span(packed).first(call.shape.size());
    const stream_memory results(ex, count_of(call.shape) * size_of(number));
    numbers.out = {number, results.data(), strides};
    recur(number, ex, numbers);
    store_results({call.out.type, number, number}, {.start = value::of(number, 0.0)},
                  conversion_between(call.shape, strides, call.out.strides, *axis), results.data(),
                  call.out.data, ex.stream());
}

}  // namespace upsweep::registry::gpu
