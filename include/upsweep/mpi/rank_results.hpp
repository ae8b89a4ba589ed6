// Results of segments that lie on many ranks. A segment's result belongs to the rank on which it begins, so a
// rank keeps those of its own heads, and tells the ranks before it what it has of a segment that goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "upsweep/cpu/segment_results.hpp"
#include "upsweep/cpu/staging.hpp"
#include "upsweep/mpi/agreement.hpp"
#include "upsweep/mpi/compact.hpp"
#include "upsweep/mpi/exchange.hpp"
#include "upsweep/mpi/executor.hpp"
#include "upsweep/mpi/failure.hpp"

namespace upsweep::mpi {

// A piece's segments count from 0 for the rank's first head, so that one that began on another rank has this
// number.
inline constexpr std::size_t from_before = std::numeric_limits<std::size_t>::max();

// As cpu::packed_results; the result of a segment that began on another rank goes to *carried, whose type is
// Acc.
template <class Acc, class Out>
class results_on_rank {
  public:
    static constexpr bool takes_numbers = true;

    results_on_rank(Out* out, std::size_t room, std::optional<Acc>* carried)
        : out_(out), room_(room), carried_(carried) {}

    void store(std::size_t segment, const Acc& value) const {
        if (segment == from_before)
            carried_->emplace(value);
        else if (segment < room_)
            out_[segment] = cpu::convert<Out>(value);
    }

    class cursor {
      public:
        cursor(const results_on_rank& of, const cpu::marked_piece& piece) : of_(of), at_(piece.segment) {}
        template <class T>
        void operator()(const T& value) {
            of_.store(at_, value);
            ++at_;  // from_before is followed by 0
        }

      private:
        const results_on_rank& of_;
        std::size_t at_;
    };
    template <class T>
    void put(const cpu::marked_piece& piece, const T* results) const {
        if (piece.end_count == 0) return;
        const bool carried = piece.segment == from_before;
        if (carried) carried_->emplace(cpu::convert<Acc>(results[0]));
        // Without the first, those of segments from 0 on.
        cpu::marked_piece rest = piece;
        if (carried) {
            rest.end_count -= 1;
            rest.segment = 0;
        }
        cpu::packed_results<Out>(out_, room_).put(rest, carried ? results + 1 : results);
    }

  private:
    Out* out_;
    std::size_t room_;
    std::optional<Acc>* carried_;
};

// What a rank that has elements tells those before it: of the segment that reaches it, if one does, and
// whether that ends here or before.
template <class Value>
struct continuation {
    std::optional<Value> value;
    bool stops;
};

// What the ranks behind this one have of its last segment: absent if it does not go on. `join` combines what
// two ranks have, the nearer one first. Collective for the ranks up to the last that has elements, of calls
// that go forwards.
template <class Value, class Join>
std::optional<Value> continued(const executor& ex, const agreement& all,
                               const std::optional<continuation<Value>>& own, const Join& join,
                               failure& trouble) {
    agreement back = all;  // from the last rank that has elements to the first
    back.reverse = true;
    back.position = all.last - all.position;
    back.size = all.last + 1;
    using part = continuation<Value>;
    const std::optional<part> found = fold_before(
        ex, back, own,
        [&](const part& further, const part& nearer) {
            if (nearer.stops) return nearer;
            if (!further.value) return part{nearer.value, true};
            return part{join(*nearer.value, *further.value), further.stops};
        },
        trouble);
    return found ? found->value : std::nullopt;
}

// The end of a call that keeps results on the ranks: every rank throws if one has failed.
inline compaction results_kept(const executor& ex, std::uint64_t operation, std::size_t kept,
                               const failure& trouble) {
    const agreement found =
        agree(ex, {.count = kept, .operation = operation, .refusal = trouble.thrown_here()});
    return {kept, found.first, found.count};
}

}  // namespace upsweep::mpi
