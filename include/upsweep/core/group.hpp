// What a collective or a kernel asks of the threads that execute it: the concepts of a warp, of a block with
// its shared memory, and of a block within a grid. CUDA implements them with its hardware (cuda/group.cuh),
// the emulator with fibers on the host (emulator/block.hpp).
//
// Groups are small values that every thread makes for itself; all their functions are const. A function that
// exchanges something or waits is *collective*: all threads of the group call it, from the same place,
// equally often. Threads are numbered in one dimension, and warps are cut off in order: only the last one of
// a block may be part-filled.
//
// What orders accesses to shared memory:
//   block.sync()   everything before it, of any thread of the block, before everything after it, of any
//   thread warp.sync()    the same among the lanes of one warp shuffles, ballots and atomics exchange values
//   but order no other access.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/core/portability.hpp"

namespace upsweep {

// What can be shuffled and put into shared memory. There is no bound on its size.
template <class T>
concept exchangeable = std::is_trivially_copyable_v<T>;

namespace core {
// Stands for any T in the concepts below; not a whole number of 8-byte words.
struct any_exchangeable {
    std::uint32_t words[3];
};
}  // namespace core

// The lanes of one warp.
//
//   lane()                    the calling lane, in [0, size())
//   size()                    lanes that take part, in [1, width()]
//   width()                   lanes of the hardware's warps: 32, 64, or a smaller power of two
//   shuffle(x, source)        x of lane `source`; precondition: source < size()
//   shuffle_up(x, distance)   x of lane lane() - distance; where there is none, the lane's own x
//   shuffle_down(x, distance) x of lane lane() + distance; where there is none, the lane's own x
//   shuffle_xor(x, mask)      x of lane lane() ^ mask; where there is none, the lane's own x
//   ballot(predicate)         bit k: predicate of lane k; bits from size() on are 0. An unsigned integer with
//                             at least width() bits
//   sync()                    orders the lanes' accesses to shared memory
// distance and mask are the same for all lanes and less than width().
template <class Warp>
concept warp_group = std::copyable<Warp> &&
    requires(const Warp& warp, const core::any_exchangeable& x, unsigned n, bool predicate) {
    { warp.lane() } -> std::same_as<unsigned>;
    { warp.size() } -> std::same_as<unsigned>;
    { warp.width() } -> std::same_as<unsigned>;
    { warp.shuffle(x, n) } -> std::same_as<core::any_exchangeable>;
    { warp.shuffle_up(x, n) } -> std::same_as<core::any_exchangeable>;
    { warp.shuffle_down(x, n) } -> std::same_as<core::any_exchangeable>;
    { warp.shuffle_xor(x, n) } -> std::same_as<core::any_exchangeable>;
    { warp.ballot(predicate) } -> std::unsigned_integral;
    warp.sync();
};

// A typed view of shared memory, a value as cheap as a pointer.
//
//   size()               elements
//   load(i)              a copy of element i
//   store(i, x)          element i becomes x
//   sub(first, count)    the view of elements [first, first + count)
// Preconditions: i < size(); first + count <= size(). The emulator checks them, and records the accesses.
template <class Shared, class T>
concept shared_array = std::copyable<Shared> && requires(const Shared& shared, unsigned i, const T& x) {
    { shared.size() } -> std::same_as<unsigned>;
    { shared.load(i) } -> std::same_as<T>;
    shared.store(i, x);
    { shared.sub(i, i) } -> std::same_as<Shared>;
};

// A view whose elements can also be added to by several threads at once.
//
//   fetch_add(i, x)      element i becomes element i + x; the former element i
template <class Shared, class T>
concept shared_counters = shared_array<Shared, T> && requires(const Shared& shared, unsigned i, const T& x) {
    { shared.fetch_add(i, x) } -> std::same_as<T>;
};

// The threads of one block, of any number from 1 to 1024.
//
//   thread()                   the calling thread, in [0, size())
//   size()                     threads of the block
//   warp()                     the calling thread's warp
//   warp_index()               its number, in [0, warp_count())
//   warp_count()               ceil(size() / warp().width())
//   sync()                     the barrier
//   shared<T>(count, offset)   `count` elements of the block's shared memory from byte `offset` on, which is
//   a
//                              multiple of alignof(T); the memory itself is aligned to shared_alignment bytes
inline constexpr std::size_t shared_alignment = 128;

template <class Block>
concept block_group = std::copyable<Block> &&
    requires(const Block& block, unsigned count, std::size_t offset) {
    { block.thread() } -> std::same_as<unsigned>;
    { block.size() } -> std::same_as<unsigned>;
    { block.warp() } -> warp_group;
    { block.warp_index() } -> std::same_as<unsigned>;
    { block.warp_count() } -> std::same_as<unsigned>;
    block.sync();
    { block.template shared<core::any_exchangeable>(count, offset) } -> shared_array<core::any_exchangeable>;
    { block.template shared<std::uint32_t>(count, offset) } -> shared_counters<std::uint32_t>;
};

// How an atomic access to global memory orders the other accesses of its thread, as in std::memory_order.
enum class access_order { relaxed, acquire, release };

// A block of a grid whose blocks talk to each other through global memory.
//
//   block_index()            the block, in [0, block_count())
//   block_count()            blocks of the grid
//   atomic_load<O>(cell)     the value of *cell; O is relaxed or acquire
//   atomic_store<O>(cell, x) *cell becomes x; O is relaxed or release
//   fetch_add(cell, x)       *cell becomes *cell + x; the former value. Relaxed
// Cells are unsigned integers of 32 or 64 bits in global memory. Other accesses to global memory are plain
// C++. Whoever waits for a value calls atomic_load in a loop.
template <class Block>
concept grid_block = block_group<Block> &&
    requires(const Block& block, std::uint32_t* narrow, std::uint64_t* wide) {
    { block.block_index() } -> std::same_as<unsigned>;
    { block.block_count() } -> std::same_as<unsigned>;
    { block.template atomic_load<access_order::acquire>(narrow) } -> std::same_as<std::uint32_t>;
    { block.template atomic_load<access_order::relaxed>(wide) } -> std::same_as<std::uint64_t>;
    block.template atomic_store<access_order::release>(narrow, *narrow);
    block.template atomic_store<access_order::relaxed>(wide, *wide);
    { block.fetch_add(narrow, *narrow) } -> std::same_as<std::uint32_t>;
    { block.fetch_add(wide, *wide) } -> std::same_as<std::uint64_t>;
};

}  // namespace upsweep
