// Streaming of elements between files and buffers: length checks, byte order, positions.
#include "cli/io/array_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "cli/io/byte_order.hpp"
#include "cli/io/message.hpp"

namespace upsweep::cli {

std::uint64_t element_count(const array_header& header, const std::string& file) {
    std::uint64_t bytes = registry::size_of(header.type);
    bool empty = false;
    for (const std::uint64_t extent : header.shape) {
        if (extent == 0) {
            empty = true;
        } else if (__builtin_mul_overflow(bytes, extent, &bytes) || bytes > INT64_MAX) {
            fail(file, fmt::format("the shape ({}) of {} needs more than 2^63 bytes",
                                   fmt::join(header.shape, ", "), registry::name(header.type)));
        }
    }
    return empty ? 0 : bytes / registry::size_of(header.type);
}

array_reader::array_reader(byte_source source, array_header header, std::uint64_t data_offset)
    : source_(std::move(source)),
      header_(std::move(header)),
      data_offset_(data_offset),
      item_bytes_(registry::size_of(header_.type)) {
    if (!header_.open_ended) count_ = element_count(header_, source_.name());
    if (source_.seekable()) {
        const std::uint64_t found = *source_.size() - std::min(*source_.size(), data_offset_);
        if (header_.open_ended) {
            if (found % item_bytes_ != 0) {
                fail(source_.name(), fmt::format("{} bytes are not a whole number of {} ({} bytes each)",
                                                 found, registry::name(header_.type), item_bytes_));
            }
            count_ = found / item_bytes_;
        } else if (found < expected_bytes()) {
            fail_truncated(found);
        } else if (found > expected_bytes()) {
            fail(source_.name(), fmt::format("{} bytes follow the {} bytes of data that the header states",
                                             found - expected_bytes(), expected_bytes()));
        }
    }
    if (count_ == 0 && !seekable()) refuse_surplus();
    if (header_.open_ended && count_) {
        header_.shape = {*count_};
        header_.open_ended = false;
    }
}

void array_reader::fail_truncated(std::uint64_t found_bytes) const {
    fail(source_.name(), fmt::format("data is truncated: the header states {} bytes, {} are there",
                                     expected_bytes(), found_bytes));
}

void array_reader::refuse_surplus() {
    char surplus = 0;
    if (source_.read(&surplus, 1) == 0) return;
    fail(source_.name(),
         fmt::format("data goes on after the {} bytes that the header states", expected_bytes()));
}

std::size_t array_reader::read(void* buffer, std::size_t elements) {
    if (seekable()) {
        const std::size_t done = read_at(position_, buffer, elements);
        position_ += done;
        return done;
    }
    std::size_t wanted = std::min(elements, SIZE_MAX / item_bytes_);
    if (count_) wanted = static_cast<std::size_t>(std::min<std::uint64_t>(wanted, *count_ - position_));
    const std::size_t bytes = source_.read(buffer, wanted * item_bytes_);
    const std::size_t done = bytes / item_bytes_;
    if (count_ && done < wanted) fail_truncated(position_ * item_bytes_ + bytes);
    if (bytes % item_bytes_ != 0) {
        fail(source_.name(),
             fmt::format("{} bytes are not a whole number of {} ({} bytes each)",
                         position_ * item_bytes_ + bytes, registry::name(header_.type), item_bytes_));
    }
    position_ += done;
    if (count_ && position_ == *count_) refuse_surplus();
    if (!count_ && done < wanted) {
        count_ = position_;
        header_.shape = {position_};
        header_.open_ended = false;
    }
    convert(buffer, done);
    return done;
}

std::size_t array_reader::read_at(std::uint64_t index, void* buffer, std::size_t elements) const {
    const std::uint64_t left = *count_ - std::min(*count_, index);
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(elements, left));
    const std::size_t bytes =
        source_.read_at(data_offset_ + index * item_bytes_, buffer, wanted * item_bytes_);
    // The file has shrunk since it was opened.
    if (bytes != wanted * item_bytes_) fail_truncated(index * item_bytes_ + bytes);
    convert(buffer, wanted);
    return wanted;
}

void array_reader::convert(void* buffer, std::size_t elements) const {
    if (header_.order != std::endian::native) reverse_byte_order(buffer, elements, header_.type);
    if (header_.type == registry::dtype::bool8) {
        auto* bytes = static_cast<unsigned char*>(buffer);
        for (std::size_t i = 0; i < elements; ++i) bytes[i] = bytes[i] != 0;
    }
}

std::span<const std::byte> array_reader::map() {
    if (!count_ || header_.order != std::endian::native || header_.type == registry::dtype::bool8) return {};
    const auto all = source_.map();
    if (all.size() < data_offset_ + expected_bytes()) return {};
    const auto data = all.subspan(data_offset_, expected_bytes());
    const std::size_t alignment = registry::is_complex_type(header_.type) ? item_bytes_ / 2 : item_bytes_;
    return reinterpret_cast<std::uintptr_t>(data.data()) % alignment == 0 ? data
                                                                          : std::span<const std::byte>{};
}

array_writer::array_writer(output_file& output, array_header header, header_text text)
    : output_(output), header_(std::move(header)), text_(text), item_bytes_(registry::size_of(header_.type)) {
    if (header_.open_ended) {
        header_.shape = {0};
        if (text_ != nullptr && !output_.seekable()) {
            fail(output_.name(),
                 "a header needs the number of elements first, which is unknown here; "
                 "write to a file, or without a header");
        }
    } else {
        count_ = element_count(header_, output_.name());
    }
    if (text_ != nullptr) {
        const std::string bytes = text_(header_);
        data_offset_ = bytes.size();
        output_.write(bytes);
    }
}

void array_writer::check_room(std::uint64_t index, std::size_t count) const {
    if (header_.open_ended || (index <= count_ && count <= count_ - index)) return;
    throw_error(errc::invalid_argument, fmt::format("{}: elements {} to {} do not fit in an array of {}",
                                                    output_.name(), index, index + count, count_));
}

// Calls put(bytes, elements before them, size) once for data in native byte order, otherwise a block at a
// time.
template <class Put>
void array_writer::in_file_order(const void* elements, std::size_t count, Put put) const {
    const auto* data = static_cast<const std::byte*>(elements);
    if (header_.order == std::endian::native) return put(data, 0, count * item_bytes_);
    constexpr std::size_t block_bytes = std::size_t{64} << 10;
    std::vector<std::byte> block(std::min(block_bytes, count * item_bytes_));
    const std::size_t step = block_bytes / item_bytes_;
    for (std::size_t done = 0; done < count; done += step) {
        const std::size_t taken = std::min(step, count - done);
        std::memcpy(block.data(), data + done * item_bytes_, taken * item_bytes_);
        reverse_byte_order(block.data(), taken, header_.type);
        put(block.data(), done, taken * item_bytes_);
    }
}

void array_writer::write(const void* elements, std::size_t count) {
    if (count == 0) return;
    check_room(written_, count);
    in_file_order(elements, count,
                  [&](const std::byte* data, std::size_t, std::size_t bytes) { output_.write(data, bytes); });
    written_ += count;
}

void array_writer::write_at(std::uint64_t index, const void* elements, std::size_t count) {
    if (count == 0) return;
    check_room(index, count);
    in_file_order(elements, count, [&](const std::byte* data, std::size_t before, std::size_t bytes) {
        output_.write_at(data_offset_ + (index + before) * item_bytes_, data, bytes);
    });
    written_ += count;
}

void array_writer::finish() {
    output_.flush();
    if (header_.open_ended) {
        header_.open_ended = false;
        header_.shape = {written_};
        if (text_ == nullptr) return;
        const std::string bytes = text_(header_);
        if (bytes.size() != data_offset_) fail(output_.name(), "the length does not fit into the header");
        output_.write_at(0, bytes.data(), bytes.size());
    } else if (written_ != count_) {
        throw_error(errc::invalid_argument, fmt::format("{}: {} elements of {} were written", output_.name(),
                                                        written_.load(), count_));
    }
}

}  // namespace upsweep::cli
