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

template <std::size_t Size>
void ordered_elements::gather(std::byte* to, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        std::memcpy(to + i * Size, all_ + offset_, Size);
        for (std::size_t k = at_.size(); k-- > 0;) {
            offset_ += strides_[k];
            if (++at_[k] != shape_[k]) break;
            offset_ -= strides_[k] * shape_[k];
            at_[k] = 0;
        }
    }
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
    left_ = *reader_.count();
}

}  // namespace upsweep::cli
