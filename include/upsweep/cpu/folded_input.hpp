// A sequence as kernels fold it: part by part, in place if its elements are neighbours in either direction,
// else through a buffer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/kernels.hpp"
#include "upsweep/cpu/operation.hpp"
#include "upsweep/cpu/staging.hpp"

namespace upsweep::cpu {

// Input that is folded is asked for ahead a group of elements at a time: four rows, which kernels take
// together, of 2 KiB at least.
template <class Acc>
inline constexpr std::size_t asked_size = std::max(4 * core::row_size, 2048 / sizeof(Acc));
// Asks for asked_size elements, `lead` bytes behind those from `lowest` on. Processors' own look-ahead does
// not follow kernels that read four rows side by side: from memory, sums of floats took half of the time with
// this. That needs a count that is known when it is compiled; with one that is not, nothing was gained.
template <class Acc>
void ask_for_group(const Acc* lowest, std::size_t lead, bool backwards) {
    const auto at = reinterpret_cast<std::uintptr_t>(lowest);
    const std::uintptr_t from = backwards ? at - lead : at + lead;
    for (std::size_t line = 0; line < asked_size<Acc> * sizeof(Acc); line += 64)
        __builtin_prefetch(reinterpret_cast<const void*>(from + line), 0, 3);
    asm volatile("");  // GCC drops calls of a function that does nothing but prefetch, as without effect
}

template <class Acc, bool Exact>
class folded_input {
  public:
    // The stride of `in` is 1, or -1. `lead`: bytes by which input is asked for ahead; 0: it is not, as where
    // a kernel reads in one line.
    folded_input(const operation<Acc, Exact>& op, const executor& ex, const source<Acc>& in, std::size_t lead)
        : identity_(op.identity),
          kernels_(op.kernels(ex.simd())),
          memory_(memory_kernels_for(ex.simd())),
          in_(in),
          lead_(lead) {}

    // Of elements [i, i + count): whole rows within a tile, or any under an exact operator.
    [[nodiscard]] Acc fold(std::size_t i, std::size_t count) const {
        Acc total = identity_;
        for_each_part(i, count, [&](const Acc* x, std::size_t part, bool backwards) {
            if constexpr (Exact)
                total = kernels_.fold(backwards ? x - (part - 1) : x, part, total);
            else
                kernels_.fold_rows(x, part, &total, backwards);
        });
        return total;
    }
    // visit(x, part, backwards) for elements [i, i + count), whose first is *x and whose others follow it, or
    // backwards precede it; the parts but the last are whole rows.
    template <class Visit>
    void for_each_part(std::size_t i, std::size_t count, const Visit& visit) const {
        if (in_.plain && (in_.stride == 1 || in_.stride == -1)) {
            const bool backwards = in_.stride == -1;
            const std::size_t step = lead_ == 0 ? count : asked_size<Acc>;
            for (std::size_t done = 0, part; done < count; done += part) {
                part = std::min(count - done, step);
                const Acc* const x =
                    static_cast<const Acc*>(in_.data) + static_cast<std::ptrdiff_t>(i + done) * in_.stride;
                if (lead_ != 0 && part == step)
                    ask_for_group(backwards ? x - (part - 1) : x, lead_, backwards);
                visit(x, part, backwards);
            }
            return;
        }
        alignas(64) Acc buffer[piece_size<Acc>];
        for (std::size_t done = 0, part; done < count; done += part) {
            part = std::min(count - done, piece_size<Acc>);
            in_.load(in_, memory_, i + done, part, buffer);
            visit(buffer, part, false);
        }
    }

  private:
    Acc identity_;
    const typename operation<Acc, Exact>::kernel_table& kernels_;
    const memory_kernels& memory_;
    source<Acc> in_;
    std::size_t lead_;
};

}  // namespace upsweep::cpu
