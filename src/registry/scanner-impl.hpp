// The scanner of one accumulator type and operator; included by the files that instantiate it, an operator
// each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "registry/accumulation.hpp"
#include "registry/scanner.hpp"
#include "registry/staging.hpp"
#include "upsweep/cpu/axis.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/segmented_scan.hpp"

namespace upsweep::registry {

// The heads of a block, a byte an element, for cpu::marks_of.
struct block_heads {
    const std::uint8_t* heads;
    std::size_t n;
    bool first_starts;  // whether element 0 starts a segment whatever its byte says
    bool later_starts;  // whether the element after the block does

    void mark(const cpu::memory_kernels& memory, std::size_t first, std::size_t count, std::uint64_t* bits,
              std::size_t&) const {
        const std::size_t inside = std::min(count, n - first);
        memory.mark_nonzero[0](heads + first, inside, bits);
        if (inside != count) {
            if (inside % 64 == 0) bits[inside / 64] = 0;
            bits[inside / 64] |= static_cast<std::uint64_t>(later_starts) << (inside % 64);
        }
        if (first == 0 && first_starts) bits[0] |= 1;
    }
};

template <class Acc, class Op>
class typed_scanner final : public scanner {
    // Operands of a reversed scan are swapped, which no operator of the table can see.
    static_assert(is_commutative<Op>);

  public:
    typed_scanner(cpu::executor& executor, const scan_request& request)
        : executor_(executor),
          request_(request),
          how_{is_truth(request)},
          memory_(cpu::memory_kernels_for(executor.simd())),
          initial_(initial_of<Acc>(request)) {
        restart();
    }

    void scan(const void* in, void* out, std::size_t n) override {
        if (n == 0) return;
        check_block(count_, block_multiple);
        const cpu::source<Acc> source = source_at(in, n);
        const cpu::sink<Acc> sink = sink_at(out, n);
        const cpu::scan_shape shape = shape_of(source, sink, n, in == out);
        if constexpr (cpu::has_kernels<Acc, Op>) {
            total_ = cpu::run_scan(cpu::operation_of<Acc, Op>, executor_, source, sink, shape, tree_);
        } else {
            const staged_source<Acc> staged{source, memory_, n};
            const staged_sink<Acc> results{sink, memory_, start()};
            total_ = cpu::run_generic_scan<Acc>(executor_, staged, results, Op(), shape, tree_);
        }
        count_ += n;
    }

    void scan_segments(const void* in, const std::uint8_t* heads, void* out, std::size_t n) override {
        if (n == 0) return;
        check_block(count_, block_multiple);
        const block_heads segments{heads, n, count_ == 0, later_head_};
        const cpu::head_marks marks = cpu::marks_of(segments, n, request_.reverse);
        const cpu::source<Acc> source = source_at(in, n);
        const cpu::sink<Acc> sink = sink_at(out, n);
        const cpu::scan_shape shape = shape_of(source, sink, n, in == out);
        if constexpr (cpu::has_segmented_kernels<Acc, Op>) {
            total_ = cpu::run_segmented_scan<Acc, Op>(executor_, source, sink, shape, marks,
                                                      {initial_, start()}, segments_);
        } else {
            const staged_source<Acc> staged{source, memory_, n};
            const staged_sink<Acc> results{sink, memory_, start()};
            total_ = cpu::run_generic_scan<Acc>(executor_, staged, results, Op(), shape, segments_,
                                                cpu::marked_heads<Acc>{marks, memory_, initial_});
        }
        later_head_ = heads[0] != 0;
        count_ += n;
    }

    void scan_axis(const void* in, void* out, const axis_layout& layout) override {
        const auto direction = check_axis(request_.types, in, out, layout);
        if (!direction) return;
        core::axis_geometry geometry(layout.shape, layout.in_strides, layout.out_strides, *direction);
        core::axis_geometry::offsets first{0, 0, 0};
        if (request_.reverse) first = geometry.turn();
        const cpu::source<Acc> source =
            cpu::moved(make_source<Acc>(how_, request_.types.input, in, geometry.in_stride), first.in);
        const cpu::sink<Acc> sink =
            cpu::moved(make_sink<Acc>(how_, request_.types.output, out, geometry.out_stride), first.out);
        if constexpr (cpu::has_kernels<Acc, Op>) {
            cpu::run_axis_scan(cpu::operation_of<Acc, Op>, executor_, source, sink, geometry,
                               request_.exclusive, in == out, initial_);
        } else {
            const std::size_t bytes = source.element_size + sink.element_size;
            cpu::for_each_sequence(
                executor_, geometry, bytes, [&](cpu::executor& with, std::size_t sequence) {
                    const auto at = geometry.begin(sequence);
                    const cpu::source<Acc> x = cpu::moved(source, at.in);
                    const cpu::sink<Acc> y = cpu::moved(sink, at.out);
                    const staged_source<Acc> staged{x, memory_, geometry.length};
                    const staged_sink<Acc> results{y, memory_, start()};
                    core::tree_carry<Acc> carry{initial_, {}, 0};
                    cpu::run_generic_scan<Acc>(with, staged, results, Op(),
                                               shape_of(source, sink, geometry.length, in == out), carry);
                });
        }
    }

    [[nodiscard]] value total() const override {
        const Acc folded = total_ ? *total_ : start();
        if (how_.truth) return value::of(dtype::bool8, folded != Acc(0));
        return value::of(request_.types.accumulator, folded);
    }
    [[nodiscard]] std::uint64_t count() const override { return count_; }
    void restart() override {
        count_ = 0;
        total_.reset();
        tree_ = {initial_, {}, 0};
        segments_ = {};
        later_head_ = true;
    }

  private:
    // What an exclusive scan stores first.
    [[nodiscard]] Acc start() const { return initial_ ? *initial_ : Op::template identity<Acc>(); }

    [[nodiscard]] cpu::source<Acc> source_at(const void* in, std::size_t n) const {
        const cpu::source<Acc> source =
            make_source<Acc>(how_, request_.types.input, in, request_.reverse ? -1 : 1);
        return request_.reverse ? cpu::moved(source, static_cast<std::ptrdiff_t>(n) - 1) : source;
    }
    [[nodiscard]] cpu::sink<Acc> sink_at(void* out, std::size_t n) const {
        const cpu::sink<Acc> sink =
            make_sink<Acc>(how_, request_.types.output, out, request_.reverse ? -1 : 1);
        return request_.reverse ? cpu::moved(sink, static_cast<std::ptrdiff_t>(n) - 1) : sink;
    }

    [[nodiscard]] cpu::scan_shape shape_of(const cpu::source<Acc>& source, const cpu::sink<Acc>& sink,
                                           std::size_t n, bool in_place) const {
        return {n, request_.exclusive, in_place, n * (source.element_size + sink.element_size)};
    }

    cpu::executor& executor_;
    scan_request request_;
    accumulation<Acc> how_;
    const cpu::memory_kernels& memory_;
    std::optional<Acc> initial_;
    std::uint64_t count_ = 0;
    std::optional<Acc> total_{};
    core::tree_carry<Acc> tree_{};
    core::tree_carry<Acc> segments_{};
    bool later_head_ = true;  // reverse: whether the element after the next block starts a segment
};

// A scanner for every accumulator type that Op is defined for.
template <class Op>
std::unique_ptr<scanner> make_scanner_of(cpu::executor& executor, const scan_request& request) {
    return visit_accumulator<Op>(request,
                                 [&]<class Acc>(std::type_identity<Acc>) -> std::unique_ptr<scanner> {
                                     return std::make_unique<typed_scanner<Acc, Op>>(executor, request);
                                 });
}

}  // namespace upsweep::registry
