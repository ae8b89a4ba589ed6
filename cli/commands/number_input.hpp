// The numbers of an array, or of a column of a table, and what each of them counts for, if they have weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/file_arguments.hpp"
#include "cli/commands/number_weights.hpp"
#include "cli/io/byte_source.hpp"
#include "registry/dtype.hpp"

namespace upsweep::cli {

class number_input {
  public:
    virtual ~number_input() = default;

    [[nodiscard]] virtual registry::dtype type() const = 0;
    [[nodiscard]] virtual const byte_source& source() const = 0;
    // What the numbers are called: the column, or the file.
    [[nodiscard]] virtual std::string name() const = 0;
    // Once all are read.
    [[nodiscard]] virtual std::vector<std::uint64_t> shape() const = 0;
    // The next numbers, `most` at most; returns how many: 0 at the end.
    virtual std::size_t read(std::byte* to, std::size_t most) = 0;
    // Whether rewind(), back to the first one, works.
    [[nodiscard]] virtual bool can_rewind() const = 0;
    virtual void rewind() = 0;
    // So far, since the last rewind().
    [[nodiscard]] virtual std::uint64_t bytes_read() const = 0;
    // Of a whole pass, where it is known.
    [[nodiscard]] virtual std::optional<std::uint64_t> bytes() const = 0;
    // What the numbers count for; null if they have no weights.
    [[nodiscard]] virtual number_weights* weights() { return nullptr; }
    // What an output must not be.
    [[nodiscard]] virtual std::vector<file_identity> files() const { return identities(source()); }
};

// Arrays in the order of their file, or in C order with `in_c_order`; what must be held for that, and what is
// kept of a pipe, is laid beside arguments.output. Tables: the column of --column or the only one, in
// float64.
[[nodiscard]] std::unique_ptr<number_input> open_numbers(const file_arguments& arguments, bool in_c_order);

// The same, and beside them their weights: the array in that file, of as many elements, or the column of that
// name. Arrays in C order where sums of the weights round.
[[nodiscard]] std::unique_ptr<number_input> open_weighted_numbers(const file_arguments& arguments,
                                                                  const std::string& weights);

// The same of an array that is open.
[[nodiscard]] std::unique_ptr<number_input> numbers_of(array_reader reader, bool in_c_order,
                                                       const std::string& beside);

}  // namespace upsweep::cli
