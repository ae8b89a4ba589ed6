// Runs in files: where their elements and indices lie.
#include "cli/commands/stored_runs.hpp"

#include <algorithm>

namespace upsweep::cli {
namespace {

// Each time, the file system may wait for what it is writing: 256 KiB at a time three passes took three times
// as long as without, while 2 MiB at a time saved a quarter, for what is given up need not be written.
constexpr std::uint64_t bytes_to_forget = std::uint64_t{16} << 20;

}  // namespace

void run_file::begin(std::uint64_t count) {
    run_ = {file_, end_, count};
    end_ += count * layout_.element_bytes();
    written_ = 0;
}

void run_file::write(const std::byte* keys, const std::int64_t* indices, std::size_t n) {
    file_->write_at(run_.begin + written_ * layout_.key_bytes, keys, n * layout_.key_bytes);
    if (layout_.with_indices) {
        const std::uint64_t first_index = run_.begin + run_.count * layout_.key_bytes;
        file_->write_at(first_index + written_ * sizeof(std::int64_t), indices, n * sizeof(std::int64_t));
    }
    written_ += n;
}

void run_reader::read_block() {
    taken_ = 0;
    count_ = static_cast<std::size_t>(std::min<std::uint64_t>(block_, run_.count - read_));
    if (count_ == 0) return;
    // With the block that comes next, which the system reads meanwhile.
    const auto next = std::min<std::uint64_t>(block_, run_.count - read_ - count_);
    const auto read = [&](std::uint64_t from, std::size_t size, void* to) {
        run_.file->read_at(from, to, count_ * size);
        if (next != 0) run_.file->will_read(from + count_ * size, next * size);
    };
    read(key_at(read_), layout_.key_bytes, keys_);
    if (layout_.with_indices) read(index_at(read_), sizeof(std::int64_t), indices_);
    read_ += count_;
    if ((read_ - forgotten_) * layout_.element_bytes() >= bytes_to_forget || read_ == run_.count) forget();
}

void run_reader::forget() {
    const std::uint64_t n = read_ - forgotten_;
    run_.file->forget(key_at(forgotten_), n * layout_.key_bytes);
    if (layout_.with_indices) run_.file->forget(index_at(forgotten_), n * sizeof(std::int64_t));
    forgotten_ = read_;
}

registry::run_part run_reader::part() {
    if (taken_ == end_) {
        if (taken_ == count_) read_block();
        end_ = taken_ + std::min(most_, count_ - taken_);
    }
    registry::run_part part;
    part.keys = keys_ + taken_ * layout_.key_bytes;
    if (layout_.with_indices) part.indices = indices_ + taken_;
    part.count = end_ - taken_;
    part.is_last = read_ == run_.count && end_ == count_;
    return part;
}

}  // namespace upsweep::cli
