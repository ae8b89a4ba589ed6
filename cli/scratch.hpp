// Room for what cannot be written yet, in memory or in files without a name: as a whole
// (scratch_memory), as a stream (scratch_stream), or in pieces that are read where one likes (scratch_file).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/io/byte_sink.hpp"

namespace upsweep::cli {

// Memory for what must be there as a whole: the machine's own while it is less than half of it, otherwise a
// file, mapped, so that the system may move it to disk.
class scratch_memory {
  public:
    // `beside` is the file next to which a large one is laid; what is written directly, as "-" is, takes
    // TMPDIR. Throws upsweep::error when neither memory nor disk has room.
    scratch_memory(std::size_t bytes, const std::string& beside);
    // The same with a limit of one's own for what comes from memory.
    scratch_memory(std::size_t bytes, const std::string& beside, std::size_t most_in_memory);
    scratch_memory(const scratch_memory&) = delete;
    scratch_memory& operator=(const scratch_memory&) = delete;
    ~scratch_memory();

    // Page-aligned; zero.
    [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(memory_); }

  private:
    std::size_t bytes_;
    void* memory_ = nullptr;
};

// A file without a name, which is gone when it is closed. Every failure throws upsweep::error with its folder
// and the reason.
class scratch_file {
  public:
    // `beside` as in scratch_memory.
    explicit scratch_file(const std::string& beside);
    scratch_file(const scratch_file&) = delete;
    scratch_file& operator=(const scratch_file&) = delete;
    ~scratch_file();

    void write_at(std::uint64_t offset, const void* data, std::size_t bytes);
    // All of them must have been written.
    void read_at(std::uint64_t offset, void* data, std::size_t bytes) const;
    // Hints: that bytes will be read next, and that they are read no more, so that the disk has their room
    // again (where it can).
    void will_read(std::uint64_t offset, std::uint64_t bytes) const;
    void forget(std::uint64_t offset, std::uint64_t bytes) const;
    // Throws where the disk has less room than that.
    void expect_room(std::uint64_t bytes) const;

  private:
    std::string folder_;
    int descriptor_;
};

// Bytes that are set aside and read again from the first on: in memory up to a limit, beyond it in a file.
class scratch_stream final : public byte_sink {
  public:
    // `beside` as in scratch_memory.
    scratch_stream(std::string beside, std::size_t most_in_memory)
        : beside_(std::move(beside)), most_in_memory_(most_in_memory) {}
    scratch_stream(const scratch_stream&) = delete;
    scratch_stream& operator=(const scratch_stream&) = delete;

    void write(const void* data, std::size_t bytes) override;
    using byte_sink::write;
    [[nodiscard]] std::uint64_t size() const { return filed_ + held_.size(); }
    // Bytes from `offset` on, which must have been written.
    void read_at(std::uint64_t offset, void* data, std::size_t bytes) const;
    // Writes all of it to `to`. What was written in multiples of 16 bytes or of a divisor of 16 is passed on
    // in such multiples.
    void send(byte_sink& to);

  private:
    void move_to_file();

    std::string beside_;
    std::size_t most_in_memory_;
    std::vector<std::byte> held_;  // behind what is in the file
    std::optional<scratch_file> file_;
    std::uint64_t filed_ = 0;
};

}  // namespace upsweep::cli
