// From the arguments of a call to a piece that the CPU can summarise and scan: which operators have kernels,
// in which direction elements are taken.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>

#include "upsweep/concepts.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/generic.hpp"
#include "upsweep/cpu/kernels.hpp"
#include "upsweep/cpu/operation.hpp"
#include "upsweep/cpu/piece.hpp"
#include "upsweep/cpu/staging.hpp"
#include "upsweep/scan.hpp"

namespace upsweep::mpi {

// The elements of one rank, and where their results go. `start` is what an exclusive scan stores where
// nothing stands to the left.
template <class Acc, class In, class Out, class Op, class Function>
struct share {
    const In* in;
    Out* out;
    cpu::scan_shape shape;
    bool reverse;
    const Op& op;
    const Function& function;
    std::optional<Acc> start;
};

// visit(piece), with elements in scan order.
template <class Acc, class In, class Out, class Op, class Function, class Visit>
void with_piece(cpu::executor& ex, const share<Acc, In, Out, Op, Function>& own, const Visit& visit) {
    const std::size_t first = own.reverse && own.shape.size != 0 ? own.shape.size - 1 : 0;
    const std::ptrdiff_t stride = own.reverse ? -1 : 1;
    if constexpr (cpu::has_kernels<Acc, Op>) {  // which commute
        cpu::source<Acc> source;
        if constexpr (std::is_same_v<Function, std::identity>)
            source = cpu::make_source<Acc>(upsweep::detail::as_storage(own.in + first), stride);
        else
            source = cpu::make_source<Acc>(own.in + first, stride, own.function);
        const auto sink = cpu::make_sink<Acc>(upsweep::detail::as_storage(own.out + first), stride);
        visit(cpu::kernel_piece<Acc, is_exact<Op, Acc>>(cpu::operation_of<Acc, Op>, ex, source, sink,
                                                        own.shape));
    } else {
        const cpu::element_source<Acc, In, Function> source{own.in + first, stride, own.function};
        const cpu::element_sink<Acc, Out> sink{own.out + first, stride, own.start};
        if (own.reverse) {
            const core::swapped<Op> swapped{own.op};
            visit(cpu::generic_piece<Acc, core::swapped<Op>, decltype(source), decltype(sink)>(
                swapped, source, sink, own.shape));
        } else {
            visit(cpu::generic_piece<Acc, Op, decltype(source), decltype(sink)>(own.op, source, sink,
                                                                                own.shape));
        }
    }
}

}  // namespace upsweep::mpi
