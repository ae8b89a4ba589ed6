// Scratch memory on POSIX.
#include "cli/scratch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <vector>

#include "cli/io/message.hpp"

namespace upsweep::cli {
namespace {

std::size_t half_of_memory() {
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const long page = ::sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page <= 0) return std::size_t{1} << 30;
    return static_cast<std::size_t>(pages) / 2 * static_cast<std::size_t>(page);
}

std::string folder_of(const std::string& beside) {
    if (beside == "-") {
        const char* folder = std::getenv("TMPDIR");
        return folder != nullptr && *folder != '\0' ? folder : "/tmp";
    }
    const std::size_t slash = beside.rfind('/');
    return slash == std::string::npos ? "." : beside.substr(0, slash + 1);
}

// A file that is gone when it is closed, with its blocks reserved so that writing cannot find the disk full.
int open_nameless(const std::string& folder, std::size_t bytes) {
    const std::string pattern = folder + "/.upsweep-scratch-XXXXXX";
    std::vector<char> name(pattern.begin(), pattern.end());
    name.push_back('\0');
    const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor < 0) fail_errno(folder, "no scratch file can be made here", errno);
    ::unlink(name.data());
    const int problem = ::posix_fallocate(descriptor, 0, static_cast<off_t>(bytes));
    if (problem != 0) {
        ::close(descriptor);
        fail_errno(folder, fmt::format("no room for a scratch file of {} bytes", bytes), problem);
    }
    return descriptor;
}

}  // namespace

scratch_memory::scratch_memory(std::size_t bytes, const std::string& beside)
    : scratch_memory(bytes, beside, half_of_memory()) {}

scratch_memory::scratch_memory(std::size_t bytes, const std::string& beside, std::size_t most_in_memory)
    : bytes_(std::max<std::size_t>(bytes, 1)) {
    const bool in_memory = bytes_ <= most_in_memory;
    const int descriptor = in_memory ? -1 : open_nameless(folder_of(beside), bytes_);
    const int flags = in_memory ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    void* const mapped = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, flags, descriptor, 0);
    const int problem = errno;
    if (descriptor >= 0) ::close(descriptor);
    if (mapped == MAP_FAILED) {
        throw_error(errc::out_of_memory,
                    fmt::format("{} bytes of memory are not to be had: {}", bytes_, system_message(problem)));
    }
    memory_ = mapped;
#if defined(MADV_HUGEPAGE)
    if (in_memory) ::madvise(memory_, bytes_, MADV_HUGEPAGE);
#endif
}

scratch_memory::~scratch_memory() { ::munmap(memory_, bytes_); }

}  // namespace upsweep::cli
