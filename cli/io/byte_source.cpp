// Byte sources on POSIX: read and pread with EINTR and short counts handled in one place.
#include "cli/io/byte_source.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "cli/io/message.hpp"

namespace upsweep::cli {

std::string source_words(const std::string& path) { return path == "-" ? "standard input" : path; }

byte_source byte_source::open(const std::string& path) {
    byte_source source;
    source.name_ = source_words(path);
    if (path == "-") {
        source.descriptor_ = STDIN_FILENO;
    } else {
        do source.descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        while (source.descriptor_ < 0 && errno == EINTR);
        if (source.descriptor_ < 0) fail_errno(path, "cannot be opened", errno);
        source.owned_ = true;
    }
    struct stat status = {};
    if (::fstat(source.descriptor_, &status) != 0) fail_errno(source.name_, "cannot be examined", errno);
    if (S_ISDIR(status.st_mode)) fail(source.name_, "is a directory");
    if (S_ISREG(status.st_mode)) {
        source.identity_ = file_identity{status.st_dev, status.st_ino};
        const off_t start = source.owned_ ? 0 : ::lseek(source.descriptor_, 0, SEEK_CUR);
        // What the kernel writes when it is read, as /proc/version, has no size, and is read to its end like
        // a pipe.
        char first = 0;
        const bool tells_size = status.st_size != 0 || ::pread(source.descriptor_, &first, 1, start) == 0;
        if (start >= 0 && tells_size) {
            source.base_ = static_cast<std::uint64_t>(start);
            source.size_ = static_cast<std::uint64_t>(std::max<off_t>(status.st_size - start, 0));
        }
    }
    return source;
}

byte_source byte_source::from_memory(std::span<const std::byte> bytes, std::string name) {
    byte_source source;
    source.name_ = std::move(name);
    source.memory_ = bytes;
    source.size_ = bytes.size();
    return source;
}

byte_source::byte_source(byte_source&& other) noexcept { *this = std::move(other); }

byte_source& byte_source::operator=(byte_source&& other) noexcept {
    if (this == &other) return *this;
    release();
    name_ = std::move(other.name_);
    descriptor_ = std::exchange(other.descriptor_, -1);
    owned_ = std::exchange(other.owned_, false);
    base_ = other.base_;
    position_ = other.position_;
    size_ = other.size_;
    identity_ = other.identity_;
    memory_ = other.memory_;
    mapping_ = std::exchange(other.mapping_, nullptr);
    mapping_size_ = std::exchange(other.mapping_size_, 0);
    return *this;
}

byte_source::~byte_source() { release(); }

void byte_source::release() noexcept {
    if (mapping_ != nullptr) ::munmap(mapping_, mapping_size_);
    if (owned_) ::close(descriptor_);
}

std::size_t byte_source::read(void* buffer, std::size_t count) {
    if (seekable()) {
        const std::size_t done = read_at(position_, buffer, count);
        position_ += done;
        return done;
    }
    std::size_t done = 0;
    while (done < count) {
        const ssize_t got = ::read(descriptor_, static_cast<char*>(buffer) + done, count - done);
        if (got == 0) break;
        if (got > 0) done += static_cast<std::size_t>(got);
        if (got < 0 && errno != EINTR) fail_errno(name_, "cannot be read", errno);
    }
    return done;
}

std::size_t byte_source::read_at(std::uint64_t offset, void* buffer, std::size_t count) const {
    if (descriptor_ < 0) {
        if (offset >= memory_.size()) return 0;
        const std::size_t taken = std::min<std::uint64_t>(count, memory_.size() - offset);
        if (taken > 0) std::memcpy(buffer, memory_.data() + offset, taken);
        return taken;
    }
    std::size_t done = 0;
    while (done < count) {
        const auto place = static_cast<off_t>(base_ + offset + done);
        const ssize_t got = ::pread(descriptor_, static_cast<char*>(buffer) + done, count - done, place);
        if (got == 0) break;
        if (got > 0) done += static_cast<std::size_t>(got);
        if (got < 0 && errno != EINTR) fail_errno(name_, "cannot be read", errno);
    }
    return done;
}

std::span<const std::byte> byte_source::map() {
    if (descriptor_ < 0) return memory_;
    if (!size_ || *size_ == 0 || base_ != 0 || *size_ > SIZE_MAX) return {};
    if (mapping_ == nullptr) {
        void* address = ::mmap(nullptr, *size_, PROT_READ, MAP_PRIVATE, descriptor_, 0);
        if (address == MAP_FAILED) return {};
        mapping_ = address;
        mapping_size_ = *size_;
    }
    return {static_cast<const std::byte*>(mapping_), mapping_size_};
}

}  // namespace upsweep::cli
