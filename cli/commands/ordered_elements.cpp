// Elements gathered from a file in Fortran order, or read as they come.
#include "cli/commands/ordered_elements.hpp"

#include <algorithm>
#include <cstring>

#include "cli/io/message.hpp"

namespace upsweep::cli {

ordered_elements::ordered_elements(array_reader& reader, const std::string& beside)
    : reader_(reader), size_(registry::size_of(reader.header().type)) {
    const array_header& header = reader.header();
    if (!header.fortran_order || header.open_ended) return;
    const auto several = [](std::uint64_t extent) { return extent != 1; };
    if (std::count_if(header.shape.begin(), header.shape.end(), several) < 2 || *reader.count() == 0) return;
    shape_ = header.shape;
    std::uint64_t stride = size_;
    for (const std::uint64_t extent : shape_) {
        strides_.push_back(stride);
        stride *= extent;
    }
    at_.resize(shape_.size());
    row_ = *reader.count() / shape_[0];
    left_ = *reader.count();
    hold_all(beside);
}

// Mapped, where the file allows it.
void ordered_elements::hold_all(const std::string& beside) {
    const auto mapped = reader_.map();
    all_ = mapped.data();
    if (!mapped.empty()) return;
    const auto count = static_cast<std::size_t>(left_);
    copy_ = std::make_unique<scratch_memory>(count * size_, beside);
    if (reader_.read(copy_->data(), count) != count) fail(reader_.source().name(), "data is truncated");
    all_ = copy_->data();
}

// To the next element; indices before the first-th stay.
void ordered_elements::advance(std::size_t first) {
    for (std::size_t k = at_.size(); k-- > first;) {
        offset_ += strides_[k];
        if (++at_[k] != shape_[k]) return;
        offset_ -= strides_[k] * shape_[k];
        at_[k] = 0;
    }
}

template <std::size_t Size>
void ordered_elements::gather(std::byte* to, std::size_t count) {
    while (count != 0) {
        const auto rows = in_row_ == 0 ? static_cast<std::size_t>(count / row_) : 0;
        std::size_t taken = rows * row_;
        if (rows > 1) {
            gather_rows<Size>(to, rows);
        } else {
            taken = static_cast<std::size_t>(std::min<std::uint64_t>(count, row_ - in_row_));
            for (std::size_t i = 0; i < taken; ++i, advance(0))
                std::memcpy(to + i * Size, all_ + offset_, Size);
            in_row_ = in_row_ + taken == row_ ? 0 : in_row_ + taken;
        }
        to += taken * Size;
        count -= taken;
    }
}
// Elements with the same indices but the first lie together in the file.
template <std::size_t Size>
void ordered_elements::gather_rows(std::byte* to, std::size_t rows) {
    for (std::uint64_t i = 0; i < row_; ++i) {
        const std::byte* const from = all_ + offset_;
        for (std::size_t row = 0; row < rows; ++row)
            std::memcpy(to + (row * row_ + i) * Size, from + row * Size, Size);
        advance(1);
    }
    at_[0] += rows;
    offset_ += rows * strides_[0];
}

std::size_t ordered_elements::read(std::byte* to, std::size_t most) {
    if (all_ == nullptr) return reader_.read(to, most);
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(most, left_));
    switch (size_) {
        case 1:
            gather<1>(to, count);
            break;
        case 2:
            gather<2>(to, count);
            break;
        case 4:
            gather<4>(to, count);
            break;
        case 8:
            gather<8>(to, count);
            break;
        default:
            gather<16>(to, count);
            break;
    }
    left_ -= count;
    return count;
}

void ordered_elements::rewind() {
    if (all_ == nullptr) return reader_.seek_element(0);
    std::fill(at_.begin(), at_.end(), 0);
    offset_ = 0;
    in_row_ = 0;
    left_ = *reader_.count();
}

}  // namespace upsweep::cli
