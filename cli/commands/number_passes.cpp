#include "cli/commands/number_passes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/progress.hpp"
#include "registry/scanner.hpp"

namespace upsweep::cli {

using registry::dtype;
using registry::size_of;

number_passes::number_passes(number_input& input, int passes, std::string label, const std::string& beside)
    : input_(input),
      weights_(input.weights()),
      size_(size_of(input.type())),
      weight_size_(weights_ == nullptr ? 0 : size_of(weights_->type())),
      left_(passes),
      passes_(passes),
      label_(std::move(label)),
      kept_(beside, most_waiting_bytes()),
      kept_weights_(beside, most_waiting_bytes()) {}

std::size_t number_passes::usual_block() const {
    return std::max<std::size_t>(1, block_bytes(registry::block_bytes) / (size_ + weight_size_));
}

void number_passes::run(std::size_t most, const taker& take) {
    const pass now = next_pass(most);
    const std::string step =
        passes_ == 1 ? label_ : fmt::format("{}, pass {} of {}", label_, passes_ - left_, passes_);
    progress_bar progress(step, bytes_of(now));
    std::uint64_t before = 0;
    count_ = 0;
    run_pipeline(
        now.weights_at + (now.has_weights ? now.room * weight_size_ : 0), 0, now.is_long,
        [&](data_block& block) {
            fill(block, now);
            const std::uint64_t read = bytes_read(now);
            progress.advance(read - std::exchange(before, read));
            return block.count != 0;
        },
        [&](const data_block& block) {
            const std::byte* const numbers = block.in.data();
            take({numbers, now.has_weights ? numbers + now.weights_at : nullptr, block.weights, block.count,
                  block.first});
        },
        [](const data_block&) {});
    if (now.has_weights && left_ == 0) weights_->finish();
    bytes_ += now.from_kept ? 0 : input_.bytes_read();
    if (reads_weights_aside(now)) bytes_ += weights_->bytes_read();
    is_kept_ = now.from_kept || now.keeps;
}

number_passes::pass number_passes::next_pass(std::size_t most) {
    const bool is_first = left_ == passes_;
    --left_;
    pass now{};
    now.from_kept = is_kept_;
    if (!now.from_kept && !is_first) input_.rewind();
    now.keeps = !now.from_kept && left_ != 0 && !input_.can_rewind();
    now.has_weights = weights_ != nullptr && (left_ == 0 || (now.keeps && weights_->come_with_numbers()));
    const std::optional<std::uint64_t> bytes = now.from_kept ? kept_.size() : input_.bytes();
    const std::uint64_t known = bytes.value_or(UINT64_MAX) / size_;
    now.room = static_cast<std::size_t>(std::min<std::uint64_t>(most, std::max<std::uint64_t>(known, 1)));
    now.weights_at = (now.room * size_ + 63) / 64 * 64;
    now.is_long = known > most;
    return now;
}

void number_passes::fill(data_block& block, const pass& now) {
    block.first = count_;
    if (now.from_kept)
        read_kept(block, now);
    else
        read_input(block, now);
    count_ += block.count;
}

void number_passes::read_input(data_block& block, const pass& now) {
    block.count = input_.read(block.in.data(), now.room);
    if (block.count == 0) return;
    std::byte* const weights = block.in.data() + now.weights_at;
    if (now.has_weights) {
        block.weights = weights_->type();
        weights_->read(weights, block.count);
    }
    if (!now.keeps) return;
    kept_.write(block.in.data(), block.count * size_);
    if (!now.has_weights) return;
    kept_weights_.write(weights, block.count * weight_size_);
    if (block.weights == dtype::int64) kept_integers_ = count_ + block.count;
}

void number_passes::read_kept(data_block& block, const pass& now) {
    const bool are_kept = now.has_weights && weights_->come_with_numbers();
    std::uint64_t left = kept_.size() / size_ - count_;
    // Weights of a block are of one type.
    const bool are_integers = count_ < kept_integers_;
    if (are_kept && are_integers) left = std::min(left, kept_integers_ - count_);
    block.count = static_cast<std::size_t>(std::min<std::uint64_t>(left, now.room));
    if (block.count == 0) return;
    kept_.read_at(count_ * size_, block.in.data(), block.count * size_);
    if (!now.has_weights) return;
    std::byte* const weights = block.in.data() + now.weights_at;
    if (are_kept) {
        block.weights = are_integers ? dtype::int64 : dtype::float64;
        kept_weights_.read_at(count_ * weight_size_, weights, block.count * weight_size_);
    } else {
        block.weights = weights_->type();
        weights_->read(weights, block.count);
    }
}

std::uint64_t number_passes::bytes_read(const pass& now) const {
    return (now.from_kept ? count_ * size_ : input_.bytes_read()) +
           (reads_weights_aside(now) ? weights_->bytes_read() : 0);
}

std::optional<std::uint64_t> number_passes::bytes_of(const pass& now) const {
    const std::optional<std::uint64_t> numbers = now.from_kept ? kept_.size() : input_.bytes();
    if (!reads_weights_aside(now)) return numbers;
    const std::optional<std::uint64_t> weights = weights_->bytes();
    if (!numbers || !weights) return std::nullopt;
    return *numbers + *weights;
}

}  // namespace upsweep::cli
