// Prefix sums of sequences that are given block by block, such as do not fit into a GPU's memory or arrive
// over time.
//
//     cuda::scan_carry<float> carry(executor);
//     for (...) inclusive_scan(executor, carry, block, results);      // blocks of any size
//
// Formula: that of cuda/scan.cuh over all blocks with this carry one after the other, of which `in` is the
// next; reversed, the one before. Bits: those of one scan of the whole (docs/numerics.md), wherever it is
// cut. Shapes, types, aliasing, errors: as cuda/scan.cuh; the accumulator is the carry's. The executor
// must have the stream that the carry was made for. Options: `reverse`, operator and function are the same
// for every block, which is not checked; an initial value counts in the first call that has one, if no
// elements came before; `total` receives the fold of everything so far; there is no `length`. If a call
// throws, the carry is left as it was unless something had been enqueued, which only a failing device or lack
// of memory can do; then it is unspecified until reset(). Complexity: one read and one write of the block's
// whole supers (131,072 elements from a multiple of it on), at a scan's speed, two reads of the up to 2 *
// 131,071 elements at its ends, in three short kernels each. Blocks that begin at multiples of a super have
// no head; under exact operators a block is one scan. Scratch: as cuda/scan.cuh, and some 500 accumulators.
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/concepts.hpp"
#include "upsweep/core/known_operator.hpp"
#include "upsweep/cuda/device_scope.hpp"
#include "upsweep/cuda/device_span.hpp"
#include "upsweep/cuda/executor.hpp"
#include "upsweep/cuda/held_scratch.hpp"
#include "upsweep/cuda/piece_launch.cuh"
#include "upsweep/cuda/scan.cuh"
#include "upsweep/cuda/scan_carry.cuh"
#include "upsweep/error.hpp"
#include "upsweep/operators.hpp"

namespace upsweep {
namespace cuda::detail {

// One block: its head and its tail as pieces, its body as an array whose total is S behind it.
template <class Types, bool Exclusive>
class block_launch {
  public:
    using Total = typename Types::Total;
    using launch = piece_launch<Types, Exclusive>;

    // `scratch`, of scratch_bytes, may hold anything.
    block_launch(executor& ex, const scan_arguments<Types>& arguments, carried_parts<Total>& carried,
                 void* scratch)
        : ex_(ex),
          arguments_(arguments),
          carried_(carried),
          scratch_(scratch),
          description_(reinterpret_cast<typename launch::description*>(static_cast<char*>(scratch) +
                                                                       launch::scratch_bytes(0))) {}
    [[nodiscard]] static std::size_t scratch_bytes() {
        return launch::scratch_bytes(0) + launch::description_bytes(0);
    }

    void run() {
        const std::uint64_t n = arguments_.n;
        if (n == 0) {
            walk_nothing();
        } else if constexpr (launch::exact) {
            scan_body(0, n);
        } else {
            const piece_plan plan = piece_plan::of(carried_.element_count, n, piece_tree<Types>::super_size);
            if (!plan.head().empty()) scan_edge(0, plan.head_end);
            if (plan.body_size() != 0) scan_body(plan.head_end, plan.body_end);
            if (!plan.tail().empty()) scan_edge(plan.body_end, n);
        }
    }

  private:
    static constexpr int super_level = piece_tree<Types>::super_level;

    [[nodiscard]] const tree_parts<Total>* left() const {
        return carried_.has_value() ? carried_.latest : nullptr;
    }
    void scan_edge(std::uint64_t begin, std::uint64_t end) {
        const scan_arguments<Types> edge = part_of(arguments_, begin, end);
        const launch piece(ex_, edge, carried_.element_count);
        piece.summarise(scratch_, description_);
        piece.walk(scratch_, description_, left(), carried_.next, nullptr);
        piece.scan(scratch_);
        carried_.advance(end - begin, arguments_.has_initial);
    }
    void scan_body(std::uint64_t begin, std::uint64_t end) {
        scan_arguments<Types> body = part_of(arguments_, begin, end);
        Total* const wanted = body.total;
        body.total = &carried_.next->level[super_level];
        if (carried_.has_value()) {
            body.has_initial = true;
            body.device_initial = &carried_.latest->level[super_level];
        }
        scan_launch<Types, Exclusive>(ex_, body).run();
        if (wanted != nullptr)
            check(cudaMemcpyAsync(wanted, body.total, sizeof(Total), cudaMemcpyDeviceToDevice, ex_.stream()),
                  "storing a scan's total");
        carried_.advance(end - begin, arguments_.has_initial);
    }
    // Of no elements: an initial value is kept for the next block.
    void walk_nothing() {
        const launch piece(ex_, arguments_, carried_.element_count);
        piece.walk(scratch_, description_, left(), carried_.next, arguments_.total);
        carried_.advance(0, arguments_.has_initial);
    }

    executor& ex_;
    const scan_arguments<Types>& arguments_;
    carried_parts<Total>& carried_;
    void* scratch_;
    typename launch::description* description_;
};

// Scratch that other scans of up to n elements may use in the meantime.
template <class Types>
std::size_t other_scratch_bytes(std::uint64_t n) {
    return (workspace_bytes_of<Types>(n) + 255) / 256 * 256;
}

template <bool Exclusive, class Acc, class In, class Out, class Op, class Load>
void scan_block(executor& ex, scan_carry<Acc>& carry, device_span<const In> in, device_span<Out> out,
                const Op& op, const Load& load, scan_options<Acc> options) {
    if (carry.stream() != ex.stream() || carry.device() != ex.device())
        throw_error(errc::invalid_argument, "carry: expected one that was made for the executor's stream");
    if (options.length != nullptr)
        throw_error(errc::invalid_argument,
                    "options.length: expected none, because a scan in blocks has to know where it stands");
    carried_parts<Acc>& carried = carry.parts();
    if (carried.has_value()) {
        options.initial.reset();
        options.device_initial = nullptr;
    }
    using types = types_of<Acc, In, Out, Op, Load>;
    using launch = block_launch<types, Exclusive>;
    scan_arguments<types> arguments =
        checked_arguments<Exclusive, Acc, In>(ex, in, out, op, load, options, carried.has_value());
    arguments.has_initial = arguments.has_initial || carried.has_initial;

    const device_scope current(ex);
    ex.check_before_launch();
    held_scratch taken(
        ex, ex.take_plain_scratch(launch::scratch_bytes(), other_scratch_bytes<types>(arguments.n)));
    launch(ex, arguments, carried, taken.data()).run();
    taken.release();
    check(cudaGetLastError(), "launching a scan");
}

}  // namespace cuda::detail

namespace cuda {

// Bytes of scratch that blocks of up to n elements need; never decreases with n. For executors that use the
// caller's memory.
template <class In, class Out = In, class Op = plus, class Acc = core::accumulator_for<deduced, In, Op>>
[[nodiscard]] std::size_t block_scan_workspace_bytes(std::uint64_t n, const Op& = {}) {
    using types = detail::types_of<Acc, In, Out, core::known_operator_t<Op, Acc>, as_is>;
    return detail::other_scratch_bytes<types>(n) + detail::block_launch<types, false>::scratch_bytes();
}

}  // namespace cuda

// out[i] = everything so far (+) in[0] (+) ... (+) in[i]
template <class Acc, class In, class Out, class Op = plus>
requires combines<Op, Acc> &&(!std::is_const_v<Out>)void inclusive_scan(
    cuda::executor& ex, cuda::scan_carry<Acc>& carry, cuda::device_span<In> in, cuda::device_span<Out> out,
    const Op& op = {}, const std::type_identity_t<cuda::scan_options<Acc>>& options = {}) {
    cuda::detail::scan_block<false, Acc, std::remove_const_t<In>>(ex, carry, in, out, core::known<Acc>(op),
                                                                  cuda::as_is{}, options);
}

// out[i] = everything so far (+) in[0] (+) ... (+) in[i-1]; the very first is the initial value, or else the
// operator's identity.
template <class Acc, class In, class Out, class Op = plus>
requires combines<Op, Acc> &&(!std::is_const_v<Out>)void exclusive_scan(
    cuda::executor& ex, cuda::scan_carry<Acc>& carry, cuda::device_span<In> in, cuda::device_span<Out> out,
    const Op& op = {}, const std::type_identity_t<cuda::scan_options<Acc>>& options = {}) {
    cuda::detail::scan_block<true, Acc, std::remove_const_t<In>>(ex, carry, in, out, core::known<Acc>(op),
                                                                 cuda::as_is{}, options);
}

// The same of f(in[0]), f(in[1]), ... f is called on the device, up to three times an element.
template <class Acc, class In, class Out, class Op, class Function>
requires combines<Op, Acc> &&(!std::is_const_v<Out>)void transform_inclusive_scan(
    cuda::executor& ex, cuda::scan_carry<Acc>& carry, cuda::device_span<In> in, cuda::device_span<Out> out,
    const Op& op, const Function& f, const std::type_identity_t<cuda::scan_options<Acc>>& options = {}) {
    cuda::detail::scan_block<false, Acc, std::remove_const_t<In>>(ex, carry, in, out, core::known<Acc>(op), f,
                                                                  options);
}

template <class Acc, class In, class Out, class Op, class Function>
requires combines<Op, Acc> &&(!std::is_const_v<Out>)void transform_exclusive_scan(
    cuda::executor& ex, cuda::scan_carry<Acc>& carry, cuda::device_span<In> in, cuda::device_span<Out> out,
    const Op& op, const Function& f, const std::type_identity_t<cuda::scan_options<Acc>>& options = {}) {
    cuda::detail::scan_block<true, Acc, std::remove_const_t<In>>(ex, carry, in, out, core::known<Acc>(op), f,
                                                                 options);
}

}  // namespace upsweep
