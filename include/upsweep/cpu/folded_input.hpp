// A sequence as kernels fold it: in place if its elements are neighbours in either direction, else part by
// part through a buffer.
#pragma once

#include <algorithm>
#include <cstddef>

#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/kernels.hpp"
#include "upsweep/cpu/operation.hpp"
#include "upsweep/cpu/staging.hpp"

namespace upsweep::cpu {

template <class Acc, bool Exact>
class folded_input {
  public:
    // `lead`: bytes by which input is asked for ahead; 0: it is not, as where a kernel reads in one line.
    folded_input(const operation<Acc, Exact>& op, const executor& ex, const source<Acc>& in, std::size_t lead)
        : identity_(op.identity),
          kernels_(op.kernels(ex.simd())),
          memory_(memory_kernels_for(ex.simd())),
          in_(in),
          lead_(lead) {}

    // Of elements [i, i + count) within a tile, from a row on, or of any under an exact operator.
    [[nodiscard]] Acc fold(std::size_t i, std::size_t count) const {
        Acc total = identity_;
        if (in_.plain && (in_.stride == 1 || in_.stride == -1)) {
            const Acc* const x =
                static_cast<const Acc*>(in_.data) + static_cast<std::ptrdiff_t>(i) * in_.stride;
            advance(total, x, count, in_.stride == -1, lead_);
            return total;
        }
        alignas(64) Acc buffer[piece_size<Acc>];
        for (std::size_t done = 0, part; done < count; done += part) {
            part = std::min(count - done, piece_size<Acc>);
            in_.load(in_, memory_, i + done, part, buffer);
            advance(total, buffer, part, false, 0);
        }
        return total;
    }

    // The same of the sequence that begins so many elements further on in memory.
    [[nodiscard]] folded_input moved(std::ptrdiff_t offset) const {
        folded_input other = *this;
        other.in_ = cpu::moved(in_, offset);
        return other;
    }

  private:
    // By elements whose first is *x and whose others follow it, or backwards precede it.
    void advance(Acc& total, const Acc* x, std::size_t count, bool backwards, std::size_t lead) const {
        if constexpr (Exact)
            total = kernels_.fold(backwards ? x - (count - 1) : x, count, total);
        else
            kernels_.fold_rows(x, count, &total, {backwards, lead});
    }

    Acc identity_;
    const typename operation<Acc, Exact>::kernel_table& kernels_;
    const memory_kernels& memory_;
    source<Acc> in_;
    std::size_t lead_;
};

}  // namespace upsweep::cpu
