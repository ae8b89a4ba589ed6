// Stream compaction of one sequence that lies on many ranks: compact and compact_if with an mpi::executor.
//
// Formula: the elements of all ranks that are chosen, in order. Each rank keeps its own, packed at the front
// of its `out`, and learns where they begin among those of all. No element is sent: whoever wants equal parts
// knows from `first` and `total` where each element has to go.
// Shapes, aliasing: as upsweep/compact.hpp, for each rank's arrays, which may be empty. If `out` has no room
// for all that the rank has chosen, as many as fit are written; `kept` counts them all.
// Errors: every rank throws upsweep::error, before anything is written, if one refuses its arguments; and,
// with out unspecified, if keep or an element's assignment throws on one. Complexity: that of each rank's
// compaction; messages: four small collectives.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <type_traits>

#include "upsweep/compact.hpp"
#include "upsweep/mpi/agreement.hpp"
#include "upsweep/mpi/executor.hpp"

namespace upsweep {
namespace mpi {

struct compaction {
    std::size_t kept;     // elements that this rank has chosen
    std::uint64_t first;  // those that earlier ranks have
    std::uint64_t total;  // those of all ranks
};

// `check` throws what is wrong with the arguments; `pack` is the compaction of the rank's own n elements.
template <class Check, class Pack>
compaction compact_on_ranks(const executor& ex, std::size_t n, const Check& check, const Pack& pack) {
    const std::uint64_t operation = operation_of(collective::compact, 0);
    (void)agree(ex, {.count = n, .operation = operation, .refusal = refusal_of(check)});
    std::size_t kept = 0;
    const auto trouble = refusal_of([&] { kept = pack(); });
    const agreement found = agree(ex, {.count = kept, .operation = operation, .refusal = trouble});
    return {kept, found.first, found.count};
}

}  // namespace mpi

template <flag_range Flags, input_range In, receives<In> Out>
mpi::compaction compact(mpi::executor& ex, const Flags& flags, const In& in, Out&& out) {
    return mpi::compact_on_ranks(
        ex, std::ranges::size(in),
        [&] {
            detail::check_compact_flags(flags, in, out);
            detail::check_shared(std::ranges::data(in), std::ranges::size(in), std::ranges::data(out),
                                 std::ranges::size(out));
        },
        [&] { return compact(ex.local(), flags, in, out); });
}
// keep may be called from several threads, once for an element.
template <input_range In, receives<In> Out, std::predicate<const std::ranges::range_value_t<In>&> Keep>
mpi::compaction compact_if(mpi::executor& ex, const In& in, Out&& out, const Keep& keep) {
    return mpi::compact_on_ranks(
        ex, std::ranges::size(in),
        [&] {
            detail::check_shared(std::ranges::data(in), std::ranges::size(in), std::ranges::data(out),
                                 std::ranges::size(out));
        },
        [&] { return compact_if(ex.local(), in, out, keep); });
}

}  // namespace upsweep
