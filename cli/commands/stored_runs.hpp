// Sorted runs of an array, laid in files until they are merged: the elements of a run, and behind them, where
// they are wanted, their indices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "cli/scratch.hpp"
#include "registry/run_merger.hpp"

namespace upsweep::cli {

// What the runs of one sort have in common.
struct run_layout {
    std::size_t key_bytes;
    bool with_indices;
    [[nodiscard]] std::size_t element_bytes() const {
        return key_bytes + (with_indices ? sizeof(std::int64_t) : 0);
    }
};

// A run in a file. The file goes when the last of its runs does.
struct stored_run {
    std::shared_ptr<scratch_file> file;
    std::uint64_t begin = 0;  // offset in bytes
    std::uint64_t count = 0;  // elements
};

// Where runs are written, one behind the other.
class run_file {
  public:
    // `beside` as in scratch_memory.
    run_file(run_layout layout, const std::string& beside)
        : layout_(layout), file_(std::make_shared<scratch_file>(beside)) {}

    // A run of so many elements begins; the one before is complete.
    void begin(std::uint64_t count);
    // Its next elements, and their indices.
    void write(const std::byte* keys, const std::int64_t* indices, std::size_t n);
    // The last one that was begun.
    [[nodiscard]] const stored_run& run() const { return run_; }
    [[nodiscard]] scratch_file& file() { return *file_; }

  private:
    run_layout layout_;
    std::shared_ptr<scratch_file> file_;
    stored_run run_;
    std::uint64_t end_ = 0;      // of the run, in bytes
    std::uint64_t written_ = 0;  // elements of the run
};

// A run from its first element on: blocks of it are read, and handed over in parts. What has been read of the
// file is given up.
class run_reader {
  public:
    // So many elements are in a block, for which there is room at `keys` and `indices`, and in a part at
    // most.
    run_reader(run_layout layout, stored_run run, std::byte* keys, std::int64_t* indices, std::size_t block,
               std::size_t part)
        : layout_(layout), run_(std::move(run)), keys_(keys), indices_(indices), block_(block), most_(part) {}

    // What is left of the present part, or the next one if all of it was taken.
    registry::run_part part();
    void take(std::size_t n) { taken_ += n; }

  private:
    void read_block();
    void forget();
    // Offsets of an element's key and index.
    [[nodiscard]] std::uint64_t key_at(std::uint64_t i) const { return run_.begin + i * layout_.key_bytes; }
    [[nodiscard]] std::uint64_t index_at(std::uint64_t i) const {
        return key_at(run_.count) + i * sizeof(std::int64_t);
    }

    run_layout layout_;
    stored_run run_;
    std::byte* keys_;
    std::int64_t* indices_;
    std::size_t block_;
    std::size_t most_;
    std::uint64_t read_ = 0;       // elements of the run
    std::uint64_t forgotten_ = 0;  // of those
    std::size_t count_ = 0;        // of the block
    std::size_t end_ = 0;          // of the part
    std::size_t taken_ = 0;
};

}  // namespace upsweep::cli
