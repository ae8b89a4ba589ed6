// From typed arguments to kernels in a stream: choice of algorithm, scratch, launch.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <string>

#include "upsweep/cuda/arguments.cuh"
#include "upsweep/cuda/device_scope.hpp"
#include "upsweep/cuda/executor.hpp"
#include "upsweep/cuda/held_scratch.hpp"
#include "upsweep/cuda/look_ahead.cuh"
#include "upsweep/cuda/tile_ahead.cuh"
#include "upsweep/cuda/tile_scan.cuh"
#include "upsweep/cuda/tuning.hpp"

namespace upsweep::cuda {

namespace detail {

// What a kernel is on a device, found out once: whether it can run there with the shared memory it needs.
//
// Of a kernel every source file has a copy of its own (nvcc 13), of this and other functions the linker keeps
// one for them all. So whoever launches a kernel prepares it too, and takes it from a constant: a copy is
// then launched by the function that prepared it.
enum class readiness : std::uint8_t { unknown, ready, not_compiled, lacks_memory };

template <auto Kernel>
readiness prepare(const executor& ex, int shared_bytes, int least_architecture) {
    constexpr int devices = 64;
    static std::atomic<readiness> known[devices];
    const bool remembered = ex.device() < devices;
    if (remembered) {
        const readiness earlier = known[ex.device()].load(std::memory_order_relaxed);
        if (earlier != readiness::unknown) return earlier;
    }
    readiness now = readiness::ready;
    if (shared_bytes > ex.shared_memory()) {
        now = readiness::lacks_memory;
    } else {
        cudaFuncAttributes attributes{};
        check(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(Kernel)),
              "loading a scan kernel");
        if (attributes.ptxVersion < least_architecture)
            now = readiness::not_compiled;
        else
            check(cudaFuncSetAttribute(reinterpret_cast<const void*>(Kernel),
                                       cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
                  "reserving shared memory for a scan kernel");
    }
    if (remembered) known[ex.device()].store(now, std::memory_order_relaxed);
    return now;
}

// The same for a kernel that must run.
template <auto Kernel>
void require_kernel(const executor& ex, int shared_bytes) {
    if (prepare<Kernel>(ex, shared_bytes, 0) == readiness::ready) return;
    throw_error(errc::unsupported, "an element of this type needs " + std::to_string(shared_bytes) +
                                       " bytes of shared memory in a block, but device " +
                                       std::to_string(ex.device()) + " has " +
                                       std::to_string(ex.shared_memory()));
}
// Blocks of a kernel that a multiprocessor runs at once, where it runs nothing else.
template <auto Kernel>
int blocks_of_multiprocessor(const executor& ex, int threads, int shared_bytes) {
    constexpr int devices = 64;
    static std::atomic<int> known[devices];
    const bool remembered = ex.device() < devices;
    int blocks = remembered ? known[ex.device()].load(std::memory_order_relaxed) : 0;
    if (blocks == 0) {
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reinterpret_cast<const void*>(Kernel),
                                                            threads, std::size_t(shared_bytes)),
              "asking how many blocks of a kernel run at once");
        if (remembered) known[ex.device()].store(blocks, std::memory_order_relaxed);
    }
    return blocks;
}

// Launches a kernel that waits for the launch before it by itself (wait_for_earlier_launch), which begins
// while that one ends if it `may`.
template <class... Parameters, class... Arguments>
void launch_behind(const executor& ex, bool may, void (*kernel)(Parameters...), unsigned blocks,
                   unsigned threads, int shared_bytes, const Arguments&... arguments) {
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.dynamicSmemBytes = unsigned(shared_bytes);
    config.stream = ex.stream();
    config.attrs = &early;
    config.numAttrs = may ? 1 : 0;
    check(cudaLaunchKernelEx(&config, kernel, arguments...), "launching a kernel behind another");
}
// The same of one whose shared memory is static: it may where it is compiled for a device that can.
template <auto Kernel, class... Arguments>
void launch_early(const executor& ex, unsigned blocks, unsigned threads, const Arguments&... arguments) {
    launch_behind(ex, prepare<Kernel>(ex, 0, 90) == readiness::ready, Kernel, blocks, threads, 0,
                  arguments...);
}

// A launch of so many blocks.
inline unsigned blocks_for(std::uint64_t blocks) {
    if (blocks > 0x7fffffffu)
        throw_error(errc::unsupported, "in: more than 2^43 elements need more blocks than a launch can have");
    return static_cast<unsigned>(blocks);
}

inline std::size_t tagged_bytes(std::uint64_t words) {
    return launch_state_bytes + words * sizeof(std::uint64_t);
}

}  // namespace detail

// Bytes of scratch that a scan of up to n elements of these types needs, whichever algorithm runs. Never
// decreases with n.
template <class Types>
std::size_t workspace_bytes_of(std::uint64_t n) {
    using tiles = tile_shape<Types>;
    std::size_t bytes = std::max(detail::tagged_bytes(tiles::published_words(n)),
                                 launch_state_bytes + std::size_t(tiles::fold_bytes(n)));
    if constexpr (look_ahead_shape<Types>::fits)
        bytes = std::max(bytes, detail::tagged_bytes(look_ahead_shape<Types>::published_words(n)));
    return bytes;
}

// The kernels of a scan.
template <class ScanTypes, bool Exclusive>
struct scan_kernels {
    using Types = ScanTypes;
    using arguments = scan_arguments<Types>;
    static constexpr bool goes_ahead = tile_shape<Types>::goes_ahead;

    static constexpr auto look_ahead() { return &look_ahead_kernel<Types, Exclusive>; }
    static constexpr auto look_back() { return &look_back_kernel<Types, Exclusive>; }
    static constexpr auto look_back_ahead() { return &look_back_ahead_kernel<Types, Exclusive>; }
    static constexpr auto sum_tiles() { return &sum_tiles_kernel<Types>; }
    static constexpr auto store_tiles() { return &scan_tiles_kernel<Types, Exclusive>; }
};

template <class Kernels>
class tree_launch {
  public:
    using Types = typename Kernels::Types;

    tree_launch(executor& ex, const typename Kernels::arguments& arguments)
        : ex_(ex), arguments_(arguments) {}

    void run() {
        const device_scope current(ex_);
        ex_.check_before_launch();
        const algorithm chosen = choose();
        held_scratch scratch(ex_, ex_.take_scratch(bytes(chosen)));
        enqueue(chosen, scratch.data());
        scratch.release();
        check(cudaGetLastError(), "launching a scan");
        ex_.set_latest(chosen);
    }

    // The steps of run().
    void enqueue(algorithm chosen, void* scratch) const {
        switch (chosen) {
            case algorithm::look_ahead:
                look_ahead(scratch);
                break;
            case algorithm::reduce_then_scan:
                reduce_then_scan(scratch);
                break;
            default:
                look_back(scratch);
                break;
        }
    }
    [[nodiscard]] bool can_look_ahead() const {
        if constexpr (ahead::fits) {
            return ex_.compute_capability() >= 90 &&
                   detail::prepare<Kernels::look_ahead()>(ex_, ahead::shared_bytes, 90) ==
                       detail::readiness::ready;
        } else {
            return false;
        }
    }
    [[nodiscard]] algorithm choose() const {
        switch (ex_.choice()) {
            case algorithm::look_ahead:
                if (!can_look_ahead()) {
                    throw_error(
                        errc::unsupported,
                        "algorithm: look-ahead is not compiled for this device, or an element of this type "
                        "needs more shared memory than a block has; compile for sm_90 or choose another");
                }
                return algorithm::look_ahead;
            case algorithm::automatic: {
                const bool pays = arguments_.n * element_bytes >= ahead_from_bytes &&
                                  (element_bytes >= ahead_from_element_bytes || arguments_.reverse);
                return pays && can_look_ahead() ? algorithm::look_ahead : algorithm::look_back;
            }
            default:
                return ex_.choice();
        }
    }
    [[nodiscard]] std::size_t bytes(algorithm chosen) const {
        switch (chosen) {
            case algorithm::look_ahead:
                return detail::tagged_bytes(ahead::published_words(arguments_.n));
            case algorithm::reduce_then_scan:
                return launch_state_bytes + std::size_t(tiles::fold_bytes(arguments_.n));
            default:
                return detail::tagged_bytes(tiles::published_words(arguments_.n));
        }
    }

    // Whether all tiles are on the device at once, where nothing else runs: each in a block that has one, or
    // in the rings of look-ahead's blocks.
    [[nodiscard]] bool holds_all_tiles(algorithm chosen) const {
        const auto multiprocessors = std::uint64_t(ex_.multiprocessors());
        if (chosen == algorithm::look_ahead) {
            if constexpr (ahead::fits)
                return ahead::units(arguments_.n) <= multiprocessors * std::uint64_t(ahead::stages);
        }
        if (chosen != algorithm::look_back) return false;
        constexpr auto kernel = Kernels::look_back();
        prepare_tiles<kernel>();
        const int blocks = detail::blocks_of_multiprocessor<kernel>(ex_, tiles::threads, tiles::shared_bytes);
        return tiles::tile_count(arguments_.n) <= multiprocessors * std::uint64_t(blocks);
    }

  private:
    using ahead = look_ahead_shape<Types>;
    using tiles = tile_shape<Types>;
    using Acc = typename Types::Acc;

    static constexpr std::uint64_t element_bytes = [] {  // read and written
        std::uint64_t bytes = sizeof(typename Types::Out);
        for (const int size : Types::element_size) bytes += std::uint64_t(size);
        return bytes;
    }();
    static constexpr std::uint64_t ahead_from_element_bytes =
        std::same_as<typename Types::Op, affine> ? maps_ahead_from_element_bytes : 0;
    static constexpr std::uint64_t ahead_from_bytes = [] {
        if constexpr (Types::chooses)
            if (Types::moves_elements) return moves_ahead_from_bytes;
        return look_ahead_from_bytes;
    }();

    template <auto Kernel>
    void prepare_tiles(int shared_bytes = tiles::shared_bytes) const {
        detail::require_kernel<Kernel>(ex_, shared_bytes);
    }
    // Blocks of a launch with one block a tile. One for no elements: it stores the total.
    [[nodiscard]] unsigned tile_blocks() const {
        return detail::blocks_for(std::max<std::uint64_t>(tiles::tile_count(arguments_.n), 1));
    }

    void look_ahead(void* scratch) const {
        if constexpr (ahead::fits) {
            const std::uint64_t units = std::max<std::uint64_t>(ahead::units(arguments_.n), 1);
            const auto blocks = static_cast<unsigned>(std::min<std::uint64_t>(units, ex_.multiprocessors()));
            constexpr auto kernel = Kernels::look_ahead();
            detail::prepare<kernel>(ex_, ahead::shared_bytes, 90);
            kernel<<<blocks, ahead::threads, ahead::shared_bytes, ex_.stream()>>>(
                arguments_, static_cast<launch_state*>(scratch), tagged(scratch), ex_.tagged_words());
        }
    }
    // By how many tiles look-back's sums go ahead of its scan; 0 where its blocks had better keep one tile
    // each: in short arrays, where rows are not aligned for whole runs, and where the cache holds less than
    // half as many tiles as blocks run at once.
    [[nodiscard]] unsigned tiles_ahead() const {
        if (ex_.tiles_ahead()) return *ex_.tiles_ahead();
        const auto cache = static_cast<std::uint64_t>(ex_.cache_bytes());
        const std::uint64_t distance = look_back_bytes_ahead(cache) / tiles::tile_bytes / 64 * 64;
        const bool is_long = tiles::tile_count(arguments_.n) > look_back_ahead_from_distances * distance;
        const bool is_near = 2 * distance >= ahead_blocks();
        return is_long && is_near && is_aligned() ? static_cast<unsigned>(distance) : 0;
    }
    [[nodiscard]] bool is_aligned() const {
        const auto check = [&](const void* array, std::uint64_t size) {
            const std::uint64_t begin =
                reinterpret_cast<std::uintptr_t>(array) + (arguments_.reverse ? arguments_.n * size : 0);
            return begin % (Types::items * size) == 0;
        };
        bool aligned = check(arguments_.out, sizeof(typename Types::Out));
        for (int k = 0; k < Types::inputs; ++k)
            aligned = aligned && check(arguments_.in[k], std::uint64_t(Types::element_size[k]));
        return aligned;
    }
    [[nodiscard]] unsigned ahead_blocks() const {
        return static_cast<unsigned>(ex_.multiprocessors() * tiles::ahead_blocks_per_multiprocessor);
    }
    void look_back(void* scratch) const {
        const unsigned one_a_tile = tile_blocks();
        if constexpr (Kernels::goes_ahead) {
            if (const unsigned distance = tiles_ahead(); distance != 0) {
                constexpr auto kernel = Kernels::look_back_ahead();
                prepare_tiles<kernel>(tiles::ahead_shared_bytes);
                kernel<<<std::min(one_a_tile, ahead_blocks()), tiles::threads, tiles::ahead_shared_bytes,
                         ex_.stream()>>>(arguments_, static_cast<launch_state*>(scratch), tagged(scratch),
                                         ex_.tagged_words(), distance);
                return;
            }
        }
        constexpr auto kernel = Kernels::look_back();
        prepare_tiles<kernel>();
        kernel<<<one_a_tile, tiles::threads, tiles::shared_bytes, ex_.stream()>>>(
            arguments_, static_cast<launch_state*>(scratch), tagged(scratch), ex_.tagged_words());
    }
    void reduce_then_scan(void* scratch) const {
        constexpr auto sum_tiles = Kernels::sum_tiles();
        constexpr auto store_tiles = Kernels::store_tiles();
        prepare_tiles<sum_tiles>();
        prepare_tiles<store_tiles>();
        tile_folds<Acc> folds{};
        folds.tiles = reinterpret_cast<Acc*>(static_cast<char*>(scratch) + launch_state_bytes);
        folds.supers = folds.tiles + tiles::tile_count(arguments_.n);
        const cudaStream_t stream = ex_.stream();
        sum_tiles<<<tile_blocks(), tiles::threads, tiles::shared_bytes, stream>>>(arguments_, folds);
        const std::uint64_t supers = std::max<std::uint64_t>(tiles::super_count(arguments_.n), 1);
        fold_tiles_kernel<Types>
            <<<static_cast<unsigned>((supers + 7) / 8), 256, 0, stream>>>(arguments_, folds);
        fold_supers_kernel<Types><<<1, 32, 0, stream>>>(arguments_, folds);
        store_tiles<<<tile_blocks(), tiles::threads, tiles::shared_bytes, stream>>>(arguments_, folds);
        // Other engines take what lies here for tagged words.
        check(cudaMemsetAsync(folds.tiles, 0, tiles::fold_bytes(arguments_.n), stream), "clearing folds");
    }

    static unsigned long long* tagged(void* scratch) {
        return reinterpret_cast<unsigned long long*>(static_cast<char*>(scratch) + launch_state_bytes);
    }

    executor& ex_;
    const typename Kernels::arguments& arguments_;
};

template <class Types, bool Exclusive>
using scan_launch = tree_launch<scan_kernels<Types, Exclusive>>;

}  // namespace upsweep::cuda
