// How ranks tell each other what stands to the left of their elements. Messages go as bytes, so the ranks of
// a communicator must agree on what those mean.
//
// Under an operator that rounds, the state of the tree goes from rank to rank: it must be folded from the
// left, and folding a rank's summary into it takes a microsecond or so, as long as the message. Under an
// exact one any grouping will do, and values double their reach in each of log2(ranks) rounds (Hillis and
// Steele's scan; for MPI: Sanders and Traeff, Parallel prefix (scan) algorithms for MPI, 2006).
//
// Who sends what to whom depends on the agreement alone, never on values or on failures: a rank that failed
// sends its number instead of a value, so nobody waits for it, and those behind it hear of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>

#include "upsweep/core/piece.hpp"
#include "upsweep/mpi/agreement.hpp"
#include "upsweep/mpi/executor.hpp"
#include "upsweep/mpi/failure.hpp"

namespace upsweep::mpi {

// Up to `most` values, each of them there or absent, and the rank that failed if one did.
template <class Acc, std::size_t most>
class packet {
    static_assert(std::is_trivially_copyable_v<Acc>,
                  "accumulator: expected a trivially copyable type, because ranks exchange its bytes");
    static_assert(most <= 32 && sizeof(Acc) < message_limit / (most + 1),
                  "accumulator: too large for a message of MPI");

  public:
    packet() = default;
    explicit packet(int failed) : failed_(failed) {}

    [[nodiscard]] int failed() const { return failed_; }
    void put(std::size_t k, const std::optional<Acc>& value) {
        if (!value) return;
        present_ |= std::uint32_t{1} << k;
        std::memcpy(values_.data() + k * sizeof(Acc), std::addressof(*value), sizeof(Acc));
    }
    [[nodiscard]] std::optional<Acc> get(std::size_t k) const {
        if ((present_ >> k & 1) == 0) return std::nullopt;
        alignas(Acc) std::byte made[sizeof(Acc)];  // Acc need not have a default constructor
        std::memcpy(made, values_.data() + k * sizeof(Acc), sizeof(Acc));
        return *std::launder(reinterpret_cast<const Acc*>(made));
    }

  private:
    std::uint32_t present_ = 0;  // bit k: value k
    std::int32_t failed_ = nobody;
    std::array<std::byte, most * sizeof(Acc)> values_{};
};

// The place before this rank's elements, from the rank before it in scan order; not to be called by the
// first.
template <class Acc>
void receive_place(const executor& ex, const agreement& all, core::tree_place<Acc>& place, failure& trouble) {
    packet<Acc, core::level_count> came;
    ex.receive(&came, sizeof came, all.rank_at(all.position - 1));
    for (std::size_t level = 0; level < core::level_count; ++level) place.parts[level] = came.get(level);
    trouble.hear_of(came.failed());
}
// To the rank after it; not to be called by the last.
template <class Acc>
void send_place(const executor& ex, const agreement& all, const core::tree_place<Acc>& place,
                const failure& trouble) {
    packet<Acc, core::level_count> sent(trouble.rank());
    for (std::size_t level = 0; level < core::level_count; ++level) sent.put(level, place.parts[level]);
    ex.send(&sent, sizeof sent, all.rank_at(all.position + 1));
}

// The fold of `own` over the ranks before this one in scan order; absent if none of them has any.
template <class Acc, class Op>
std::optional<Acc> fold_before(const executor& ex, const agreement& all, std::optional<Acc> own, const Op& op,
                               failure& trouble) {
    std::optional<Acc> before;  // of the reach - 1 positions before this one; own: of this one, too
    for (std::int64_t reach = 1; reach <= all.last; reach *= 2) {
        const std::int64_t from = all.position - reach;
        const std::int64_t to = all.position + reach;
        packet<Acc, 1> sent(trouble.rank());
        packet<Acc, 1> came;
        sent.put(0, own);
        ex.send_and_receive(&sent, to <= all.last ? all.rank_at(static_cast<int>(to)) : MPI_PROC_NULL, &came,
                            from >= 0 ? all.rank_at(static_cast<int>(from)) : MPI_PROC_NULL, sizeof sent);
        trouble.hear_of(came.failed());
        trouble.attempt([&] {
            const std::optional<Acc> left = came.get(0);
            if (!left) return;
            before = before ? Acc(op(*left, *before)) : *left;
            own = own ? Acc(op(*left, *own)) : *left;
        });
    }
    return before;
}

// The value at the last position, on every rank.
template <class Acc>
std::optional<Acc> broadcast_last(const executor& ex, const agreement& all, const std::optional<Acc>& value,
                                  failure& trouble) {
    packet<Acc, 1> told(trouble.rank());
    told.put(0, value);
    ex.broadcast(&told, sizeof told, all.rank_at(all.last));
    trouble.hear_of(told.failed());
    return told.get(0);
}

}  // namespace upsweep::mpi
