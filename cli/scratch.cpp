// Scratch memory, files and streams on POSIX.
#include "cli/scratch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include "cli/io/message.hpp"
#include "cli/io/output_file.hpp"
#include "cli/memory.hpp"
#include "cli/progress.hpp"

namespace upsweep::cli {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20;  // read from a file at a time

std::string folder_of(const std::string& beside) {
    if (is_written_directly(beside)) {
        const char* folder = std::getenv("TMPDIR");
        return folder != nullptr && *folder != '\0' ? folder : "/tmp";
    }
    // Where a link leads, which is where the output will be.
    std::error_code problem;
    const bool is_link = std::filesystem::is_symlink(beside, problem);
    const auto end = is_link ? std::filesystem::canonical(beside, problem) : std::filesystem::path(beside);
    const std::string target = problem ? beside : end.string();
    const std::size_t slash = target.rfind('/');
    return slash == std::string::npos ? "." : target.substr(0, slash + 1);
}

// A file that is gone when it is closed.
int open_nameless(const std::string& folder) {
    const std::string pattern = folder + "/.upsweep-scratch-XXXXXX";
    std::vector<char> name(pattern.begin(), pattern.end());
    name.push_back('\0');
    const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor < 0) fail_errno(folder, "no scratch file can be made here", errno);
    ::unlink(name.data());
    return descriptor;
}

// With its blocks reserved, so that writing cannot find the disk full.
int open_reserved(const std::string& folder, std::size_t bytes) {
    const int descriptor = open_nameless(folder);
    const int problem = ::posix_fallocate(descriptor, 0, static_cast<off_t>(bytes));
    if (problem != 0) {
        ::close(descriptor);
        fail_errno(folder, fmt::format("no room for a scratch file of {} bytes", bytes), problem);
    }
    return descriptor;
}

}  // namespace

scratch_memory::scratch_memory(std::size_t bytes, const std::string& beside)
    : scratch_memory(bytes, beside, static_cast<std::size_t>(memory_bytes() / 2)) {}

scratch_memory::scratch_memory(std::size_t bytes, const std::string& beside, std::size_t most_in_memory)
    : bytes_(std::max<std::size_t>(bytes, 1)) {
    const bool in_memory = bytes_ <= most_in_memory;
    const int descriptor = in_memory ? -1 : open_reserved(folder_of(beside), bytes_);
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

scratch_file::scratch_file(const std::string& beside)
    : folder_(folder_of(beside)), descriptor_(open_nameless(folder_)) {}

scratch_file::~scratch_file() { ::close(descriptor_); }

void scratch_file::write_at(std::uint64_t offset, const void* data, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes;) {
        const ssize_t put = ::pwrite(descriptor_, static_cast<const std::byte*>(data) + done, bytes - done,
                                     static_cast<off_t>(offset + done));
        if (put > 0) done += static_cast<std::size_t>(put);
        if (put < 0 && errno != EINTR) fail_errno(folder_, "a scratch file cannot be written here", errno);
    }
}

void scratch_file::read_at(std::uint64_t offset, void* data, std::size_t bytes) const {
    for (std::size_t done = 0; done < bytes;) {
        const ssize_t got = ::pread(descriptor_, static_cast<std::byte*>(data) + done, bytes - done,
                                    static_cast<off_t>(offset + done));
        if (got > 0) done += static_cast<std::size_t>(got);
        if (got == 0 || (got < 0 && errno != EINTR))
            fail_errno(folder_, "a scratch file cannot be read", got == 0 ? EIO : errno);
    }
}

void scratch_file::will_read(std::uint64_t offset, std::uint64_t bytes) const {
    ::posix_fadvise(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(bytes), POSIX_FADV_WILLNEED);
}

void scratch_file::forget(std::uint64_t offset, std::uint64_t bytes) const {
#if defined(FALLOC_FL_PUNCH_HOLE)
    if (bytes != 0)
        ::fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                    static_cast<off_t>(bytes));
#else
    static_cast<void>(offset);
    static_cast<void>(bytes);
#endif
}

void scratch_file::expect_room(std::uint64_t bytes) const {
    struct statvfs disk = {};
    if (::fstatvfs(descriptor_, &disk) != 0) return;
    const std::uint64_t room = std::uint64_t{disk.f_bavail} * disk.f_frsize;
    // A disk that tells of no blocks at all does not count them.
    if (disk.f_blocks == 0 || bytes <= room) return;
    fail(folder_, fmt::format("no room for scratch files of {}: {} are free",
                              bytes_text(static_cast<double>(bytes)), bytes_text(static_cast<double>(room))));
}

void scratch_stream::write(const void* data, std::size_t bytes) {
    const auto* first = static_cast<const std::byte*>(data);
    held_.insert(held_.end(), first, first + bytes);
    if (held_.size() > most_in_memory_) move_to_file();
}

void scratch_stream::move_to_file() {
    if (!file_) file_.emplace(beside_);
    file_->write_at(filed_, held_.data(), held_.size());
    filed_ += held_.size();
    held_.clear();
}

void scratch_stream::read_at(std::uint64_t offset, void* data, std::size_t bytes) const {
    auto* const to = static_cast<std::byte*>(data);
    const auto in_file =
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes, filed_ - std::min(filed_, offset)));
    if (in_file != 0) file_->read_at(offset, to, in_file);
    if (in_file != bytes)
        std::memcpy(to + in_file, held_.data() + (offset + in_file - filed_), bytes - in_file);
}

void scratch_stream::send(byte_sink& to) {
    std::vector<std::byte> piece(static_cast<std::size_t>(std::min<std::uint64_t>(filed_, piece_bytes)));
    for (std::uint64_t sent = 0; sent < filed_;) {
        const std::size_t wanted =
            static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), filed_ - sent));
        file_->read_at(sent, piece.data(), wanted);
        to.write(piece.data(), wanted);
        sent += wanted;
    }
    to.write(held_.data(), held_.size());
}

}  // namespace upsweep::cli
