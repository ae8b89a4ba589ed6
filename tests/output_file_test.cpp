// Output appears whole or not at all: replacement, modes, refusals, full disks, exceptions and signals.
#include "cli/io/output_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "support/scratch_directory.hpp"
#include "upsweep/error.hpp"

namespace {

namespace fs = std::filesystem;
using upsweep::cli::byte_source;
using upsweep::cli::file_identity;
using upsweep::cli::output_file;

using output_file_test = scratch_test;

unsigned mode_of(const fs::path& path) {
    struct stat status = {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_mode & 07777u;
}

std::size_t entries(const fs::path& directory) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

// Runs `body` in a child process and returns how it ended.
template <class Body>
int in_child(Body body) {
    const pid_t child = ::fork();
    if (child == 0) {
        body();
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
}

TEST_F(output_file_test, appears_only_with_commit) {
    const std::string path = file("out.bin");
    {
        output_file output(path);
        output.write("hello");
        output.flush();
        EXPECT_FALSE(fs::exists(path));
        EXPECT_EQ(entries(directory()), 1u);
        output.commit();
    }
    EXPECT_EQ(contents(path), "hello");
    EXPECT_EQ(entries(directory()), 1u);
}

TEST_F(output_file_test, an_exception_leaves_the_old_output) {
    const std::string path = put("out.bin", "old");
    try {
        output_file output(path);
        output.write("new");
        output.flush();
        throw 1;
    } catch (int) {
    }
    EXPECT_EQ(contents(path), "old");
    EXPECT_EQ(entries(directory()), 1u);
}

TEST_F(output_file_test, large_and_small_writes_keep_their_order) {
    const std::string path = file("out.bin");
    std::string expected;
    output_file output(path);
    for (const std::size_t size : {1u, 300000u, 7u, 262144u, 262143u, 2u, 0u, 100000u}) {
        const std::string part(size, static_cast<char>('a' + expected.size() % 26));
        output.write(part);
        expected += part;
    }
    ASSERT_TRUE(output.seekable());
    output.flush();
    output.write_at(2, "XY", 2);
    expected.replace(2, 2, "XY");
    output.commit();
    EXPECT_TRUE(contents(path) == expected);
}

TEST_F(output_file_test, a_new_file_follows_the_umask_and_a_replaced_one_keeps_its_mode) {
    const mode_t before = ::umask(027);
    const std::string fresh = file("fresh");
    const std::string kept = put("kept", "old");
    fs::permissions(kept, fs::perms(0604));
    for (const std::string& path : {fresh, kept}) {
        output_file output(path);
        output.write("x");
        output.commit();
    }
    ::umask(before);
    EXPECT_EQ(mode_of(fresh), 0640u);
    EXPECT_EQ(mode_of(kept), 0604u);
}

TEST_F(output_file_test, refuses_what_cannot_be_written) {
    expect_error([&] { output_file output(directory().string()); },
                 directory().string() + ": is a directory");
    expect_error([&] { output_file output(file("missing/out")); },
                 file("missing/out") + ": cannot be created: No such file or directory");
    expect_error([&] { output_file output(put("plain", "") + "/out"); },
                 file("plain/out") + ": cannot be written: Not a directory");
    fs::create_symlink("nowhere", file("dangling"));
    expect_error([&] { output_file output(file("dangling")); },
                 file("dangling") + ": symbolic link leads nowhere: No such file or directory");
}

// What is replaced may be written itself, but not the directory for what takes its place.
TEST_F(output_file_test, tells_that_a_directory_cannot_be_written) {
    const std::string path = put("out.bin", "old");
    fs::permissions(path, fs::perms(0666));
    fs::permissions(directory(), fs::perms(0555));
    const int status = in_child([&] {
        if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(44);
        try {
            output_file output(path);
        } catch (const upsweep::error& e) {
            ::_exit(std::string(e.what()) == path +
                                                 ": cannot be replaced, for nothing can be created in its "
                                                 "directory: Permission denied"
                        ? 42
                        : 43);
        }
    });
    fs::permissions(directory(), fs::perms(0755));
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == 44) GTEST_SKIP() << "root, who may write anywhere, can be nobody else here";
    EXPECT_EQ(WEXITSTATUS(status), 42);
    EXPECT_EQ(contents(path), "old");
}

TEST_F(output_file_test, refuses_its_own_input_under_any_name) {
    const std::string path = put("data", "12345678");
    fs::create_hard_link(path, file("hard"));
    fs::create_symlink(path, file("soft"));
    const byte_source input = byte_source::open(path);
    const file_identity inputs[] = {*input.identity()};
    for (const std::string& name :
         {path, file("hard"), file("soft"), (directory() / "." / "data").string()}) {
        expect_error([&] { output_file output(name, inputs); },
                     name + ": is the input too; write to another file");
    }
    EXPECT_EQ(contents(path), "12345678");
    output_file other(file("other"), inputs);
    other.commit();
}

TEST_F(output_file_test, follows_symbolic_links) {
    const std::string path = put("data", "old");
    fs::create_symlink("data", file("link"));
    output_file output(file("link"));
    output.write("new");
    output.commit();
    EXPECT_TRUE(fs::is_symlink(file("link")));
    EXPECT_EQ(contents(path), "new");
}

TEST_F(output_file_test, devices_are_written_directly) {
    output_file null("/dev/null");
    EXPECT_FALSE(null.seekable());
    null.write(std::string(1 << 20, 'x'));
    null.commit();
    struct stat status = {};
    ASSERT_EQ(::stat("/dev/null", &status), 0);
    EXPECT_TRUE(S_ISCHR(status.st_mode));

    output_file full("/dev/full");
    full.write("x");
    expect_error([&] { full.commit(); }, "/dev/full: cannot be written: No space left on device");
}

TEST_F(output_file_test, pipes_are_written_directly) {
    ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
    std::string received;
    std::thread reader([&] { received = contents(file("pipe")); });
    output_file output(file("pipe"));
    output.write("through");
    output.commit();
    reader.join();
    EXPECT_EQ(received, "through");
    EXPECT_TRUE(fs::is_fifo(file("pipe")));
}

TEST_F(output_file_test, a_full_disk_is_an_error_and_leaves_the_old_output) {
    const std::string path = put("out.bin", "old");
    const int status = in_child([&] {
        ::signal(SIGXFSZ, SIG_IGN);  // the limit then reads as an error of write
        const rlimit limit = {1000, 1000};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        try {
            output_file output(path);
            output.write(std::string(5000, 'x'));
            output.commit();
        } catch (const upsweep::error& e) {
            ::_exit(std::string(e.what()) == path + ": cannot be written: File too large" ? 42 : 43);
        }
    });
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 42);
    EXPECT_EQ(contents(path), "old");
    EXPECT_EQ(entries(directory()), 1u);
}

TEST_F(output_file_test, signals_remove_the_temporary_file) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
        const std::string path = put("out.bin", "old");
        const int status = in_child([&] {
            output_file first(path);
            output_file second(file("another"));
            first.write("new");
            first.flush();
            ::raise(signal);
        });
        ASSERT_TRUE(WIFSIGNALED(status)) << signal;
        EXPECT_EQ(WTERMSIG(status), signal);
        EXPECT_EQ(contents(path), "old");
        EXPECT_EQ(entries(directory()), 1u) << signal;
    }
}

// As when Ctrl-C is pressed twice. The second signal does not cut off what the first one has to do, which
// takes its time where names are long.
TEST_F(output_file_test, signals_to_two_threads_remove_every_temporary_file) {
    std::string far = directory();
    for (int k = 0; k < 1500; ++k) far += "/.";
    for (int round = 0; round < 10; ++round) {
        const int status = in_child([&] {
            std::vector<std::unique_ptr<output_file>> outputs;
            outputs.reserve(16);
            for (int k = 0; k < 16; ++k)
                outputs.push_back(std::make_unique<output_file>(far + "/" + std::to_string(k)));
            std::thread([caller = ::pthread_self()] {
                ::pthread_kill(caller, SIGINT);
                ::raise(SIGINT);
            }).join();
        });
        ASSERT_TRUE(WIFSIGNALED(status)) << round;
        EXPECT_EQ(WTERMSIG(status), SIGINT);
        ASSERT_EQ(entries(directory()), 0u) << round;
    }
}

TEST_F(output_file_test, ignored_signals_stay_ignored) {
    const std::string path = file("out.bin");
    const int status = in_child([&] {
        ::signal(SIGHUP, SIG_IGN);
        output_file output(path);
        output.write("survived");
        ::raise(SIGHUP);
        output.commit();
    });
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(contents(path), "survived");
}

TEST_F(output_file_test, sources_without_a_size_are_read_to_their_end) {
    if (!fs::exists("/proc/version")) GTEST_SKIP() << "no /proc";
    const std::string words = contents("/proc/version");
    ASSERT_NE(words, "");
    byte_source source = byte_source::open("/proc/version");
    EXPECT_FALSE(source.seekable());
    std::string read(words.size() + 10, '\0');
    read.resize(source.read(read.data(), read.size()));
    EXPECT_EQ(read, words);
    EXPECT_EQ(byte_source::open(put("empty", "")).size(), 0u);
}

TEST_F(output_file_test, sources_refuse_directories_and_missing_files) {
    expect_error([&] { byte_source::open(directory().string()); }, directory().string() + ": is a directory");
    expect_error([&] { byte_source::open(file("none")); },
                 file("none") + ": cannot be opened: No such file or directory");
}

}  // namespace
