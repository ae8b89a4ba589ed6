// Warps, blocks and shared memory of the emulator: the groups of core/group.hpp over emulated threads. Each
// function has one argument more than the concept knows, the line of source of the call.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "upsweep/core/group.hpp"
#include "upsweep/emulator/thread.hpp"

namespace upsweep::emulator {

class warp {
  public:
    explicit warp(thread_context& thread) : thread_(&thread) {}

    [[nodiscard]] unsigned lane() const { return thread_->thread() % width(); }
    [[nodiscard]] unsigned size() const {
        const unsigned rest = thread_->block_size() - (thread_->thread() - lane());
        return rest < width() ? rest : width();
    }
    [[nodiscard]] unsigned width() const { return thread_->warp_width(); }

    template <exchangeable T>
    [[nodiscard]] T shuffle(const T& x, unsigned source, source_line where = source_line::current()) const {
        std::array<std::byte, sizeof(T)> received;
        thread_->shuffle(&x, received.data(), sizeof(T), value_type_of<T>, source, where);
        return std::bit_cast<T>(received);
    }
    template <exchangeable T>
    [[nodiscard]] T shuffle_up(const T& x, unsigned distance,
                               source_line where = source_line::current()) const {
        return shuffle(x, distance <= lane() ? lane() - distance : lane(), where);
    }
    template <exchangeable T>
    [[nodiscard]] T shuffle_down(const T& x, unsigned distance,
                                 source_line where = source_line::current()) const {
        return shuffle(x, distance < size() - lane() ? lane() + distance : lane(), where);
    }
    template <exchangeable T>
    [[nodiscard]] T shuffle_xor(const T& x, unsigned lanes,
                                source_line where = source_line::current()) const {
        return shuffle(x, (lane() ^ lanes) < size() ? lane() ^ lanes : lane(), where);
    }
    [[nodiscard]] std::uint64_t ballot(bool predicate, source_line where = source_line::current()) const {
        return thread_->ballot(predicate, where);
    }
    void sync(source_line where = source_line::current()) const { thread_->sync_warp(where); }

  private:
    thread_context* thread_;
};

// Bytes [offset, offset + count * sizeof(T)) of a block's shared memory.
template <exchangeable T>
class shared_view {
  public:
    shared_view(thread_context& thread, std::size_t offset, unsigned count)
        : thread_(&thread), offset_(offset), count_(count) {}

    [[nodiscard]] unsigned size() const { return count_; }
    [[nodiscard]] T load(unsigned i, source_line where = source_line::current()) const {
        std::array<std::byte, sizeof(T)> bytes;
        thread_->load(cell(i, operation::read, where), bytes.data(), where);
        return std::bit_cast<T>(bytes);
    }
    void store(unsigned i, const T& x, source_line where = source_line::current()) const {
        thread_->store(cell(i, operation::write, where), &x, where);
    }
    T fetch_add(unsigned i, const T& x,
                source_line where = source_line::current()) const requires std::integral<T> &&
        (sizeof(T) == 4 || sizeof(T) == 8) {
        using word = std::make_unsigned_t<T>;
        std::byte* memory = thread_->fetch_add(cell(i, operation::fetch_add, where), &x, where);
        word old;
        std::memcpy(&old, memory, sizeof(T));
        const word sum = old + static_cast<word>(x);
        std::memcpy(memory, &sum, sizeof(T));
        return static_cast<T>(old);
    }
    [[nodiscard]] shared_view sub(unsigned first, unsigned count,
                                  source_line where = source_line::current()) const {
        // Ends are compared, so that an empty view may lie at the end.
        thread_->check_index(std::size_t(first) + count, std::size_t(count_) + 1, offset_ + first * sizeof(T),
                             count * sizeof(T), operation::none, where);
        return {*thread_, offset_ + first * sizeof(T), count};
    }

  private:
    [[nodiscard]] shared_cell cell(unsigned i, operation what, source_line where) const {
        thread_->check_index(i, count_, offset_ + i * sizeof(T), sizeof(T), what, where);
        return {offset_ + i * sizeof(T), sizeof(T), value_type_of<T>};
    }

    thread_context* thread_;
    std::size_t offset_;
    unsigned count_;
};

class block {
  public:
    explicit block(thread_context& thread) : thread_(&thread) {}

    [[nodiscard]] unsigned thread() const { return thread_->thread(); }
    [[nodiscard]] unsigned size() const { return thread_->block_size(); }
    [[nodiscard]] emulator::warp warp() const { return emulator::warp(*thread_); }
    [[nodiscard]] unsigned warp_index() const { return thread() / thread_->warp_width(); }
    [[nodiscard]] unsigned warp_count() const {
        return (size() + thread_->warp_width() - 1) / thread_->warp_width();
    }
    void sync(source_line where = source_line::current()) const { thread_->sync_block(where); }

    template <exchangeable T>
    [[nodiscard]] shared_view<T> shared(unsigned count, std::size_t offset = 0,
                                        source_line where = source_line::current()) const {
        static_assert(alignof(T) <= shared_alignment);
        thread_->check_view(offset, count * sizeof(T), alignof(T), where);
        return {*thread_, offset, count};
    }

    [[nodiscard]] unsigned block_index() const { return thread_->block_index(); }
    [[nodiscard]] unsigned block_count() const { return thread_->block_count(); }

    template <access_order Order, class T>
    requires(std::same_as<T, std::uint32_t> || std::same_as<T, std::uint64_t>) [[nodiscard]] T
        atomic_load(const T* cell, source_line where = source_line::current()) const {
        static_assert(Order != access_order::release);
        thread_->meet_global(true, where);
        return *cell;
    }
    template <access_order Order, class T>
    requires(std::same_as<T, std::uint32_t> || std::same_as<T, std::uint64_t>) void atomic_store(
        T* cell, std::type_identity_t<T> value, source_line where = source_line::current()) const {
        static_assert(Order != access_order::acquire);
        thread_->meet_global(false, where);
        *cell = value;
    }
    template <class T>
    requires(std::same_as<T, std::uint32_t> || std::same_as<T, std::uint64_t>) T
        fetch_add(T* cell, std::type_identity_t<T> value, source_line where = source_line::current())
    const {
        thread_->meet_global(false, where);
        const T old = *cell;
        *cell = old + value;
        return old;
    }

  private:
    thread_context* thread_;
};

static_assert(warp_group<warp> && grid_block<block>);

}  // namespace upsweep::emulator
