// An output that appears whole or not at all: written to a temporary file beside its target and renamed over
// it by commit(). Devices, pipes and what is open already, as standard output is, are written directly.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/io/byte_sink.hpp"
#include "cli/io/byte_source.hpp"

namespace upsweep::cli {

// Whether an output of that name has no temporary file beside it.
[[nodiscard]] bool is_written_directly(const std::string& path);

class output_file final : public byte_sink {
  public:
    // "-" is standard output; for what else is open already see descriptor_of(). Refuses a directory, and any
    // file among `inputs`. A new file gets the mode that the umask leaves, a replaced one keeps its mode; a
    // symbolic link is followed. While the temporary file
    // exists, SIGINT, SIGTERM, SIGHUP and SIGPIPE remove it before they end the process (unless the program
    // handles or ignores them itself).
    explicit output_file(const std::string& path, std::span<const file_identity> inputs = {});
    output_file(const output_file&) = delete;
    output_file& operator=(const output_file&) = delete;
    // Without commit(): removes the temporary file and leaves the old output as it was.
    ~output_file();

    // For messages: the path, or "standard output".
    [[nodiscard]] const std::string& name() const { return name_; }
    // Whether write_at() works: true for regular files.
    [[nodiscard]] bool seekable() const { return !temporary_.empty(); }

    // Appends; buffered, 256 KiB. Every failure throws upsweep::error with file and reason.
    void write(const void* data, std::size_t bytes) override;
    using byte_sink::write;
    // Writes at `offset`, unbuffered; needs seekable(). Safe from several threads, but not beside write().
    void write_at(std::uint64_t offset, const void* data, std::size_t bytes);
    void flush();
    // Flushes, closes (errors of close count) and renames. Nothing may be written afterwards.
    void commit();

  private:
    void open_temporary(unsigned mode, bool keep_mode);
    void write_through(const void* data, std::size_t bytes);
    void discard() noexcept;
    [[noreturn]] void fail_writing(int error_number) const;

    std::string name_;
    std::string target_;     // what rename replaces; symbolic links resolved
    std::string temporary_;  // empty: written directly
    int descriptor_ = -1;
    bool owned_ = false;
    int slot_ = -1;  // of the table that the signal handler reads
    std::vector<char> buffer_;
    std::uint64_t appended_ = 0;  // bytes that have left the buffer: where the next flush goes
};

}  // namespace upsweep::cli
