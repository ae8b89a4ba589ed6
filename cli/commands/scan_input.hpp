// The elements of an array, and beside them, if a second file has some, their coefficients, in lockstep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/array_beside.hpp"
#include "cli/commands/scan_job.hpp"
#include "cli/io/array_file.hpp"

namespace upsweep::cli {

// Elements and their coefficients (null: there are none), the first of each.
struct scan_block {
    const std::byte* elements = nullptr;
    const std::byte* coefficients = nullptr;
};

class scan_input {
  public:
    // Throws upsweep::error unless the two have equal shapes and memory orders, where both are .npy, or else
    // equal counts, where both are known.
    explicit scan_input(const scan_arguments& arguments);

    [[nodiscard]] const array_reader& elements() const { return elements_; }
    [[nodiscard]] scan_operands types() const;
    [[nodiscard]] std::vector<file_identity> files() const;
    // Bytes of an element and its coefficient.
    [[nodiscard]] std::size_t element_bytes() const;
    // Whether elements can be read from anywhere.
    [[nodiscard]] bool seekable() const;

    // Memory for a block of at most `room` elements: elements, and from a multiple of 64 bytes on
    // coefficients.
    [[nodiscard]] std::size_t bytes_for(std::size_t room) const;
    [[nodiscard]] scan_block block_in(const std::byte* memory, std::size_t room) const;
    // The next `most` at most, into such memory; returns how many: fewer only at the end. Throws
    // upsweep::error if they have fewer coefficients.
    std::size_t read(std::byte* memory, std::size_t room, std::size_t most);
    // `count` elements from `index` on; returns whether all of them were there.
    [[nodiscard]] bool read_at(std::uint64_t index, std::byte* memory, std::size_t room,
                               std::size_t count) const;
    // All as they lie in the files, if all can be used so. The element is null otherwise.
    [[nodiscard]] scan_block map();
    // The block without its first `count` elements.
    [[nodiscard]] scan_block behind(const scan_block& all, std::uint64_t count) const;

    // Once all elements are read: throws upsweep::error if there are more coefficients.
    void finish();

  private:
    void check_orders() const;
    [[nodiscard]] std::size_t coefficients_at(std::size_t room) const;

    std::optional<array_beside> beside_;
    array_reader elements_;
    std::optional<array_reader> coefficients_;  // if there are any
};

}  // namespace upsweep::cli
