// The scalar reference of the numeric contract (docs/numerics.md): an odometer of five accumulators. Every
// engine is tested against it, bit for bit; it is written for reading, not for speed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "upsweep/core/tree.hpp"

namespace upsweep::core {

// Takes one element after the other; value() is prefix(p) after p of them.
template <class Acc, class Op>
class odometer {
  public:
    explicit odometer(Op op, std::optional<Acc> initial = {}) : op_(op), supers_(initial) {}

    void take(const Acc& element) {
        // A full accumulator carries its whole right-nested value into the next, which changes no bit of
        // value().
        if (count_ != 0 && count_ % run_size == 0) {
            carry(items_, runs_);
            if (count_ % row_size == 0) carry(runs_, rows_);
            if (count_ % tile_size == 0) carry(rows_, tiles_);
            if (count_ % super_size == 0) carry(tiles_, supers_);
        }
        fold_into(items_, element, op_);
        ++count_;
    }

    // L, V, R, T, S; what has nothing to fold is absent.
    [[nodiscard]] std::array<std::optional<Acc>, 5> parts() const {
        return {items_, runs_, rows_, tiles_, supers_};
    }

    // Copies of optionals would take half of the time of tests that are not optimized.
    [[nodiscard]] std::optional<Acc> value() const {
        const Acc* parts[5];  // that are there, innermost first
        std::size_t count = 0;
        for (const auto* level : {&items_, &runs_, &rows_, &tiles_, &supers_})
            if (level->has_value()) parts[count++] = &**level;
        if (count == 0) return {};
        Acc nested = *parts[0];
        for (std::size_t k = 1; k < count; ++k) nested = op_(*parts[k], nested);
        return nested;
    }

  private:
    void carry(std::optional<Acc>& from, std::optional<Acc>& to) {
        fold_into(to, *from, op_);
        from.reset();
    }

    Op op_;
    std::optional<Acc> items_{}, runs_{}, rows_{}, tiles_{}, supers_;  // L, V, R, T, S
    std::uint64_t count_ = 0;
};

}  // namespace upsweep::core
