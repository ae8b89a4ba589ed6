// Atomic output on POSIX: temporary file, rename, and clean-up on errors and signals.
#include "cli/io/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "cli/io/message.hpp"
#include "cli/io/open_descriptor.hpp"

namespace upsweep::cli {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{256} << 10;

// Names of the temporary files that exist now, in static memory so that a signal handler may read them. A
// slot is filled before its file is created and cleared after the file is renamed or removed.
struct cleanup_slot {
    enum state : int { free, filling, live };
    std::atomic<int> state = free;
    char path[PATH_MAX] = {};
};
static_assert(std::atomic<int>::is_always_lock_free);
std::array<cleanup_slot, 16> cleanup_slots;
constexpr std::array handled_signals = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

// A second signal may come at once, to another thread of the process: it removes what is left too, for the
// default action is put back, not on entry, but when all is removed.
extern "C" void remove_temporaries_and_die(int signal) {
    for (cleanup_slot& slot : cleanup_slots) {
        if (slot.state.load(std::memory_order_acquire) == cleanup_slot::live) ::unlink(slot.path);
    }
    static_cast<void>(std::signal(signal, SIG_DFL));
    ::raise(signal);  // is delivered on return from here
}

void install_handlers() {
    static std::once_flag once;
    std::call_once(once, [] {
        for (const int signal : handled_signals) {
            struct sigaction current = {};
            if (::sigaction(signal, nullptr, &current) != 0) continue;
            if ((current.sa_flags & SA_SIGINFO) != 0 || current.sa_handler != SIG_DFL) continue;
            struct sigaction action = {};
            action.sa_handler = remove_temporaries_and_die;
            ::sigemptyset(&action.sa_mask);
            ::sigaction(signal, &action, nullptr);
        }
    });
}

// -1 when the table is full or the name too long: the file is then not removed on a signal.
int claim_slot(const std::string& path) {
    if (path.size() >= PATH_MAX) return -1;
    for (std::size_t i = 0; i < cleanup_slots.size(); ++i) {
        int expected = cleanup_slot::free;
        if (!cleanup_slots[i].state.compare_exchange_strong(expected, cleanup_slot::filling)) continue;
        std::memcpy(cleanup_slots[i].path, path.c_str(), path.size() + 1);
        cleanup_slots[i].state.store(cleanup_slot::live, std::memory_order_release);
        return static_cast<int>(i);
    }
    return -1;
}

void clear_slot(int slot) noexcept {
    if (slot >= 0) cleanup_slots[static_cast<std::size_t>(slot)].state.store(cleanup_slot::free);
}

std::string temporary_name(const std::string& target) {
    std::uint64_t random = 0;
    if (::getrandom(&random, sizeof random, GRND_NONBLOCK) != static_cast<ssize_t>(sizeof random)) {
        struct timespec now = {};
        ::clock_gettime(CLOCK_REALTIME, &now);
        random = static_cast<std::uint64_t>(now.tv_nsec) * 0x9e3779b97f4a7c15u ^
                 static_cast<std::uint64_t>(::getpid());
    }
    const std::size_t slash = target.rfind('/');
    const std::string directory = slash == std::string::npos ? "" : target.substr(0, slash + 1);
    return fmt::format("{}.upsweep-{:016x}.tmp", directory, random);
}

void refuse_inputs(const std::string& name, const struct stat& status,
                   std::span<const file_identity> inputs) {
    if (!S_ISREG(status.st_mode)) return;
    const file_identity own{status.st_dev, status.st_ino};
    if (std::find(inputs.begin(), inputs.end(), own) != inputs.end()) {
        fail(name, "is the input too; write to another file");
    }
}

}  // namespace

bool is_written_directly(const std::string& path) {
    struct stat status = {};
    return descriptor_of(path) || (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode));
}

output_file::output_file(const std::string& path, std::span<const file_identity> inputs) : name_(path) {
    struct stat status = {};
    if (path == "-") name_ = "standard output";
    if (const auto open = descriptor_of(path)) {
        descriptor_ = *open;
        // What this process has opened itself is closed when it starts another, and is not meant.
        const int flags = ::fcntl(descriptor_, F_GETFD);
        if (flags < 0 || (flags & FD_CLOEXEC) != 0) fail_writing(EBADF);
        if (::fstat(descriptor_, &status) != 0) fail_writing(errno);
        refuse_inputs(name_, status, inputs);
        return;
    }
    if (path.empty()) fail("output", "the file name is empty");
    target_ = path;
    if (::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode)) {
        char* resolved = ::realpath(path.c_str(), nullptr);
        if (resolved == nullptr) fail_errno(name_, "symbolic link leads nowhere", errno);
        target_ = resolved;
        std::free(resolved);
    }
    if (::stat(target_.c_str(), &status) != 0) {
        if (errno != ENOENT) fail_errno(name_, "cannot be written", errno);
        if (target_.back() == '/') fail(name_, "is not a file name");
        open_temporary(0666, false);
        return;
    }
    if (S_ISDIR(status.st_mode)) fail(name_, "is a directory");
    refuse_inputs(name_, status, inputs);
    if (S_ISREG(status.st_mode)) {
        if (::access(target_.c_str(), W_OK) != 0) fail_errno(name_, "cannot be written", errno);
        open_temporary(status.st_mode & 0777u, true);
        return;
    }
    do descriptor_ = ::open(target_.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
    while (descriptor_ < 0 && errno == EINTR);
    if (descriptor_ < 0) fail_errno(name_, "cannot be written", errno);
    owned_ = true;
}

void output_file::open_temporary(unsigned mode, bool keep_mode) {
    install_handlers();
    for (int attempt = 0; descriptor_ < 0; ++attempt) {
        temporary_ = temporary_name(target_);
        slot_ = claim_slot(temporary_);
        descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (descriptor_ >= 0) break;
        const int reason = errno;
        clear_slot(slot_);
        temporary_.clear();
        if (reason == EINTR || (reason == EEXIST && attempt < 100)) continue;
        fail_errno(name_,
                   keep_mode ? "cannot be replaced, for nothing can be created in its directory"
                             : "cannot be created",
                   reason);
    }
    owned_ = true;
    if (keep_mode && ::fchmod(descriptor_, mode) != 0) {
        const int reason = errno;
        discard();
        fail_errno(name_, "its mode cannot be kept", reason);
    }
}

output_file::~output_file() { discard(); }

void output_file::discard() noexcept {
    if (owned_) ::close(descriptor_);
    owned_ = false;
    descriptor_ = -1;
    if (!temporary_.empty()) {
        ::unlink(temporary_.c_str());
        temporary_.clear();
    }
    clear_slot(slot_);
    slot_ = -1;
}

void output_file::fail_writing(int error_number) const {
    fail_errno(name_, "cannot be written", error_number);
}

void output_file::write(const void* data, std::size_t bytes) {
    if (buffer_.size() + bytes > buffer_bytes) flush();
    if (bytes >= buffer_bytes) return write_through(data, bytes);
    if (buffer_.capacity() == 0) buffer_.reserve(buffer_bytes);
    const auto* first = static_cast<const char*>(data);
    buffer_.insert(buffer_.end(), first, first + bytes);
}

void output_file::flush() {
    if (buffer_.empty()) return;
    write_through(buffer_.data(), buffer_.size());
    buffer_.clear();
}

void output_file::write_through(const void* data, std::size_t bytes) {
    if (seekable()) {
        write_at(appended_, data, bytes);
        appended_ += bytes;
        return;
    }
    for (std::size_t done = 0; done < bytes;) {
        const ssize_t put = ::write(descriptor_, static_cast<const char*>(data) + done, bytes - done);
        if (put > 0) done += static_cast<std::size_t>(put);
        if (put < 0 && errno != EINTR) fail_writing(errno);
    }
}

void output_file::write_at(std::uint64_t offset, const void* data, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes;) {
        const ssize_t put = ::pwrite(descriptor_, static_cast<const char*>(data) + done, bytes - done,
                                     static_cast<off_t>(offset + done));
        if (put > 0) done += static_cast<std::size_t>(put);
        if (put < 0 && errno != EINTR) fail_writing(errno);
    }
}

void output_file::commit() {
    flush();
    if (owned_) {
        owned_ = false;
        if (::close(descriptor_) != 0 && errno != EINTR) fail_writing(errno);
    }
    descriptor_ = -1;
    if (!temporary_.empty()) {
        if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail_writing(errno);
        temporary_.clear();
    }
    clear_slot(slot_);
    slot_ = -1;
}

}  // namespace upsweep::cli
