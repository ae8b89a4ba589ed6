// From what stands to the left of a piece of a longer sequence to what stands to the left of what follows it.
//
// The five accumulators of the tree are taken over the piece's blocks, each the largest that begins where the
// last one ended: those of the head, the supers of the body, those of the tail. That is a left fold, so it is
// done by one warp, in at most some 200 operations and one a super (core/piece.hpp says why they cannot be
// combined beforehand). It reads descriptions of pieces, not their elements: whoever has those of all pieces
// to its left need not wait for anybody to walk over them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upsweep/cuda/arguments.cuh"
#include "upsweep/cuda/piece_edges.cuh"
#include "upsweep/cuda/runs.cuh"

namespace upsweep::cuda {

// Descriptions of the pieces before one, from the whole's first on, each `stride` bytes behind the last. Some
// may be of no elements.
struct pieces_before {
    const char* first = nullptr;
    std::ptrdiff_t stride = 0;
    int count = 0;

    template <class Acc>
    [[nodiscard]] __device__ const piece_description<Acc>& at(int k) const {
        return *reinterpret_cast<const piece_description<Acc>*>(first + k * stride);
    }
};

// What a walk reads and writes, in device memory.
template <class Types>
struct piece_walk {
    using Acc = typename Types::Acc;
    using Total = typename Types::Total;

    const tree_parts<Total>* left;        // at the piece's begin; null: nothing but an initial value,
    pieces_before before;                 // unless this says what is there
    const piece_description<Acc>* piece;  // its own; not read if it has no elements
    edge_left<Total>* edges;              // receives what is to the left of head and tail
    Total* body_initial;                  // receives S before the body
    tree_parts<Total>* behind;            // receives what is to the left of what follows; null: not wanted
    Total* value;                         // receives the fold of everything so far; null: not wanted
};

namespace detail {

// Every lane of a warp has the same.
template <class Types>
struct tree_walker {
    using Acc = typename Types::Acc;
    using Total = typename Types::Total;
    using tree = piece_tree<Types>;

    combiner<Acc, typename Types::Op> combine;
    Acc* line;  // 32 values of shared memory
    int lane;
    std::uint64_t position;
    bool has_supers;
    Acc part[tree::levels]{};

    [[nodiscard]] __device__ __forceinline__ bool has(int level) const {
        return level == tree::super_level ? has_supers : tree::has_part(level, position);
    }
    __device__ void read(const tree_parts<Total>& from) {
#pragma unroll
        for (int level = 0; level < tree::levels; ++level)
            if (has(level)) part[level] = static_cast<Acc>(from.level[level]);
    }
    // By one lane.
    __device__ void write(tree_parts<Total>& to) const {
#pragma unroll
        for (int level = 0; level < tree::levels; ++level)
            if (has(level)) to.level[level] = static_cast<Total>(part[level]);
    }

    // Appends a block's total; the last one of a larger block goes up to that. `before` is the position in
    // front of it, and `position` the one behind.
    template <int level>
    __device__ __forceinline__ void push(const Acc& total, std::uint64_t before) {
        if constexpr (level == tree::super_level) {
            part[level] = combine.join(has_supers, part[level], total);
            has_supers = true;
        } else {
            part[level] = combine.join(tree::has_part(level, before), part[level], total);
            if (position % tree::level_size(level + 1) == 0) push<level + 1>(part[level], before);
        }
    }
    // `count` blocks in a row, 1 to 32 of them, of which read_total(k) gives the totals; before() is called
    // in front of each.
    template <int level, class Read, class Before>
    __device__ __forceinline__ void push_line(int count, const Read& read_total, const Before& before) {
        if (lane < count) line[lane] = read_total(lane);
        __syncwarp();
#pragma unroll 1
        for (int k = 0; k < count; ++k) {
            before();
            const std::uint64_t from = position;
            position += tree::level_size(level);
            push<level>(line[k], from);
        }
        __syncwarp();
    }

    // `left`, unless null, receives what is to the left of the edge and of its tiles.
    __device__ void walk_edge(const piece_edge& edge, const edge_totals<Acc>& totals,
                              edge_left<Total>* left) {
        if (edge.empty()) return;
        if (lane == 0 && left != nullptr) write(left->parts);
        const auto note_tile = [&] {
            if (lane == 0 && left != nullptr && has(3))
                left->tiles[position / Types::tile % 32] = static_cast<Total>(part[3]);
        };
        note_tile();
        const std::uint64_t first = edge.position(), end = edge.end_position();
        // How many blocks of a level follow each other from here; 0 if none fits.
        const auto count_of = [&](int level) {
            const std::uint64_t size = tree::level_size(level), parent = tree::level_size(level + 1);
            if (position % size != 0) return 0;
            const std::uint64_t room = parent - position % parent, wanted = end - position;
            return int((room < wanted ? room : wanted) / size);
        };
        const auto nothing = [] {};
        while (position < end) {
            const std::uint64_t at = position;
            if (const int tiles = count_of(3); tiles > 0) {
                push_line<3>(
                    tiles, [&](int k) { return totals.tiles[at / Types::tile % 32 + unsigned(k)]; },
                    note_tile);
            } else if (const int rows = count_of(2); rows > 0) {
                const Acc* const own = totals.rows[at / Types::tile == first / Types::tile ? 0 : 1];
                push_line<2>(
                    rows, [&](int k) { return own[at / Types::row % 32 + unsigned(k)]; }, nothing);
            } else if (const int runs = count_of(1); runs > 0) {
                const Acc* const own = totals.runs[at / Types::row == first / Types::row ? 0 : 1];
                push_line<1>(
                    runs, [&](int k) { return own[at / Types::items % 32 + unsigned(k)]; }, nothing);
            } else {
                const unsigned item = at % Types::items;
                const Acc* const own = totals.items[item != 0 ? 0 : 1] + item;
                push_line<0>(
                    count_of(0), [&](int k) { return own[k]; }, nothing);
            }
            // A part-filled tile, in front of which push_line() has not been.
            if (position % Types::tile == 0 && position < end) note_tile();
        }
        __syncwarp();
    }
    static constexpr int together = sizeof(Acc) <= 8 ? 16 : 4;
    // The next ones are read while some are folded.
    __device__ void walk_supers(const Acc* supers, std::uint64_t count) {
        const auto own = static_cast<std::uint64_t>(lane);
        Acc next{};
        if (own < count) next = supers[own];
#pragma unroll 1
        for (std::uint64_t done = 0; done < count; done += 32) {
            line[lane] = next;
            if (done + 32 + own < count) next = supers[done + 32 + own];
            __syncwarp();
            Acc& supers_before = part[tree::super_level];
            const int now = count - done < 32 ? int(count - done) : 32;
            int k = has_supers ? 0 : 1;
            if (!has_supers) supers_before = line[0];
            has_supers = true;
            // Of many at once the loads do not wait for each other: the chain is the operations alone.
            for (; k + together <= now; k += together) {
#pragma unroll
                for (int m = 0; m < together; ++m) supers_before = combine(supers_before, line[k + m]);
            }
            for (; k < now; ++k) supers_before = combine(supers_before, line[k]);
            __syncwarp();
        }
        position += count * tree::super_size;
    }
    // A piece that nobody here has to scan. `Collapses`: all before the next one is then one value, S.
    template <bool Collapses>
    __device__ void pass(const piece_description<Acc>& piece) {
        const piece_plan plan = piece_plan::of(piece.first, piece.n, tree::super_size);
        position = plan.first;
        walk_edge(plan.head(), piece.totals[0], nullptr);
        walk_supers(piece.supers(), plan.body_size() / tree::super_size);
        walk_edge(plan.tail(), piece.totals[1], nullptr);
        if constexpr (Collapses) {
            has_supers = value(part[tree::super_level]);
            position = 0;
        }
    }
    // The fold of everything to the left, if there is anything.
    [[nodiscard]] __device__ bool value(Acc& result) const {
        bool present = false;
        Acc fold{};
#pragma unroll
        for (int level = 0; level < tree::levels; ++level) {
            if (!has(level)) continue;
            fold = present ? combine(part[level], fold) : part[level];
            present = true;
        }
        if (present) result = fold;
        return present;
    }
};

}  // namespace detail

// By one warp. `has_left`: S is there at the piece's begin; not asked if pieces before it are given.
// `Collapses`: what is behind is one value, S, as exact operators have it, whose pieces all begin at 0.
template <class Types, bool Collapses>
__global__ void __launch_bounds__(32)
    walk_piece_kernel(const __grid_constant__ scan_arguments<Types> arguments, piece_plan plan, bool has_left,
                      piece_walk<Types> walk) {
    using Acc = typename Types::Acc;
    using Total = typename Types::Total;
    __shared__ alignas(16) char storage[32 * sizeof(Acc)];
    const int lane = int(threadIdx.x);
    detail::tree_walker<Types> walker{arguments.combine(), reinterpret_cast<Acc*>(storage), lane, plan.first,
                                      has_left};
    if (walk.before.count != 0) {
        walker.has_supers = arguments.has_initial;
        bool is_first = true;
#pragma unroll 1
        for (int k = 0; k < walk.before.count; ++k) {
            const piece_description<Acc>& piece = walk.before.template at<Acc>(k);
            if (piece.n == 0) continue;
            if (is_first && arguments.has_initial) walker.part[4] = piece.initial;
            is_first = false;
            walker.template pass<Collapses>(piece);
        }
    } else if (walk.left != nullptr) {
        walker.read(*walk.left);
    } else if (has_left) {
        walker.part[4] = arguments.initial_value();
    }
    walker.walk_edge(plan.head(), walk.piece->totals[0], &walk.edges[0]);
    if (lane == 0 && walker.has_supers && walk.body_initial != nullptr)
        *walk.body_initial = static_cast<Total>(walker.part[4]);
    // The rest is for what follows: others, or, where the tree counts, the tail.
    const bool goes_on = walk.behind != nullptr || walk.value != nullptr;
    if (!goes_on && (Collapses || plan.tail().empty())) return;
    walker.walk_supers(walk.piece->supers(), plan.body_size() / piece_tree<Types>::super_size);
    walker.walk_edge(plan.tail(), walk.piece->totals[1], &walk.edges[1]);
    Acc value = static_cast<Acc>(arguments.start);
    const bool present = walker.value(value);
    if (lane != 0) return;
    if (walk.value != nullptr) *walk.value = static_cast<Total>(value);
    if (walk.behind == nullptr) return;
    if constexpr (Collapses) {
        if (present) walk.behind->level[4] = static_cast<Total>(value);
    } else {
        walker.write(*walk.behind);
    }
}

}  // namespace upsweep::cuda
