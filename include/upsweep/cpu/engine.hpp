// The CPU engine for the operators that have vector kernels: pieces through the kernels, chunks through the
// chain.
//
// Complexity: n operations of the operator for exact ones, 5 n for the tree; on several threads the input is
// read twice, the second time from the cache. Memory: less than 100 KiB on the stack of every thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/chain.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/kernels.hpp"
#include "upsweep/cpu/staging.hpp"
#include "upsweep/cpu/tuning.hpp"
#include "upsweep/options.hpp"

namespace upsweep::cpu {

// Bytes from which results are streamed past the caches of this machine.
std::size_t streaming_bytes();

// How a scan of n elements is cut into chunks of whole tiles.
struct chunking {
    std::size_t elements;  // of a chunk
    std::size_t count;
    std::size_t helpers;

    static chunking plan(std::size_t n, std::size_t read_bytes, std::size_t written_bytes,
                         std::size_t threads);
};

template <class Acc, class Op>
class scan_engine {
  public:
    static constexpr bool exact = is_exact<Op, Acc>;
    static constexpr std::size_t most_elements =
        std::max(core::tile_size, tuning::chunk_bytes / sizeof(Acc));  // of a chunk

    struct state {
        Acc supers = Op::template identity<Acc>();  // S; the running value of an exact operator
        Acc tiles = Op::template identity<Acc>();   // T
        std::uint64_t tile_count = 0;
        Acc last = Op::template identity<Acc>();  // the fold of everything scanned so far, set by scan()

        void push_tile(Acc total) {
            tiles = Op()(tiles, total);
            if (++tile_count % core::tiles_per_super == 0) {
                supers = Op()(supers, tiles);
                tiles = Op::template identity<Acc>();
            }
        }
    };
    // What scan() needs of a chunk that was read before. Lives on the stack of the thread that works on the
    // chunk.
    struct exact_summary {
        Acc total;
    };
    struct tree_summary {
        std::array<Acc, most_elements / core::tile_size + 1> tile_totals;
        std::array<Acc, most_elements / core::row_size> row_starts;
        std::array<Acc, most_elements / core::run_size> runs;
    };
    using summary = std::conditional_t<exact, exact_summary, tree_summary>;

    scan_engine(simd_level level, const source<Acc>& in, const sink<Acc>& out, std::size_t n, bool exclusive,
                bool streaming, std::size_t chunk_size)
        : kernels_(kernels_for<Acc, Op>(level)),
          memory_(memory_kernels_for(level)),
          in_(in),
          out_(out),
          n_(n),
          exclusive_(exclusive),
          streaming_(streaming),
          chunk_size_(chunk_size) {}

    void summarise(std::size_t chunk, summary& made) const;
    void advance(state& carried, std::size_t chunk, const summary& made) const;
    void scan(std::size_t chunk, state& carried, const summary* own, std::size_t next,
              summary& next_summary) const;

  private:
    [[nodiscard]] std::size_t count_in(std::size_t chunk) const {
        return std::min(chunk_size_, n_ - chunk * chunk_size_);
    }
    const Acc* load(std::size_t first, std::size_t count, Acc* buffer) const {
        if (in_.direct != nullptr) return in_.direct + first;
        in_.load(in_, memory_, first, count, buffer);
        return buffer;
    }
    // Where elements [first, first + count) lie, if they exist and are neighbours.
    [[nodiscard]] const void* address(std::size_t first, std::size_t count) const {
        if (first + count > n_ || (in_.stride != 1 && in_.stride != -1)) return nullptr;
        const auto lowest =
            static_cast<std::ptrdiff_t>(in_.stride == 1 ? first : first + count - 1) * in_.stride;
        return static_cast<const char*>(in_.data) + lowest * static_cast<std::ptrdiff_t>(in_.element_size);
    }
    void store(std::size_t first, std::size_t count, const Acc* from, const void* ahead) const;
    void begin(summary& made) const;
    void summarise_piece(std::size_t chunk, std::size_t i, std::size_t count, summary& made,
                         Acc* buffer) const;

    const scan_kernels<Acc, Op>& kernels_;
    const memory_kernels& memory_;
    source<Acc> in_;
    sink<Acc> out_;
    std::size_t n_;
    bool exclusive_;
    bool streaming_;
    std::size_t chunk_size_;
};

struct scan_shape {
    std::size_t size;  // elements, at least 1
    bool exclusive;
    bool in_place;          // input and output are the same memory
    std::size_t footprint;  // bytes read and written by the whole call, of which this scan may be a part
};

// Scans shape.size elements from `carry` on (a tile boundary), which ends as the state after the last
// complete tile. Returns the fold of everything.
template <class Acc, class Op>
Acc run_scan(executor& ex, const source<Acc>& in, const sink<Acc>& out, const scan_shape& shape,
             core::tree_carry<Acc>& carry);

// Scans of at most this many elements fit the first-level cache and a tile: one kernel call does, without
// anything that would cost more than it.
template <class Acc>
inline constexpr std::size_t small_size = std::min(core::tile_size, std::size_t{16384} / sizeof(Acc));

// Scans 1 to small_size<Acc> elements from `start` on; an absent initial value is given as the identity. out
// may be in.
template <class Acc, class Op>
Acc run_small_scan(simd_level level, const Acc* in, Acc* out, std::size_t n, bool exclusive, Acc start);

#define UPSWEEP_DECLARE_ENGINE(T, Op)                                                                 \
    extern template T run_small_scan<T, Op>(simd_level, const T*, T*, std::size_t, bool, T);          \
    extern template T run_scan<T, Op>(executor&, const source<T>&, const sink<T>&, const scan_shape&, \
                                      core::tree_carry<T>&);
UPSWEEP_FOR_EACH_KERNEL(UPSWEEP_DECLARE_ENGINE)
#undef UPSWEEP_DECLARE_ENGINE

}  // namespace upsweep::cpu
