// The numbers of an array, or of a column of a table, gone through as often as need be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/file_arguments.hpp"
#include "cli/io/byte_source.hpp"
#include "cli/scratch.hpp"
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
};

// Arrays in the order of their file, or in C order with `in_c_order`; what must be held for that, and what is
// kept of a pipe, is laid beside arguments.output. Tables: the column of --column or the only one, in
// float64.
[[nodiscard]] std::unique_ptr<number_input> open_numbers(const file_arguments& arguments, bool in_c_order);

// All numbers of an input, `passes` times in all. What cannot be read again is kept: in memory up to
// most_waiting_bytes(), beyond it in a file.
class number_passes {
  public:
    // `label` of the progress bar.
    number_passes(number_input& input, int passes, std::string label, const std::string& beside);

    using taker = std::function<void(const std::byte* numbers, std::size_t count, std::uint64_t first)>;
    // One pass: hands over block by block, `most` numbers at most; `first` is the index of a block's first.
    void run(std::size_t most, const taker& take);
    [[nodiscard]] std::uint64_t count() const { return count_; }
    // Read from the input, in all passes.
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  private:
    void read_input(std::size_t most, const taker& take);
    void read_kept(std::size_t most, const taker& take);

    number_input& input_;
    int left_;
    int passes_;
    std::string label_;
    scratch_stream kept_;
    bool is_kept_ = false;
    std::uint64_t count_ = 0;
    std::uint64_t bytes_ = 0;
};

// The same of an array that is open.
[[nodiscard]] std::unique_ptr<number_input> numbers_of(array_reader reader, bool in_c_order,
                                                       const std::string& beside);

// Numbers in a block of the usual size.
[[nodiscard]] std::size_t usual_block(registry::dtype type);

}  // namespace upsweep::cli
