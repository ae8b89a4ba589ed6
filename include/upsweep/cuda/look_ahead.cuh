// The scan for Hopper and later: one persistent block a multiprocessor, whose warps have roles.
//
//   loader      takes units of rows by ticket and has the copy engine bring them into a ring of stages
//   summing     fold runs as soon as a stage has landed, then rows and tiles, and publish the tiles' totals;
//               with several stages in flight, totals run ahead of the scan
//   look-ahead  one warp, folds the totals of all tiles between this block's previous unit and its present
//   one:
//               no block waits for another's prefix, only for totals, which depend on nothing
//   scanning    combine what stands to the left with each element and store
//
// A look-back would publish prefixes and wait for them; here every block computes the prefix itself, from
// totals alone, in the order of the tree. That costs one read of n / 4096 totals a block, from the cache.
//
// A unit is one or two tiles; or, where a tile of large elements does not fit into a stage, a power of two of
// its rows. Then rows publish their totals too, and the block that has the last rows of a tile its total.
//
// Progress: tickets are taken in order by running blocks, and a block waits only for totals of units with
// smaller tickets, whose owners fold them without waiting for anyone.
#pragma once

#include <cstdint>

#include "upsweep/cuda/arguments.cuh"
#include "upsweep/cuda/async.cuh"
#include "upsweep/cuda/runs.cuh"
#include "upsweep/cuda/tile_state.cuh"

namespace upsweep::cuda {

// Sizes chosen from the types: bytes of shared memory and rows of a unit. Measured on an H200
// (docs/performance.md): units of about 32 KiB, five of them in flight, eight warps that scan.
template <class Types>
struct look_ahead_shape {
    using Acc = typename Types::Acc;

    static constexpr int stage_budget = 52 * 1024;
    static constexpr int shared_budget = 226 * 1024;
    static constexpr int accumulator_size = int(sizeof(Acc));

    static constexpr int align16(int bytes) { return (bytes + 15) / 16 * 16; }

    static constexpr int row_bytes = [] {
        int bytes = 0;
        for (const int size : Types::element_size) bytes += Types::row * size;
        return bytes;
    }();
    static constexpr int rows = [] {
        // About 64 KiB read and written a unit, so that what a unit costs whatever its size is well spread.
        int rows = row_bytes + Types::row * int(sizeof(typename Types::Out)) <= 768 ? 128 : 64;
        while (rows > 1 && rows * (row_bytes + run_totals<Acc>::line) > stage_budget) rows /= 2;
        return rows;
    }();
    static constexpr int tiles = rows >= 32 ? rows / 32 : 1;  // of a unit; of which it may be a part
    static constexpr int parts = rows >= 32 ? 1 : 32 / rows;  // units of a tile
    static constexpr int unit_items = rows * Types::row;
    static constexpr int fold_rows = rows >= 32 ? 32 : rows;  // folded by one warp at once
    static constexpr int warps = rows < 8 ? rows : 8;         // that sum, and as many that scan
    static constexpr int rows_per_warp = rows / warps;
    static constexpr int threads = (2 * warps + 2) * 32;
    // Supers whose tile totals are read at once: about those between two units of a block on a large device.
    // With fewer the warp waits for memory twice; more cost it instructions (measured).
    static constexpr int lookahead = [] {
        constexpr int words = words_for<sizeof(Acc)>;
        const int most = words < 4 ? 12 / words : words < 24 ? 24 / words : 1;
        const int between = 132 * tiles / (32 * parts) + 4;
        return between < most ? between : most;
    }();

    // A stage: the input rows of each array with 16 bytes for their alignment, run totals, row folds.
    static constexpr int input_at(int array) {
        int at = 0;
        for (int k = 0; k < array; ++k) at += align16(rows * Types::row * Types::element_size[k] + 32);
        return at;
    }
    static constexpr int totals_at = input_at(Types::inputs);
    static constexpr int row_folds_at = totals_at + align16(rows * run_totals<Acc>::line);
    static constexpr int tile_totals_at = row_folds_at + align16(rows * accumulator_size);
    static constexpr int tile_parts_at = tile_totals_at + align16(tiles * accumulator_size);
    static constexpr int super_part_at = tile_parts_at + align16(tiles * accumulator_size);
    // The copy engine is fastest to whole lines of 128 bytes.
    static constexpr int stage_bytes = (super_part_at + align16(accumulator_size) + 127) / 128 * 128;

    static constexpr int image_bytes = align16(Types::row * int(sizeof(typename Types::Out)) + 16);
    // Lines of accumulators: for the look-ahead warp and, where tiles are in parts, for each that sums.
    static constexpr int scratch_lines = lookahead + (parts > 1 ? warps : 0);
    static constexpr int scratch_bytes = align16(scratch_lines * run_totals<Acc>::line);
    static constexpr int stage_state_bytes = 128;
    static constexpr int stages = [] {
        const int fit =
            (shared_budget - warps * image_bytes - scratch_bytes) / (stage_bytes + stage_state_bytes);
        return fit > 8 ? 8 : fit;
    }();
    static constexpr int images_at = stages * stage_bytes;
    static constexpr int scratch_at = images_at + warps * image_bytes;
    static constexpr int states_at = scratch_at + scratch_bytes;
    static constexpr int shared_bytes = states_at + stages * stage_state_bytes;
    static constexpr bool fits = stages >= 2;

    static constexpr std::uint64_t units(std::uint64_t n) { return (n + unit_items - 1) / unit_items; }
    // Published values of a scan of n elements: a total a tile and, where tiles are in parts, a total a row.
    static constexpr std::uint64_t tile_count(std::uint64_t n) { return units(n) * tiles; }
    static constexpr std::uint64_t row_count(std::uint64_t n) { return parts > 1 ? units(n) * rows : 0; }
    static constexpr std::uint64_t published_words(std::uint64_t n) {
        return (tile_count(n) + row_count(n)) * words_for<sizeof(Acc)>;
    }
};

#if __CUDA_ARCH__ >= 900

namespace detail {

// What the warps know of a stage.
struct stage_state {
    phase_barrier full;     // the rows have landed
    phase_barrier summed;   // runs are folded
    phase_barrier folded;   // rows are folded
    phase_barrier located;  // what stands to the left is known
    phase_barrier free;     // everything has been stored
    std::int64_t unit;      // -1: there are no more
    std::int32_t shift[2];  // where the first row starts, for each input
    std::uint32_t tag;
};

template <class Types>
struct look_ahead_block {
    using shape = look_ahead_shape<Types>;
    using Acc = typename Types::Acc;
    using Op = typename Types::Op;
    static_assert(sizeof(stage_state) <= shape::stage_state_bytes && Types::inputs <= 2);

    const scan_arguments<Types>& arguments;
    char* shared;
    launch_state& state;
    published<Acc> tile_totals;
    published<Acc> row_totals;
    std::uint64_t n;
    int lane;

    // A position in the ring.
    struct cursor {
        int stage = 0;
        unsigned phase = 0;
        __device__ __forceinline__ void advance() {
            if (++stage == shape::stages) {
                stage = 0;
                phase ^= 1;
            }
        }
    };

    __device__ __forceinline__ char* stage(int s) const { return shared + s * shape::stage_bytes; }
    __device__ __forceinline__ stage_state& control(int s) const {
        return reinterpret_cast<stage_state*>(shared + shape::states_at)[s];
    }
    template <class T>
    __device__ __forceinline__ T* at(int s, int offset) const {
        return reinterpret_cast<T*>(stage(s) + offset);
    }
    __device__ __forceinline__ static std::uint64_t first_item(std::int64_t unit) {
        return std::uint64_t(unit) * shape::unit_items;
    }
    __device__ __forceinline__ int valid_items(std::int64_t unit) const {
        const std::uint64_t left = n - first_item(unit);
        return left < shape::unit_items ? int(left) : shape::unit_items;
    }
    __device__ __forceinline__ int valid_rows(std::int64_t unit) const {
        return (valid_items(unit) + Types::row - 1) / Types::row;
    }

    __device__ void initialize_barriers() const {
        if (threadIdx.x == 0) {
            for (int s = 0; s < shape::stages; ++s) {
                stage_state& own = control(s);
                own.full.initialize(1);
                own.summed.initialize(shape::warps);
                own.folded.initialize(shape::tiles);
                own.located.initialize(1);
                own.free.initialize(shape::warps);
            }
            phase_barrier::publish_initialized();
        }
        __syncthreads();
    }

    // ---- loader ------------------------------------------------------------------------------------------

    // Brings the elements of one unit of input array k into `slot`. Returns the bytes that the copy engine
    // was not yet told to bring: [from, from + bytes) to `to`.
    struct bulk_copy {
        char* to;
        const char* from;
        unsigned bytes;
    };
    template <int k>
    __device__ __forceinline__ bulk_copy prepare(int s, std::int64_t unit) const {
        constexpr int size = Types::element_size[k];
        constexpr int alignment = Types::element_alignment[k] < 16 ? Types::element_alignment[k] : 16;
        using unit_type = typename unit_of<alignment>::type;
        const int valid = valid_items(unit);
        const int padded = valid_rows(unit) * Types::row;
        const int missing = (padded - valid) * size;
        const std::uint64_t element = arguments.reverse ? n - first_item(unit) - valid : first_item(unit);
        const char* array = static_cast<const char*>(arguments.in[k]);
        const char* begin = array + element * size;
        const char* end = begin + std::int64_t(valid) * size;
        // Read backwards, the elements that fill up the last row stand before the others.
        const int before = arguments.reverse ? missing : 0;
        const int shift = int((reinterpret_cast<std::uintptr_t>(begin) - std::uintptr_t(before)) & 15);
        if (lane == 0) control(s).shift[k] = shift;
        char* slot = stage(s) + shape::input_at(k) + shift;
        char* to = slot + before;

        // Granules of 16 bytes are brought whole where others than ours in them may be read; at the end of
        // the array and in a part-filled unit only those wholly ours.
        const bool edge = valid != shape::unit_items || end == array + n * size;
        const auto round = [](const char* p, int up) {
            return reinterpret_cast<const char*>((reinterpret_cast<std::uintptr_t>(p) + std::uintptr_t(up)) &
                                                 ~std::uintptr_t(15));
        };
        const char* from = round(begin, edge ? 15 : 0);
        const char* until = round(end, edge ? 0 : 15);
        if (edge) {
            if (until < from) from = until = end;
            const int head = int(from - begin), tail = int(end - until);
            const int own = lane * int(sizeof(unit_type));
            if (own < head)
                *reinterpret_cast<unit_type*>(to + own) = *reinterpret_cast<const unit_type*>(begin + own);
            if (own < tail)
                *reinterpret_cast<unit_type*>(to + (until - begin) + own) =
                    *reinterpret_cast<const unit_type*>(until + own);
            // The rest of the last row repeats its last element, so that operators meet no other values.
            const char* last = arguments.reverse ? begin : end - size;
            char* fill = arguments.reverse ? slot : slot + std::int64_t(valid) * size;
            for (int done = own; done < missing; done += 32 * int(sizeof(unit_type)))
                *reinterpret_cast<unit_type*>(fill + done) =
                    *reinterpret_cast<const unit_type*>(last + done % size);
        }
        return {to + (from - begin), from, static_cast<unsigned>(until - from)};
    }

    __device__ void load() const {
        cursor at;
        at.phase = 1;
        const std::uint64_t units = shape::units(n);
        ticket next{};
        if (lane == 0) next = take_ticket(state);
        for (;; at.advance()) {
            const std::uint32_t index = __shfl_sync(0xffffffffu, next.index, 0);
            const std::uint32_t tag = __shfl_sync(0xffffffffu, next.tag, 0);
            const bool more = index < units;
            stage_state& own = control(at.stage);
            if (more && lane == 0) next = take_ticket(state);
            own.free.wait(at.phase);
            if (lane == 0) {
                own.unit = more ? std::int64_t(index) : -1;
                own.tag = tag;
            }
            if (!more) {
                // Every block takes one ticket too many; whoever takes the last of all leaves the counter
                // ready.
                __syncwarp();
                if (lane == 0) {
                    if (index == units + gridDim.x - 1) prepare_next_launch(state, tag);
                    own.full.arrive();
                }
                return;
            }
            bulk_copy copies[2];
            copies[0] = prepare<0>(at.stage, index);
            if constexpr (Types::inputs == 2) copies[1] = prepare<Types::inputs - 1>(at.stage, index);
            __syncwarp();
            if (lane == 0) {
                unsigned bytes = copies[0].bytes;
                if constexpr (Types::inputs == 2) bytes += copies[1].bytes;
                own.full.arrive_expecting(bytes);
#pragma unroll
                for (int k = 0; k < Types::inputs; ++k)
                    if (copies[k].bytes != 0)
                        copy_async(copies[k].to, copies[k].from, copies[k].bytes, own.full);
            }
        }
    }

    // ---- reading rows ------------------------------------------------------------------------------------

    // What a warp needs to know of the unit in a stage.
    struct unit_view {
        std::int64_t unit;
        int rows;      // that exist
        bool plain;    // all rows are full, and the scan's total is not among them
        bool aligned;  // runs start at multiples of their natural access
        int shift[2];
    };
    __device__ __forceinline__ unit_view view(int s) const {
        const stage_state& own = control(s);
        unit_view seen{own.unit, 0, false, false, {0, 0}};
        if (seen.unit < 0) return seen;
        seen.rows = valid_rows(seen.unit);
        seen.plain = first_item(seen.unit) + shape::unit_items + (arguments.total != nullptr) <= n;
        seen.shift[0] = own.shift[0];
        seen.aligned = seen.shift[0] % access_size<Types::items * Types::element_size[0]> == 0;
        if constexpr (Types::inputs == 2) {
            seen.shift[1] = own.shift[1];
            seen.aligned =
                seen.aligned &&
                seen.shift[1] % access_size<Types::items * Types::element_size[Types::inputs - 1]> == 0;
        }
        return seen;
    }

    template <bool Aligned, int k, class Raw>
    __device__ __forceinline__ void read_raw(Raw& raw, int s, const unit_view& seen, int slot) const {
        constexpr int run_bytes = Types::items * Types::element_size[k];
        const char* run = stage(s) + shape::input_at(k) + seen.shift[k] + slot * run_bytes;
        raw.words = read_run<run_bytes, Types::element_alignment[k]>(run, Aligned, lane);
        if constexpr (k + 1 < Types::inputs) read_raw<Aligned, k + 1>(raw.rest, s, seen, slot);
    }
    // This lane's run of a row.
    template <bool Plain, bool Aligned>
    __device__ __forceinline__ typename Types::Raw read(int s, const unit_view& seen, int row,
                                                        bool reverse) const {
        const int rows = Plain ? shape::rows : seen.rows;
        typename Types::Raw raw;
        read_raw<Aligned, 0>(raw, s, seen, reverse ? rows * 32 - 1 - (row * 32 + lane) : row * 32 + lane);
        return raw;
    }

    // The direction as a constant where a path is compiled for it.
    enum class direction { forward, backward, either };
    template <direction Way>
    __device__ __forceinline__ bool reversed() const {
        return Way == direction::either ? arguments.reverse : Way == direction::backward;
    }

    // ---- summing -----------------------------------------------------------------------------------------

    template <bool Plain, bool Aligned, direction Way>
    __device__ __forceinline__ void sum_runs(int s, const unit_view& seen, int warp) const {
        const bool reverse = reversed<Way>();
        const combiner<Acc, Op> combine{arguments.op, reverse};
        const run_totals<Acc> totals{stage(s) + shape::totals_at};
#pragma unroll
        for (int k = 0; k < shape::rows_per_warp; ++k) {
            const int row = warp * shape::rows_per_warp + k;
            if (Plain || row < seen.rows) {
                const auto raw = read<Plain, Aligned>(s, seen, row, reverse);
                if constexpr (sums_bytes<Types>) {
                    totals.at(row, lane) = static_cast<Acc>(sum_bytes(raw.words));
                } else {
                    Acc x[Types::items];
                    load_accumulators<typename Types::Total>(raw, arguments.load, reverse, x);
                    totals.at(row, lane) = fold_run(combine, x);
                }
            }
        }
    }

    __device__ void sum(int warp) const {
        const auto combine = arguments.combine();
        cursor at;
        for (unsigned round = 0;; ++round, at.advance()) {
            const int s = at.stage;
            stage_state& own = control(s);
            own.full.wait(at.phase);
            const unit_view seen = view(s);
            if (seen.unit < 0) return;
            if (seen.plain && seen.aligned && !arguments.reverse)
                sum_runs<true, true, direction::forward>(s, seen, warp);
            else if (seen.plain && seen.aligned)
                sum_runs<true, true, direction::backward>(s, seen, warp);
            else if (seen.plain)
                sum_runs<true, false, direction::either>(s, seen, warp);
            else
                sum_runs<false, false, direction::either>(s, seen, warp);
            __syncwarp();
            if (lane == 0) own.summed.arrive();
#pragma unroll
            for (int t = 0; t < shape::tiles; ++t) {
                if ((round * shape::tiles + t) % shape::warps != unsigned(warp)) continue;
                own.summed.wait(at.phase);
                fold_tile(combine, s, seen.unit, t, seen.rows, warp, own.tag);
                __syncwarp();
                if (lane == 0) own.folded.arrive();
            }
        }
    }

    // Rows [32 t, 32 t + 32) of a unit, or all of it where it is a part of a tile.
    __device__ __forceinline__ void fold_tile(const combiner<Acc, Op>& combine, int s, std::int64_t unit,
                                              int t, int rows, int warp, std::uint32_t tag) const {
        const run_totals<Acc> totals{stage(s) + shape::totals_at};
        const int row = t * 32 + lane;
        const bool exists = lane < shape::fold_rows && row < rows;
        Acc total{};
        if (exists) total = fold_runs(combine, totals, row);
        if constexpr (shape::parts > 1) {
            if (exists) row_totals.publish(std::uint64_t(unit) * shape::rows + row, total, tag);
            fold_part(combine, s, unit, rows, warp, total, tag);
        } else {
            if (rows <= t * 32) return;
            // Lanes without a row take another's value, so that operators meet no values but the scan's.
            const Acc fold = fold_lanes(combine, shuffle(total, exists ? lane : 0), lane);
            if (exists) at<Acc>(s, shape::row_folds_at)[row] = fold;
            // The total of a part-filled tile is nobody's left part.
            if (lane == 31 && exists) {
                at<Acc>(s, shape::tile_totals_at)[t] = fold;
                tile_totals.publish(std::uint64_t(unit) * shape::tiles + t, fold, tag);
            }
        }
    }

    // A unit that is a part of a tile, by one warp: with the rows in earlier units, its row totals become
    // folds of the tile's rows up to each; the last part's warp publishes the tile's total. The fold of the
    // rows before the part goes to the slot of the tile's total, which has no other use here.
    __device__ __forceinline__ void fold_part(const combiner<Acc, Op>& combine, int s, std::int64_t unit,
                                              int rows, int warp, const Acc& total, std::uint32_t tag) const {
        const std::int64_t tile = unit / shape::parts;
        const int part = int(unit % shape::parts);
        const int earlier = part * shape::rows;
        Acc fold{};
        if (earlier > 0) {
            const int line = shape::lookahead + warp;
            read_totals(row_totals, std::uint64_t(tile) * 32, earlier, tag, line);
            fold = fold_line(combine, scratch(), line, earlier);
            if (lane == 0) *at<Acc>(s, shape::tile_totals_at) = fold;
        }
        Acc mine = total;
#pragma unroll
        for (int r = 0; r < shape::rows; ++r) {
            const Acc next = shuffle(total, r);
            if (r < rows) fold = combine.join(r > 0 || earlier > 0, fold, next);
            if (r == lane) mine = fold;
        }
        if (part == shape::parts - 1 && rows == shape::rows && lane == 0)
            tile_totals.publish(tile, fold, tag);
        if (lane < rows) at<Acc>(s, shape::row_folds_at)[lane] = mine;
    }

    // ---- look-ahead --------------------------------------------------------------------------------------

    __device__ __forceinline__ run_totals<Acc> scratch() const { return {shared + shape::scratch_at}; }

    // Waits for values [first, first + count) and puts them into a line of scratch; count <= 32.
    __device__ __forceinline__ void read_totals(const published<Acc>& from, std::uint64_t first, int count,
                                                std::uint32_t tag, int line) const {
        typename published<Acc>::pending got;
        __syncwarp();
        bool missing = lane < count;
        while (true) {
            typename published<Acc>::pending now;
            from.start_reading(first + lane, missing, now);
            if (missing && now.complete(tag)) {
                got = now;
                missing = false;
            }
            if (!__any_sync(0xffffffffu, missing)) break;
            __nanosleep(100);
        }
        if (lane < count) scratch().at(line, lane) = got.value();
        __syncwarp();
    }

    // Waits for the totals of the tiles of `lookahead` supers from `first` on, as far as they are before tile
    // `tiles_before` of super `super`; a super becomes a line of scratch.
    __device__ __forceinline__ void read_tile_totals(std::int64_t first, std::int64_t super, int tiles_before,
                                                     std::uint32_t tag) const {
        typename published<Acc>::pending got[shape::lookahead];
        const auto wanted = [&](int u) {
            return first + u < super || (first + u == super && lane < tiles_before);
        };
        unsigned missing = 0;
#pragma unroll
        for (int u = 0; u < shape::lookahead; ++u) missing |= unsigned(wanted(u)) << u;
        // Most are there at once. Only those that are not are read again: this block's polling would delay
        // the others' data.
        while (__any_sync(0xffffffffu, missing != 0)) {
#pragma unroll
            for (int u = 0; u < shape::lookahead; ++u)
                tile_totals.start_reading(std::uint64_t(first + u) * 32 + lane, (missing >> u & 1) != 0,
                                          got[u]);
#pragma unroll
            for (int u = 0; u < shape::lookahead; ++u)
                if ((missing >> u & 1) != 0 && got[u].complete(tag)) {
                    missing &= ~(1u << u);
                    scratch().at(u, lane) = got[u].value();
                }
        }
        __syncwarp();
    }

    __device__ void look_ahead() const {
        const auto combine = arguments.combine();
        bool has_supers = arguments.has_initial;
        Acc supers{};
        if (has_supers) supers = arguments.initial_value();
        std::int64_t done = 0;  // supers folded into `supers`
        cursor at;
        for (;; at.advance()) {
            const int s = at.stage;
            stage_state& own = control(s);
            own.full.wait(at.phase);
            const std::int64_t unit = own.unit;
            if (unit < 0) return;
            const int rows = valid_rows(unit);
            const std::int64_t tile = shape::parts > 1 ? unit / shape::parts : unit * shape::tiles;
            const std::int64_t super = tile / 32;
            const int tiles_before = int(tile % 32);
            Acc tiles{};
            for (std::int64_t first = done; first < super || (first == super && tiles_before > 0);
                 first += shape::lookahead) {
                read_tile_totals(first, super, tiles_before, own.tag);
                // A super a lane.
                const int count = first + lane < super ? 32 : first + lane == super ? tiles_before : 0;
                Acc fold{};
                if (lane < shape::lookahead && count > 0) fold = fold_line(combine, scratch(), lane, count);
                __syncwarp();
#pragma unroll
                for (int u = 0; u < shape::lookahead; ++u) {
                    const Acc total = shuffle(fold, u);
                    if (first + u < super) {
                        supers = combine.join(has_supers, supers, total);
                        has_supers = true;
                    } else if (first + u == super) {
                        tiles = total;
                    }
                }
            }
            done = super;

            own.folded.wait(at.phase);
            if (lane == 0) {
                if (has_supers) *this->template at<Acc>(s, shape::super_part_at) = supers;
                Acc* const parts = this->template at<Acc>(s, shape::tile_parts_at);
                const Acc* const totals = this->template at<Acc>(s, shape::tile_totals_at);
                if (tiles_before > 0) parts[0] = tiles;
#pragma unroll
                for (int t = 1; t < shape::tiles; ++t) {
                    if (t * 32 >= rows) break;
                    tiles = combine.join(tiles_before + t > 1, tiles, totals[t - 1]);
                    parts[t] = tiles;
                }
                own.located.arrive();
            }
            __syncwarp();
        }
    }

    // ---- scanning ----------------------------------------------------------------------------------------

    // As many rows as registers hold are read before the wait for what stands to their left.
    static constexpr bool reads_ahead = shape::rows_per_warp * int(sizeof(typename Types::Raw)) <= 128;

    template <bool Exclusive, bool Plain, bool Aligned, storing How, direction Way>
    __device__ __forceinline__ void scan_unit(int s, unsigned phase, const unit_view& seen, int warp,
                                              char* image) const {
        const bool reverse = reversed<Way>();
        const combiner<Acc, Op> combine{arguments.op, reverse};
        constexpr int per_warp = shape::rows_per_warp;
        const int warp_row = warp * per_warp;
        typename Types::Raw raw[reads_ahead ? per_warp : 1];
        if constexpr (reads_ahead) {
#pragma unroll
            for (int k = 0; k < per_warp; ++k)
                if (Plain || warp_row + k < seen.rows)
                    raw[k] = read<Plain, Aligned>(s, seen, warp_row + k, reverse);
        }
        control(s).located.wait(phase);

        const Acc start = static_cast<Acc>(arguments.start);
        const std::int64_t first_row = seen.unit * shape::rows;
        const run_totals<Acc> totals{stage(s) + shape::totals_at};
        const Acc* row_folds = at<Acc>(s, shape::row_folds_at);
        left_parts<Acc> left;
        set_part(combine, arguments.has_initial || first_row / 1024 > 0, at<Acc>(s, shape::super_part_at),
                 left.supers, left.has_supers);
        set_part(combine, (first_row + warp_row) / 32 % 32 > 0,
                 at<Acc>(s, shape::tile_parts_at) + warp_row / 32, left.tiles, left.has_tiles);
#pragma unroll
        for (int k = 0; k < per_warp; ++k) {
            const int row = warp_row + k;
            if (!Plain && row >= seen.rows) break;
            if constexpr (!reads_ahead) raw[0] = read<Plain, Aligned>(s, seen, row, reverse);
            // A warp's rows are of one tile, so that all but its first have rows to their left.
            const Acc* rows_before =
                shape::parts > 1 && row == 0 ? at<Acc>(s, shape::tile_totals_at) : row_folds + row - 1;
            set_part(combine, k > 0 || (first_row + row) % 32 > 0, rows_before, left.rows, left.has_rows);
            set_part(combine, lane > 0, &totals.at(row, lane - 1), left.runs, left.has_runs);

            const auto& own = raw[reads_ahead ? k : 0];
            const std::uint64_t first = std::uint64_t(first_row + row) * Types::row;
            const int valid = !Plain && n - first < Types::row ? int(n - first) : Types::row;
            const bool holds_total = !Plain && arguments.total != nullptr && first + valid == n;
            const auto store = [&](const auto& words) {
                store_row<How, Types::items>(arguments.out, n, reverse, first, valid, words, image, lane);
            };
            if constexpr (sums_bytes<Types>) {
                if (!holds_total) {
                    const Acc before = join_free(combine, left, start);
                    store(scan_bytes<Exclusive>(own.words, static_cast<std::uint32_t>(before), reverse));
                    continue;
                }
            }
            Acc x[Types::items];
            load_accumulators<typename Types::Total>(own, arguments.load, reverse, x);
            if (holds_total) store_total(arguments, combine, left, x, valid - 1, lane);
            scan_run<Exclusive>(combine, left, start, x);
            store(pack_results<typename Types::Out, typename Types::Total>(x, arguments.store, reverse));
        }
    }

    template <bool Exclusive>
    __device__ void scan(int warp) const {
        char* image = shared + shape::images_at + warp * shape::image_bytes;
        constexpr storing best = best_storing<typename Types::Out, Types::items>;
        const bool direct = best != storing::direct || stores_directly<typename Types::Out, Types::items>(
                                                           arguments.out, n, arguments.reverse);
        cursor at;
        for (;; at.advance()) {
            const int s = at.stage;
            control(s).full.wait(at.phase);
            const unit_view seen = view(s);
            if (seen.unit < 0) return;
            const bool quick = seen.plain && seen.aligned && direct;
            if (quick && !arguments.reverse)
                scan_unit<Exclusive, true, true, best, direction::forward>(s, at.phase, seen, warp, image);
            else if (quick)
                scan_unit<Exclusive, true, true, best, direction::backward>(s, at.phase, seen, warp, image);
            else if (seen.plain)
                scan_unit<Exclusive, true, false, shifting<typename Types::Out, Types::items>,
                          direction::either>(s, at.phase, seen, warp, image);
            else
                scan_unit<Exclusive, false, false, storing::staged, direction::either>(s, at.phase, seen,
                                                                                       warp, image);
            __syncwarp();
            if (lane == 0) control(s).free.arrive();
        }
    }
};

}  // namespace detail
#endif

// One block a multiprocessor, or as many as there are units if those are fewer. The workspace is a
// launch_state and `words` tagged words.
template <class Types, bool Exclusive>
__global__ void __launch_bounds__(look_ahead_shape<Types>::threads, 1)
    look_ahead_kernel(const __grid_constant__ scan_arguments<Types> arguments, launch_state* state,
                      unsigned long long* tagged, std::uint64_t words) {
#if __CUDA_ARCH__ >= 900
    using shape = look_ahead_shape<Types>;
    using Acc = typename Types::Acc;
    extern __shared__ __align__(128) char shared[];
    const std::uint64_t tiles = shape::tile_count(arguments.n);
    const std::uint64_t n = arguments.size();
    const detail::look_ahead_block<Types> block{
        arguments,
        shared,
        *state,
        published<Acc>{tagged, tiles},
        published<Acc>{tagged + tiles * words_for<sizeof(Acc)>, shape::row_count(arguments.n)},
        n,
        int(threadIdx.x % 32)};
    block.initialize_barriers();
    if (n == 0 && blockIdx.x == 0 && threadIdx.x == 0) arguments.store_empty_total();

    const int warp = int(threadIdx.x / 32);
    if (warp < shape::warps) {
        block.template scan<Exclusive>(warp);
    } else if (warp < 2 * shape::warps) {
        block.sum(warp - shape::warps);
    } else if (warp == 2 * shape::warps) {
        block.load();
    } else {
        block.look_ahead();
    }
    if (block.control(0).tag == last_tag) {
        __syncthreads();
        if (warp == 0) clear_tags(*state, tagged, words);
    }
#endif
}

}  // namespace upsweep::cuda
