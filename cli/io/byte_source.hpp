// Where bytes come from: a file, standard input or memory, behind one small interface. Unbuffered; counts and
// offsets are 64-bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <sys/types.h>

namespace upsweep::cli {

// Tells whether two names mean the same file.
struct file_identity {
    dev_t device;
    ino_t inode;
    friend bool operator==(const file_identity&, const file_identity&) = default;
};

// For messages: the path, or "standard input" for -.
[[nodiscard]] std::string source_words(const std::string& path);

class byte_source {
  public:
    // "-" is standard input. Throws upsweep::error naming the file when it cannot be opened or is a
    // directory.
    static byte_source open(const std::string& path);
    // `bytes` must outlive the source.
    static byte_source from_memory(std::span<const std::byte> bytes, std::string name);

    byte_source(byte_source&& other) noexcept;
    byte_source& operator=(byte_source&& other) noexcept;
    ~byte_source();

    // Those of source_words().
    [[nodiscard]] const std::string& name() const { return name_; }
    // Bytes from the first to the end, known for memory and for regular files (a redirected standard input
    // too) but those that the system makes up as they are read.
    [[nodiscard]] std::optional<std::uint64_t> size() const { return size_; }
    [[nodiscard]] bool seekable() const { return size_.has_value(); }
    // Nothing for what is not a regular file.
    [[nodiscard]] std::optional<file_identity> identity() const { return identity_; }

    // Reads from the current position until `count` bytes are there or the data ends; returns how many.
    std::size_t read(void* buffer, std::size_t count);
    // The same from `offset`, leaving the current position alone; needs seekable(). Safe from several
    // threads.
    std::size_t read_at(std::uint64_t offset, void* buffer, std::size_t count) const;
    // Needs seekable().
    void seek(std::uint64_t offset) { position_ = offset; }

    // All bytes, mapped read-only for the life of the source; empty when that is impossible. A file that
    // another process shortens meanwhile raises SIGBUS on access, as with any mapping.
    std::span<const std::byte> map();

  private:
    byte_source() = default;
    void release() noexcept;

    std::string name_;
    int descriptor_ = -1;
    bool owned_ = false;
    std::uint64_t base_ = 0;      // offset of the first byte in the file: standard input may start further on
    std::uint64_t position_ = 0;  // of the next read, relative to base_; seekable sources only
    std::optional<std::uint64_t> size_;
    std::optional<file_identity> identity_;
    std::span<const std::byte> memory_;
    void* mapping_ = nullptr;
    std::size_t mapping_size_ = 0;
};

}  // namespace upsweep::cli
