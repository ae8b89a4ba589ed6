// The CPU engine for the operators that have vector kernels: pieces through the kernels, chunks through the
// chain.
//
// Complexity: n operations for exact operators, 5 n for the tree, and about n more for several threads, which
// read every element twice, from a cache the second time. Memory of a thread: less than 100 KiB of stack.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "upsweep/core/piece.hpp"
#include "upsweep/core/portability.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/chunks.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/kernels.hpp"
#include "upsweep/cpu/operation.hpp"
#include "upsweep/cpu/staging.hpp"
#include "upsweep/cpu/tuning.hpp"
#include "upsweep/options.hpp"

namespace upsweep::cpu {

// Whether this machine streams faster evenly than in bursts (scan_pass::steady).
bool streams_steadily();
// Whether lines of results that the caches have are asked for before they are written (scan_pass::claims).
bool claims_lines();
// Bytes that are read and written from which a thread alone asks for the input of a scan by the tree.
std::size_t tree_asking_bytes();

struct scan_shape {
    std::size_t size;  // elements, at least 1
    bool exclusive;
    bool in_place;          // input and output are the same memory
    std::size_t footprint;  // bytes read and written by the whole call, of which this scan may be a part
    // Whether results that are streamed are there when the scan returns; else the caller fences those of
    // several scans at once.
    bool fences = true;
};

template <class Acc, bool Exact>
class scan_engine {
  public:
    static constexpr std::size_t most_elements =
        std::max(core::tile_size, tuning::region_bytes / sizeof(Acc));  // of a chunk or region

    static constexpr std::size_t chunk_cache_part =
        Exact || sizeof(Acc) < sizeof(double) ? tuning::chunk_cache_part : tuning::double_tree_cache_part;

    struct state {
        Acc supers;  // S; the running value of an exact operator
        Acc tiles;   // T
        std::uint64_t tile_count = 0;
        Acc last;  // the fold of everything scanned so far, set by scan()

        explicit state(Acc identity) : supers(identity), tiles(identity), last(identity) {}
        void push_tile(const operation<Acc, Exact>& op, Acc total) {
            tiles = op.combine(tiles, total);
            if (++tile_count % core::tiles_per_super == 0) {
                supers = op.combine(supers, tiles);
                tiles = op.identity;
            }
        }
    };
    // What is known of a chunk that was read.
    struct exact_summary {
        Acc total;
    };
    struct tree_summary {
        std::array<Acc, most_elements / core::tile_size> tile_totals;
    };
    using summary = std::conditional_t<Exact, exact_summary, tree_summary>;

    // `streaming`: the results are stored past the caches; `lead`: how many bytes ahead of what it scans a
    // thread asks for input, if at all.
    scan_engine(const operation<Acc, Exact>& op, simd_level level, const source<Acc>& in,
                const sink<Acc>& out, const scan_shape& shape, bool streaming, std::size_t lead,
                std::size_t chunk_size)
        : op_(op),
          kernels_(op.kernels(level)),
          memory_(memory_kernels_for(level)),
          in_(in),
          out_(out),
          n_(shape.size),
          exclusive_(shape.exclusive),
          fences_(streaming && shape.fences),
          backwards_(in.stride == -1 && out.stride == -1),
          streaming_(streaming),
          lead_(lead),
          chunk_size_(chunk_size) {
        if (backwards_) {
            in_ = lying_forwards(in_, n_);
            out_ = lying_forwards(out_, n_);
        }
    }

    void summarise(std::size_t chunk, summary& made) const;
    void advance(state& carried, std::size_t chunk, const summary& made) const;
    void scan(std::size_t chunk, state& carried, std::size_t next) const {
        scan(chunk, carried, next, nullptr);
    }
    // Elements that have to be converted would need a second buffer.
    [[nodiscard]] bool summarises_ahead() const { return in_.direct != nullptr; }
    void scan_and_summarise(std::size_t chunk, state& carried, std::size_t next, summary& of_next) const {
        scan(chunk, carried, next, &of_next);
    }

  private:
    // Elements that are scanned before as many of the next chunk are summarised.
    static constexpr std::size_t stretch_size =
        Exact ? std::max(core::tile_size, 16 * 1024 / sizeof(Acc)) : core::tile_size;

    [[nodiscard]] std::size_t count_in(std::size_t chunk) const {
        return std::min(chunk_size_, n_ - chunk * chunk_size_);
    }
    // Where elements [first, first + count) begin in in_ and out_.
    [[nodiscard]] std::size_t place(std::size_t first, std::size_t count) const {
        return backwards_ ? n_ - first - count : first;
    }
    // The first of `count` elements that lie from `lowest` on.
    template <class P>
    [[nodiscard]] P* front(P* lowest, std::size_t count) const {
        return backwards_ ? lowest + (count - 1) : lowest;
    }
    const Acc* load(std::size_t first, std::size_t count, Acc* buffer) const {
        const std::size_t at = place(first, count);
        if (in_.direct != nullptr) return in_.direct + at;
        in_.load(in_, memory_, at, count, buffer);
        return buffer;
    }
    // Where elements [first, first + count) lie, if they are neighbours, to be asked for ahead; also past the
    // end, because lines of an array often follow each other.
    [[nodiscard]] const void* address(std::size_t first, std::size_t count) const {
        if (in_.stride != 1) return nullptr;
        return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(in_.data) +
                                             place(first, count) * in_.element_size);
    }
    void store(std::size_t first, std::size_t count, const Acc* from, const void* ahead) const;
    [[nodiscard]] bool streams_directly() const;
    // What to ask for while the `count` elements from the i-th of a chunk on are scanned: as many of chunk
    // `next`, or, if there is none, of those that follow at some distance; nothing that a cache has.
    [[nodiscard]] input_ahead following(std::size_t chunk, std::size_t i, std::size_t count,
                                        std::size_t next) const;
    // What happens to the results of a pass.
    struct output {
        scan_pass pass;
        bool staged;  // through a buffer
    };
    [[nodiscard]] output plan_output() const;
    // Elements [i, i + count) of a chunk whose earlier ones are summarised, from a tile on or within one.
    void summarise(std::size_t chunk, std::size_t i, std::size_t count, Acc* buffer, summary& made) const;
    // `of_next`: unless null, for a summary of chunk `next`.
    void scan(std::size_t chunk, state& carried, std::size_t next, summary* of_next) const;
    void scan_exact(std::size_t chunk, state& carried, std::size_t next, summary* of_next) const;
    void scan_tree(std::size_t chunk, state& carried, std::size_t next, summary* of_next) const;

    const operation<Acc, Exact>& op_;
    const typename operation<Acc, Exact>::kernel_table& kernels_;
    const memory_kernels& memory_;
    source<Acc> in_;
    sink<Acc> out_;
    std::size_t n_;
    bool exclusive_;
    bool fences_;
    bool backwards_;  // in_ and out_ then hold the sequence back to front
    bool streaming_;
    std::size_t lead_;
    std::size_t chunk_size_;
};

// How far ahead of what it scans a thread alone asks for input.
inline std::size_t lead_of(const executor& ex, std::size_t footprint) {
    if (ex.streams(footprint)) return tuning::lead_bytes;
    return footprint < tuning::asking_bytes ? 0 : tuning::cached_lead_bytes;
}
// The same of a scan of neighbouring elements.
template <class Acc, bool Exact>
std::size_t scan_lead(const executor& ex, std::size_t footprint) {
    if constexpr (Exact) return lead_of(ex, footprint);
    if (footprint < tree_asking_bytes()) return 0;
    return std::max(lead_of(ex, footprint), tuning::cached_lead_elements * sizeof(Acc));
}

// Whether results are stored past the caches.
inline bool worth_streaming(const executor& ex, const chunking& plan, const scan_shape& shape) {
    return !shape.in_place && (plan.chained || (plan.helpers == 0 && ex.streams(shape.footprint)));
}

// Scans shape.size elements from `carry` on (a tile boundary), which ends as the state after the last
// complete tile. Returns the fold of everything.
template <class Acc, bool Exact>
Acc run_scan(const operation<Acc, Exact>& op, executor& ex, const source<Acc>& in, const sink<Acc>& out,
             const scan_shape& shape, core::tree_carry<Acc>& carry);

// The same of a block that begins anywhere: `place` moves to behind its last element (cpu/piece.hpp).
template <class Acc, bool Exact>
Acc run_block(const operation<Acc, Exact>& op, executor& ex, const source<Acc>& in, const sink<Acc>& out,
              const scan_shape& shape, core::tree_place<Acc>& place);

// Scans of at most this many elements are within a tile: one kernel call does, without anything that would
// cost more than it.
inline constexpr std::size_t small_size = core::tile_size;

// Scans 1 to small_size elements from `start` on; an absent initial value is given as the identity.
// Backwards, element i is in[-i], its result out[-i]. out may be in. `total`, unless null, receives the fold
// of everything.
template <class Acc, class Op>
UPSWEEP_ALWAYS_INLINE void run_small_scan(simd_level level, const Acc* in, Acc* out, std::size_t n,
                                          bool exclusive, bool backwards, Acc start, Acc* total) {
    const auto& kernels = kernels_for<Acc, Op>(level);
    scan_pass pass{placement::cached, exclusive, backwards};
    if constexpr (is_exact<Op, Acc>) {
        const Acc last = kernels.scan(in, out, n, start, pass);
        if (total != nullptr) *total = last;
    } else {
        Acc rows = Op::template identity<Acc>();
        if (n >= tuning::claiming_elements) pass.claims = claims_lines();
        kernels.scan_rows(in, out, n, start, Op::template identity<Acc>(), &rows, pass, total);
    }
}

#define UPSWEEP_DECLARE_ENGINE(T, exact)                                                           \
    extern template T run_scan<T, exact>(const operation<T, exact>&, executor&, const source<T>&,  \
                                         const sink<T>&, const scan_shape&, core::tree_carry<T>&); \
    extern template T run_block<T, exact>(const operation<T, exact>&, executor&, const source<T>&, \
                                          const sink<T>&, const scan_shape&, core::tree_place<T>&);
UPSWEEP_FOR_EACH_OPERATION(UPSWEEP_DECLARE_ENGINE)
#undef UPSWEEP_DECLARE_ENGINE

}  // namespace upsweep::cpu
