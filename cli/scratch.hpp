// Memory for what must be there as a whole: from the machine's own while it is less than half of it,
// otherwise a file without a name, mapped, so that the system may move it to disk.
#pragma once

#include <cstddef>
#include <string>

namespace upsweep::cli {

class scratch_memory {
  public:
    // `beside` is the file next to which a large one is laid; "-" takes TMPDIR. Throws upsweep::error when
    // neither memory nor disk has room.
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

}  // namespace upsweep::cli
