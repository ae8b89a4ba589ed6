#include "registry/reducer.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

#include "registry/accumulation.hpp"
#include "registry/runs.hpp"
#include "registry/staging.hpp"
#include "upsweep/compact.hpp"
#include "upsweep/cpu/segment_results.hpp"
#include "upsweep/cpu/segment_totals.hpp"
#include "upsweep/cpu/tuning.hpp"
#include "upsweep/error.hpp"
#include "upsweep/segments.hpp"

namespace upsweep::registry {
namespace {

// Where totals go, segment after segment, converted a few cache lines at a time.
template <class Acc>
class converted_results {
  public:
    static constexpr bool takes_numbers = true;

    converted_results(const cpu::sink<Acc>& into, const cpu::memory_kernels& memory)
        : into_{into, memory, std::nullopt} {}

    class cursor : public staged_sink<Acc>::cursor {
      public:
        cursor(const converted_results& of, const cpu::marked_piece& piece)
            : staged_sink<Acc>::cursor(of.into_, piece.segment) {}
    };
    void put(const cpu::marked_piece& piece, const Acc* results) const {
        if constexpr (std::is_arithmetic_v<Acc>) {
            if (Acc* const out = into_.into.direct; out != nullptr) {
                std::copy_n(results, piece.end_count, out + piece.segment);
                return;
            }
        }
        cursor store(*this, piece);
        for (std::size_t k = 0; k < piece.end_count; ++k) store(results[k]);
    }

  private:
    staged_sink<Acc> into_;
};

template <class Acc, class Op>
std::size_t reduce(cpu::executor& ex, const scan_request& request, const cpu::head_marks& marks,
                   const void* in, const cpu::transfer* keys, void* out) {
    const accumulation<Acc> how{is_truth(request)};
    const cpu::memory_kernels& memory = cpu::memory_kernels_for(ex.simd());
    const std::optional<Acc> initial = initial_of<Acc>(request);
    const cpu::source<Acc> source = make_source<Acc>(how, request.types.input, in, 1);
    using results = converted_results<Acc>;
    const results to(make_sink<Acc>(how, request.types.output, out, 1), memory);
    const std::size_t written_bytes = size_of(request.types.output) + (keys == nullptr ? 0 : keys->out_bytes);
    if constexpr (cpu::has_exact_totals<Acc, Op>) {
        const cpu::exact_totals<Acc, Op, results> totals(ex, source, Op(), to, initial);
        return cpu::run_segments(ex, totals, marks, written_bytes, cpu::tuning::segmented_cost, keys,
                                 marks.n);
    } else if constexpr (cpu::has_segmented_kernels<Acc, Op>) {
        const cpu::kernel_totals<Acc, Op, results> totals(ex, source, Op(), to, initial);
        return cpu::run_segments(ex, totals, marks, written_bytes, cpu::tuning::segmented_cost, keys,
                                 marks.n);
    } else {
        const cpu::generic_totals<Acc, Op, staged_source<Acc>, results> totals(ex, {source, memory, marks.n},
                                                                               Op(), to, initial);
        return cpu::run_segments(ex, totals, marks, written_bytes, cpu::tuning::generic_cost, keys, marks.n);
    }
}

std::size_t reduce(cpu::executor& ex, const scan_request& request, const cpu::head_marks& marks,
                   const void* in, const cpu::transfer* keys, void* out) {
    return visit_operation(request, [&]<class Op>(Op) {
        return visit_accumulator<Op>(request, [&]<class Acc>(std::type_identity<Acc>) {
            return reduce<Acc, Op>(ex, request, marks, in, keys, out);
        });
    });
}

// Moves so many totals, of the segments that have elements, to where those are, from the last on, and sets
// the others.
template <class Integer>
void spread(const by_offsets<Integer>& segments, std::size_t totals, const value& empty, void* out) {
    const auto offsets = segments.offsets();
    const std::size_t size = size_of(empty.type());
    auto* const bytes = static_cast<std::byte*>(out);
    for (std::size_t k = offsets.size() - 1; k-- > totals;) {
        const bool is_empty = offsets[k] == offsets[k + 1];
        if (!is_empty) --totals;
        std::memcpy(bytes + k * size, is_empty ? empty.data() : bytes + totals * size, size);
    }
}

template <class Integer>
std::size_t reduce_by_offsets(cpu::executor& ex, const scan_request& request, const segments_given& given,
                              const void* in, std::size_t n, void* out) {
    const by_offsets segments(std::span(static_cast<const Integer*>(given.data), given.size));
    segments.check(n, ex.simd());
    const std::size_t count =
        n == 0 ? 0 : reduce(ex, request, cpu::marks_of(segments, n, false), in, nullptr, out);
    if (count + 1 != given.size) spread(segments, count, total_of_nothing(request), out);
    return given.size - 1;
}

}  // namespace

value total_of_nothing(const scan_request& request) {
    return visit_operation(request, [&]<class Op>(Op) {
        return visit_accumulator<Op>(request, [&]<class Acc>(std::type_identity<Acc>) {
            const Acc start = initial_of<Acc>(request).value_or(Op::template identity<Acc>());
            std::array<std::byte, 16> element{};
            const auto to = make_sink<Acc>({is_truth(request)}, request.types.output, element.data(), 1);
            to.store(to, cpu::memory_kernels_for(cpu::simd_level::portable), 0, 1, &start);
            return value::at(request.types.output, element.data());
        });
    });
}

std::size_t reduce_segments(const device& where, const scan_request& request, const segments_given& segments,
                            const void* in, std::size_t n, void* keys_out, void* out) {
    const scan_types& types = request.types;
    static_cast<void>(resolve_types(request.op, types.input, types.output, types.accumulator));
    if (where.accelerated() != nullptr)
        throw_error(errc::unsupported, "device " + where.name() + ": segments are reduced on the CPU only");
    cpu::executor& ex = where.executor();
    if (segments.by == segments_given::description::offsets) {
        if (segments.type == dtype::int32)
            return reduce_by_offsets<std::int32_t>(ex, request, segments, in, n, out);
        if (segments.type == dtype::int64)
            return reduce_by_offsets<std::int64_t>(ex, request, segments, in, n, out);
        throw_error(errc::invalid_argument, "segments: expected offsets of int32 or int64, but they are of " +
                                                std::string(name(segments.type)));
    }
    if (n == 0) return 0;
    if (segments.by == segments_given::description::flags) {
        const by_head_flags heads(std::span(static_cast<const std::uint8_t*>(segments.data), n));
        return reduce(ex, request, cpu::marks_of(heads, n, false), in, nullptr, out);
    }
    return visit_equality(segments.type, [&]<class Key>(std::type_identity<Key>) {
        const by_keys keys(std::span(static_cast<const Key*>(segments.data), n));
        const cpu::transfer way = detail::transfer_of(keys.elements().data(), static_cast<Key*>(keys_out));
        return reduce(ex, request, cpu::marks_of(keys, n, false), in, keys_out == nullptr ? nullptr : &way,
                      out);
    });
}

}  // namespace upsweep::registry
