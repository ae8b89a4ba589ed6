// The elements of an array in C order, the last index fastest, whatever the order of its file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/io/array_file.hpp"
#include "cli/scratch.hpp"

namespace upsweep::cli {

// One block after the other. An array in Fortran order is mapped where the file allows it, else held.
class ordered_elements {
  public:
    // `beside`: where what must be held is laid, as in scratch_memory.
    ordered_elements(array_reader& reader, const std::string& beside);

    // The next elements, `most` at most; returns how many: 0 at the end.
    std::size_t read(std::byte* to, std::size_t most);
    // Whether rewind() works: the elements are held, or in a file that is no pipe.
    [[nodiscard]] bool can_rewind() const { return all_ != nullptr || reader_.seekable(); }
    // Back to the first element.
    void rewind();

  private:
    void hold_all(const std::string& beside);
    void advance(std::size_t first);
    template <std::size_t Size>
    void gather(std::byte* to, std::size_t count);
    template <std::size_t Size>
    void gather_rows(std::byte* to, std::size_t rows);

    array_reader& reader_;
    std::size_t size_;
    const std::byte* all_ = nullptr;  // null: the order of the file is C order
    std::unique_ptr<scratch_memory> copy_;
    std::vector<std::uint64_t> shape_;
    std::vector<std::uint64_t> strides_;  // bytes
    std::vector<std::uint64_t> at_;       // the indices of the next element
    std::uint64_t row_ = 0;               // elements that differ in other indices than the first
    std::uint64_t in_row_ = 0;            // of the present row, those that have been read
    std::uint64_t offset_ = 0;            // of the next element, bytes
    std::uint64_t left_ = 0;
};

}  // namespace upsweep::cli
