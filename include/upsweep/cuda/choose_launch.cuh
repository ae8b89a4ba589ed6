// From typed arguments to the kernels of a compaction or a partition in a stream.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "upsweep/cuda/choosing.cuh"
#include "upsweep/cuda/executor.hpp"
#include "upsweep/cuda/held_scratch.hpp"
#include "upsweep/cuda/launch.cuh"
#include "upsweep/cuda/look_ahead_moves.cuh"
#include "upsweep/cuda/run_lengths.cuh"
#include "upsweep/cuda/tile_moves.cuh"

namespace upsweep::cuda {

template <class ChooseTypes, bool Both>
struct choose_kernels {
    using Types = ChooseTypes;
    using arguments = choose_arguments<Types>;
    static constexpr bool goes_ahead = false;

    static constexpr auto look_ahead() { return &look_ahead_moves_kernel<Types, Both>; }
    static constexpr auto look_back() { return &look_back_moves_kernel<Types, Both>; }
    static constexpr auto sum_tiles() { return &count_tiles_kernel<Types>; }
    static constexpr auto store_tiles() { return &move_tiles_kernel<Types, Both>; }
};

namespace detail {

// Between the launches of one call, in scratch behind the launch_state.
struct choose_progress {
    std::uint64_t before;  // elements chosen by earlier launches
    std::uint64_t upto;    // and by this one
    std::uint64_t length;  // elements of this launch, where only the device knows
    // Of a partition's count; zero between calls.
    unsigned long long sum;
    unsigned finished_blocks;
};
inline constexpr std::size_t choose_progress_at = 64;
static_assert(choose_progress_at >= sizeof(launch_state) &&
              choose_progress_at + sizeof(choose_progress) <= launch_state_bytes);

// Before every launch but the first: `first` elements are done, of *length if that is given.
static __global__ void go_on_choosing(choose_progress* progress, const std::uint64_t* length,
                                      std::uint64_t first) {
    progress->before = progress->upto;
    if (length != nullptr) progress->length = *length < first ? 0 : *length - first;
}

// What a call that tells lengths of runs has besides, in scratch that begins behind that of its launches.
template <class Types>
struct length_scratch {
    unsigned piece_items = 1;
    std::uint64_t pieces = 0;  // of a launch of n elements
    std::size_t at = 0;

    length_scratch(algorithm chosen, std::uint64_t n, std::size_t launch_bytes) {
        if constexpr (Types::tells_lengths) {
            piece_items = chosen == algorithm::look_ahead ? look_ahead_shape<Types>::piece_items : Types::row;
            pieces = pieces_of(n);
            at = (launch_bytes + 255) / 256 * 256;
        }
    }
    [[nodiscard]] std::uint64_t pieces_of(std::uint64_t n) const {
        return (n + piece_items - 1) / piece_items;
    }
    [[nodiscard]] std::size_t bytes() const { return pieces * sizeof(first_run); }
};

}  // namespace detail

// Bytes of scratch that a call on up to n elements needs, whichever algorithm runs. Never decreases with n.
template <class Types>
std::size_t choose_workspace_bytes_of(std::uint64_t n) {
    const std::uint64_t together = std::min(n, Types::launch_elements);
    const std::size_t bytes = workspace_bytes_of<Types>(together);
    if constexpr (Types::tells_lengths) {
        // Rows are the smallest pieces.
        const detail::length_scratch<Types> lengths(algorithm::look_back, together, bytes);
        return lengths.at + lengths.bytes();
    }
    return bytes;
}

template <class Types, bool Both>
class choose_launch {
  public:
    // `count`: in device memory, receives how many elements are chosen.
    choose_launch(executor& ex, const choose_arguments<Types>& arguments, std::uint64_t* count)
        : ex_(ex), given_(arguments), count_(count) {}

    void run() const {
        const device_scope current(ex_);
        ex_.check_before_launch();
        choose_arguments<Types> part = given_;
        part.n = std::min(given_.n, Types::launch_elements);
        const tree_launch<choose_kernels<Types, Both>> launch(ex_, part);
        const algorithm chosen = choose(launch);
        part.at_once = Both && !ex_.counts_first() && launch.holds_all_tiles(chosen);
        const detail::length_scratch<Types> layout(chosen, part.n, launch.bytes(chosen));
        std::optional<held_scratch> pieces;
        if constexpr (Types::tells_lengths) {
            pieces.emplace(ex_, ex_.take_plain_scratch(layout.bytes(), layout.at));
            part.lengths.pieces = reinterpret_cast<first_run*>(pieces->data());
        }
        held_scratch scratch(ex_, ex_.take_scratch(launch.bytes(chosen)));
        auto* const progress =
            reinterpret_cast<detail::choose_progress*>(scratch.data() + detail::choose_progress_at);
        const bool counts = Both && !part.at_once;
        if (counts) {
            count_all(*progress);
            part.chosen = count_;
        }
        for (std::uint64_t done = 0; done < given_.n; done += part.n) {
            part.n = std::min(given_.n - done, Types::launch_elements);
            const bool last = done + part.n == given_.n;
            if (done != 0) {
                detail::go_on_choosing<<<1, 1, 0, ex_.stream()>>>(progress, given_.length, done);
                for (int k = 0; k < Types::inputs; ++k)
                    part.in[k] =
                        static_cast<const char*>(given_.in[k]) + done * std::uint64_t(Types::element_size[k]);
                if constexpr (Types::has_heads) {
                    part.heads.array = given_.heads.array + done;
                    part.heads.continues = true;
                }
                part.before = &progress->before;
                if (given_.length != nullptr) part.length = &progress->length;
            }
            part.first = done;
            part.upto = !last ? &progress->upto : counts ? nullptr : count_;
            launch.enqueue(chosen, scratch.data());
            if constexpr (Types::tells_lengths) finish_lengths(part, layout, last);
        }
        scratch.release();
        if (pieces) pieces->release();
        check(cudaGetLastError(), "launching a compaction");
        ex_.set_latest(chosen);
    }

  private:
    using tiles = tile_shape<Types>;

    // In place an element may be overwritten once it is counted, so that it must be read once only.
    [[nodiscard]] algorithm choose(const tree_launch<choose_kernels<Types, Both>>& launch) const {
        const algorithm chosen = launch.choose();
        const bool in_place = static_cast<const void*>(given_.out) == given_.in[0];
        if (!in_place || chosen == algorithm::look_ahead ||
            (chosen == algorithm::look_back && detail::tile_moves<Types>::keeps))
            return chosen;
        if (ex_.choice() == algorithm::automatic && launch.can_look_ahead()) return algorithm::look_ahead;
        throw_error(
            errc::unsupported,
            "out: is in, which " + std::string(name(chosen)) + " of elements of " +
                std::to_string(sizeof(typename Types::Out)) +
                " bytes reads twice; give other memory, or choose look-ahead (compute capability 9.0)");
    }

    void finish_lengths(const choose_arguments<Types>& part, const detail::length_scratch<Types>& layout,
                        bool last) const {
        constexpr unsigned threads = 256;
        const std::uint64_t pieces = layout.pieces_of(part.n);
        const std::uint64_t most = std::uint64_t(ex_.multiprocessors()) * 16;
        const auto blocks = static_cast<unsigned>(std::min((pieces - 1) / threads + 1, most));
        detail::launch_early<&detail::finish_lengths_kernel<typename Types::Lengths::Length>>(
            ex_, blocks, threads, part.lengths, pieces, layout.piece_items, part.first, given_.n,
            static_cast<const std::uint64_t*>(last ? count_ : nullptr));
    }

    void count_all(detail::choose_progress& progress) const {
        if (detail::prepare<&count_chosen_kernel<Types>>(ex_, tiles::shared_bytes, 0) !=
            detail::readiness::ready)
            throw_error(errc::unsupported,
                        "in: an element of this type needs more shared memory than a block has");
        const std::uint64_t blocks =
            std::min(tiles::tile_count(given_.n), std::uint64_t(ex_.multiprocessors()) * 8);
        count_chosen_kernel<Types><<<unsigned(blocks), tiles::threads, tiles::shared_bytes, ex_.stream()>>>(
            given_, &progress.sum, &progress.finished_blocks, count_);
    }

    executor& ex_;
    const choose_arguments<Types>& given_;
    std::uint64_t* count_;
};

}  // namespace upsweep::cuda
