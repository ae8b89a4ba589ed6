// The numbers of an input gone through as often as need be, in blocks that are read while the one before is
// worked on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cli/commands/number_input.hpp"
#include "cli/pipeline.hpp"
#include "cli/scratch.hpp"
#include "registry/dtype.hpp"

namespace upsweep::cli {

// Some numbers, and in the last pass their weights, if they have any.
struct number_block {
    const std::byte* numbers;
    const std::byte* weights;  // null: none
    registry::dtype weight_type;
    std::size_t count;
    std::uint64_t first;  // the index of the first one
};

// All numbers of an input, `passes` times in all. What cannot be read again is kept: in memory up to
// most_waiting_bytes() each of numbers and weights, beyond it in a file.
class number_passes {
  public:
    // `label` of the progress bar.
    number_passes(number_input& input, int passes, std::string label, const std::string& beside);

    using taker = std::function<void(const number_block& block)>;
    // One pass: hands over block by block, `most` numbers at most.
    void run(std::size_t most, const taker& take);
    // Numbers in a block of the usual size.
    [[nodiscard]] std::size_t usual_block() const;
    [[nodiscard]] std::uint64_t count() const { return count_; }
    // Read from the input, in all passes.
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  private:
    struct pass {
        bool from_kept;
        bool keeps;
        bool has_weights;
        std::size_t room;        // numbers in a block
        std::size_t weights_at;  // where they begin in it
        bool is_long;            // more numbers than that, or nobody knows how many
    };
    [[nodiscard]] pass next_pass(std::size_t most);
    void fill(data_block& block, const pass& now);
    void read_input(data_block& block, const pass& now);
    void read_kept(data_block& block, const pass& now);
    // Of what a pass reads, so far and in all where that is known.
    [[nodiscard]] std::uint64_t bytes_read(const pass& now) const;
    [[nodiscard]] std::optional<std::uint64_t> bytes_of(const pass& now) const;
    // Whether weights are read beside what is read, or kept, of the numbers.
    [[nodiscard]] bool reads_weights_aside(const pass& now) const {
        return now.has_weights && !weights_->come_with_numbers();
    }

    number_input& input_;
    number_weights* weights_;  // null: none
    std::size_t size_;
    std::size_t weight_size_;
    int left_;
    int passes_;
    std::string label_;
    scratch_stream kept_;
    scratch_stream kept_weights_;
    std::uint64_t kept_integers_ = 0;  // of a table's weights so many are int64, the first ones
    bool is_kept_ = false;
    std::uint64_t count_ = 0;
    std::uint64_t bytes_ = 0;
};

}  // namespace upsweep::cli
