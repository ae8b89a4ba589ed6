// Arrays as streams of elements: what .npy and raw files have in common once the header is understood. Counts
// and offsets are 64-bit; memory use does not depend on the size of the file.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/io/byte_sink.hpp"
#include "cli/io/byte_source.hpp"
#include "cli/io/output_file.hpp"
#include "registry/dtype.hpp"

namespace upsweep::cli {

struct array_header {
    registry::dtype type = registry::dtype::float64;
    std::endian order = std::endian::native;  // of the elements in the file
    std::vector<std::uint64_t> shape;         // empty: a single element, 0-d
    bool fortran_order = false;               // the first axis varies fastest
    bool open_ended = false;  // 1-d, length known only at the end of the data; shape is ignored
};

// Elements in `shape`. Checked: the bytes of all axes that are not 0 fit in 63 bits, otherwise upsweep::error
// with `file` in front.
[[nodiscard]] std::uint64_t element_count(const array_header& header, const std::string& file);

class array_reader {
  public:
    // Elements start `data_offset` bytes after the first byte of the source. Where the size is known, it must
    // be that of the header exactly: missing and surplus bytes are errors.
    array_reader(byte_source source, array_header header, std::uint64_t data_offset);

    [[nodiscard]] const array_header& header() const { return header_; }
    [[nodiscard]] const byte_source& source() const { return source_; }
    // Nothing while an open-ended stream has not ended.
    [[nodiscard]] std::optional<std::uint64_t> count() const { return count_; }
    // Whether seek_element, read_at and map work: regular files and memory.
    [[nodiscard]] bool seekable() const { return source_.seekable(); }

    // Reads up to `elements` elements in native byte order (bool as 0 or 1) and returns how many: fewer only
    // at the end. Throws when the data stops before the header's count or goes on after it.
    std::size_t read(void* buffer, std::size_t elements);
    // The same from element `index` on, leaving the position alone. Safe from several threads.
    std::size_t read_at(std::uint64_t index, void* buffer, std::size_t elements) const;
    void seek_element(std::uint64_t index) { position_ = index; }
    // All elements as they lie in the file; empty unless they can be used as they are (native byte order,
    // aligned, not bool). Holds while the reader lives.
    std::span<const std::byte> map();

  private:
    [[nodiscard]] std::uint64_t expected_bytes() const { return *count_ * item_bytes_; }
    [[noreturn]] void fail_truncated(std::uint64_t found_bytes) const;
    // Of a source whose size is not known, once all elements are read.
    void refuse_surplus();
    void convert(void* buffer, std::size_t elements) const;

    byte_source source_;
    array_header header_;
    std::uint64_t data_offset_;
    std::size_t item_bytes_;
    std::optional<std::uint64_t> count_;
    std::uint64_t position_ = 0;  // element that read() delivers next
};

class array_writer {
  public:
    using header_text = std::string (*)(const array_header&);
    // Writes the header that `text` makes (none for null). An open-ended array with a header needs an output
    // that is seekable: its length is filled in by finish().
    array_writer(output_file& output, array_header header, header_text text);

    [[nodiscard]] const array_header& header() const { return header_; }
    [[nodiscard]] bool seekable() const { return output_.seekable(); }

    // Appends elements, given in native byte order.
    void write(const void* elements, std::size_t count);
    // Writes elements from `index` on, for results that come from the end; needs seekable(). Safe from
    // several threads, but not beside write(). Each element is to be written once.
    void write_at(std::uint64_t index, const void* elements, std::size_t count);
    // Checks that as many elements as the header says were written. output_file::commit() is left to the
    // caller.
    void finish();

  private:
    void check_room(std::uint64_t index, std::size_t count) const;
    template <class Put>
    void in_file_order(const void* elements, std::size_t count, Put put) const;

    output_file& output_;
    array_header header_;
    header_text text_;
    std::size_t item_bytes_;
    std::uint64_t data_offset_ = 0;
    std::uint64_t count_ = 0;  // of the header
    std::atomic<std::uint64_t> written_ = 0;
};

// The bytes of whole elements, in native byte order, appended to an array.
class element_sink final : public byte_sink {
  public:
    explicit element_sink(array_writer& writer)
        : writer_(writer), size_(registry::size_of(writer.header().type)) {}
    void write(const void* data, std::size_t bytes) override { writer_.write(data, bytes / size_); }

  private:
    array_writer& writer_;
    std::size_t size_;
};

}  // namespace upsweep::cli
