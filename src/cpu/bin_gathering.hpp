// Totals of values by bin on one thread, under operators that round: the two ways of cpu/bin_totals.hpp.
//
// A row costs its bin 128 stores and no operation; rows that are full are copied behind one another, and
// sixteen at a time are folded side by side by the kernel for short sequences. Where there are up to eight
// bins, where a value goes would wait for where the last one of its bin went: there the places of 120 values
// come from a register that has a count for every bin.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/cpu/sort_scratch.hpp"
#include "upsweep/cpu/bin_totals.hpp"

namespace upsweep::cpu {

// Arrays without values, one behind the other in one block, which an allocator keeps for the next call
// (sort_workspace.hpp says more).
class arrays_in_block {
  public:
    static constexpr std::size_t alignment = 1024;
    // What n elements take at most.
    template <class T>
    static constexpr std::size_t bytes_of(std::size_t n) {
        return n * sizeof(T) + alignment;
    }
    explicit arrays_in_block(std::byte* begin) : next_(reinterpret_cast<std::uintptr_t>(begin)) {}
    template <class T>
    T* take(std::size_t n) {
        next_ = (next_ + alignment - 1) / alignment * alignment;
        T* const taken = reinterpret_cast<T*>(next_);
        next_ += n * sizeof(T);
        return taken;
    }

  private:
    std::uintptr_t next_;
};

template <class T>
struct bin_operator {
    const operation<T, false>& op;
    const tree_kernels<T>& kernels;
    T start;
};

// Bins whose values are gathered in rows.
template <class T>
class gathered_bins {
  public:
    static constexpr std::size_t block = 120;  // values whose counts few bins have in one word
    // Rows for all bins that fit into half of a second-level cache, and are filled more than once.
    static bool suits(std::size_t bins, std::size_t n) {
        return fit(bins) && n / (2 * core::row_size) >= bins + 1;
    }
    static bool fit(std::size_t bins) {
        constexpr std::size_t most_bytes = 512 * 1024;
        return (bins + 1) * row_bytes <= most_bytes;
    }

    gathered_bins(const bin_operator<T>& with, place_few_kernel<T> place_few, std::size_t bins)
        : with_(with),
          place_few_(place_few),
          bins_(bins),
          stride_(bins <= few_bins ? core::row_size + block : core::row_size),
          memory_(arrays_in_block::bytes_of<T>((bins + 1) * stride_) +
                  arrays_in_block::bytes_of<T*>(bins + 1) +
                  arrays_in_block::bytes_of<bin_rows<T>>(bins + 1)) {
        arrays_in_block arrays(memory_.data());
        values_ = arrays.take<T>((bins + 1) * stride_);
        ends_ = arrays.take<T*>(bins + 1);
        above_ = arrays.take<bin_rows<T>>(bins + 1);
        const T identity = with.op.identity;
        for (std::size_t b = 0; b <= bins; ++b) {
            ends_[b] = values_ + b * stride_;
            above_[b] = {identity, identity, identity, 0};
        }
    }
    void take(const T* x, const std::uint32_t* found, std::size_t count) {
        if (bins_ > few_bins) return take_each(x, found, count);
        for (std::size_t i = 0; i < count; i += block) take_few(x + i, found + i, std::min(block, count - i));
    }
    // Once all is taken.
    void close() { fold_rows(); }
    void total(std::size_t first, std::size_t count, T* totals) const {
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t b = first + i;
            const T* const row = values_ + b * stride_;
            T nested = with_.op.identity;
            if (ends_[b] != row)
                with_.kernels.fold_rows(row, static_cast<std::size_t>(ends_[b] - row), &nested, {});
            totals[i] = with_.op.combine(with_.start, above_[b].value(nested, with_.op.combine));
        }
    }

  private:
    static constexpr std::size_t row_bytes = core::row_size * sizeof(T);
    static constexpr std::size_t rows_at_once = 16;
    static_assert(block <= few_bins_most);
    static_assert(arrays_in_block::alignment % row_bytes == 0);

    [[gnu::noinline]] void take_each(const T* x, const std::uint32_t* found, std::size_t count) {
        T** const ends = ends_;
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t b = found[i];
            T* end = ends[b];
            *end++ = x[i];
            if (reinterpret_cast<std::uintptr_t>(end) % row_bytes == 0) [[unlikely]] {
                end -= core::row_size;
                close_row(b, end);
            }
            ends[b] = end;
        }
    }
    void take_few(const T* x, const std::uint32_t* found, std::size_t count) {
        std::uint64_t taken = place_few_(x, found, count, ends_);
        T* row = values_;
        for (std::size_t b = 0; b <= bins_; ++b, taken >>= few_bins_bits, row += stride_) {
            T* const end = ends_[b] + (taken & few_bins_most);
            if (end - row < static_cast<std::ptrdiff_t>(core::row_size)) {
                ends_[b] = end;
            } else {
                close_row(b, row);
                ends_[b] = std::copy(row + core::row_size, end, row);
            }
        }
    }
    [[gnu::noinline]] void close_row(std::size_t b, const T* row) {
        if (b == bins_) return;
        // Of a size that compilers do not know: what they make of 512 bytes is a slow instruction.
        std::memcpy(rows_ + closed_ * core::row_size, row, copied_bytes_);
        of_[closed_] = b;
        if (++closed_ == rows_at_once) fold_rows();
    }
    void fold_rows() {
        const T identity = with_.op.identity;
        T totals[rows_at_once];
        strip_block<T> strips{};
        strips.x = rows_;
        strips.x_pitch = core::row_size;
        strips.y = totals;
        strips.length = core::row_size;
        strips.count = closed_;
        strips.last_alone = true;
        if (closed_ != 0) with_.kernels.scan_strips(strips, identity);
        for (std::size_t k = 0; k < closed_; ++k) above_[of_[k]].push(totals[k], identity, with_.op.combine);
        closed_ = 0;
    }

    bin_operator<T> with_;
    place_few_kernel<T> place_few_;
    std::size_t bins_, stride_;
    scratch<std::byte> memory_;
    T* values_;
    T** ends_;  // of the values in a bin's row
    bin_rows<T>* above_;
    std::size_t copied_bytes_ = row_bytes;
    std::size_t closed_ = 0;
    std::array<std::size_t, rows_at_once> of_;
    alignas(64) T rows_[rows_at_once * core::row_size];
};

// Bins that are odometers.
template <class T>
class odometer_bins {
  public:
    odometer_bins(const bin_operator<T>& with, const bin_odometer_kernels<T>& kernels, std::size_t bins)
        : start_(with.start),
          kernels_(kernels),
          memory_(arrays_in_block::bytes_of<T>(4 * (bins + 1)) +
                  arrays_in_block::bytes_of<bin_rows<T>>(bins + 1) +
                  arrays_in_block::bytes_of<std::uint8_t>(bins + 1)) {
        arrays_in_block arrays(memory_.data());
        all_.runs = arrays.take<T>(4 * (bins + 1));
        all_.has_above = arrays.take<std::uint8_t>(bins + 1);
        all_.above = arrays.take<bin_rows<T>>(bins + 1);
        kernels.clear(all_, bins + 1);
    }
    void take(const T* x, const std::uint32_t* found, std::size_t count) {
        kernels_.take(x, found, count, all_);
    }
    void close() {}
    void total(std::size_t first, std::size_t count, T* totals) const {
        kernels_.total(all_, first, count, start_, totals);
    }

  private:
    T start_;
    const bin_odometer_kernels<T>& kernels_;
    scratch<std::byte> memory_;
    bin_odometers<T> all_;
};

}  // namespace upsweep::cpu
