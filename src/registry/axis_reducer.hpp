// Totals of sequences that lie side by side, as the columns of an array in C order do, given some rows of
// them at a time.
//
//     axis_reducer totals(device, request, width, most_rows);
//     while ((rows = read(in, totals.multiple())) != 0) totals.add(in, rows);
//     totals.finish(out);
//
// Bits: each total is the last result of an inclusive scan of its sequence. What crosses a block is S, T, R,
// V and L of docs/numerics.md, as far as blocks are cut by their levels, for each sequence; so memory depends
// on the width, not on the length.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "registry/scanner.hpp"
#include "upsweep/core/tree.hpp"

namespace upsweep::registry {

class axis_reducer {
  public:
    // `width` >= 1 sequences; accumulators of so many rows, at least one, are held, and six more. Of the
    // request, operator, types and initial value count, from which every sequence starts. The device must
    // outlive the reducer. Throws as make_scanner does.
    axis_reducer(const device& where, const scan_request& request, std::size_t width, std::size_t most_rows);

    [[nodiscard]] std::size_t width() const { return width_; }
    // add() takes a multiple of so many rows, but for the last time: 1, 4, 128, 4096 or 131072.
    [[nodiscard]] std::size_t multiple() const { return level_rows[part_level_]; }

    // The next elements, one of each sequence a row.
    void add(const void* rows, std::size_t count);
    // Writes the totals, of the output's type: of no rows the initial value or the identity. The next row
    // begins new sequences.
    void finish(void* out);

  private:
    static constexpr std::size_t levels = 5;  // L, V, R, T and S, by the rows that each of them is folded of
    static constexpr std::array<std::size_t, levels> level_rows{1, core::run_size, core::row_size,
                                                                core::tile_size, core::super_size};

    [[nodiscard]] std::byte* row(std::size_t place) { return memory_.data() + place_[place] * row_bytes_; }
    void restart();
    void add_part(const std::byte* rows, std::size_t count);
    // Into the incoming row.
    void load(const std::byte* rows, std::size_t count);
    // Row `right` becomes row `left` (+) row `right`.
    void fold(std::size_t left, std::size_t right);
    // Places of rows: the levels', and that of what comes in.
    static constexpr std::size_t incoming = levels;

    const device* device_;
    scan_request request_;
    std::size_t width_;
    std::size_t row_bytes_;  // of accumulators
    std::size_t part_level_ = 0;
    std::unique_ptr<scanner> load_;     // elements to accumulators
    std::unique_ptr<scanner> combine_;  // accumulators
    std::unique_ptr<scanner> store_;    // accumulators to results
    std::vector<std::byte> memory_;     // a row for each place
    std::array<std::size_t, levels + 1> place_{};
    std::array<bool, levels> present_{};
    std::vector<std::byte> results_;  // of a part
    std::uint64_t count_ = 0;         // rows
};

}  // namespace upsweep::registry
