// Runs the command-line tool on files in a folder of the test's own.
#pragma once

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/build.hpp"

namespace upsweep::test {

// An environment in which OpenGL and Vulkan look for their drivers where there are none. `devices` opens and
// measures what it finds, a second for each.
inline constexpr const char* no_drivers =
    "VK_ICD_FILENAMES=/none VK_DRIVER_FILES=/none __EGL_VENDOR_LIBRARY_FILENAMES=/none";

struct outcome {
    int code = -1;
    std::string out;
    std::string words;  // standard error
};

// A test with an empty folder, in which commands run by the shell, with $UPSWEEP as the tool.
class cli_test : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = (std::filesystem::temp_directory_path() / "upsweep-test-XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
        ::setenv("UPSWEEP", UPSWEEP_CLI, 1);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }

    // sh -c `script` in the folder.
    [[nodiscard]] outcome shell(const std::string& script) const {
        // A search for leaks, copies of stack frames and what called each allocation take a third of a start:
        // one in four has them.
        static unsigned starts = 0;
        const std::string settings = address_sanitizer && starts++ % 4 != 0
                                         ? "export ASAN_OPTIONS=\"$ASAN_OPTIONS:detect_leaks=0:"
                                           "detect_stack_use_after_return=0:malloc_context_size=2\"; "
                                         : "";
        const std::string line = "cd '" + folder_ + "' && { " + settings + script + "\n} >'" + folder_ +
                                 "/.out' 2>'" + folder_ + "/.err'";
        outcome result;
        const int status = std::system(line.c_str());
        result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        result.out = read(".out");
        result.words = read(".err");
        return result;
    }
    // The tool with `arguments`, as the shell reads them.
    [[nodiscard]] outcome upsweep(const std::string& arguments, const std::string& environment = {}) const {
        return shell(environment + " \"$UPSWEEP\" " + arguments);
    }
    // The same, which must succeed without a word; returns standard output.
    std::string succeed(const std::string& arguments, const std::string& environment = {}) const {
        const outcome result = upsweep(arguments, environment);
        EXPECT_EQ(result.code, 0) << arguments;
        EXPECT_EQ(result.words, "") << arguments;
        return result.out;
    }
    // The same, which must fail with that code and one line that contains `part`, and print nothing.
    void fail(int code, const std::string& arguments, const std::string& part) const {
        const outcome result = upsweep(arguments);
        EXPECT_EQ(result.code, code) << arguments << "\n" << result.words;
        EXPECT_NE(result.words.find(part), std::string::npos) << arguments << "\n" << result.words;
        EXPECT_EQ(result.words.find('\n'), result.words.size() - 1) << arguments << "\n" << result.words;
        EXPECT_EQ(result.out, "") << arguments;
    }

    // The tool on in.raw, so many bytes of zeros, in small blocks and so many KiB of memory; what it stores
    // as out.raw is of 64-bit numbers, whose bytes are counted and whose last one is printed, as od's `type`
    // has it.
    [[nodiscard]] outcome stream_zeros(std::size_t bytes, std::size_t kibibytes, const std::string& arguments,
                                       const std::string& type) const {
        return shell("head -c " + std::to_string(bytes) + " /dev/zero > in.raw && ulimit -v " +
                     std::to_string(kibibytes) + " && UPSWEEP_BLOCK_BYTES=100000 \"$UPSWEEP\" " + arguments +
                     " -o out.raw && wc -c < out.raw && tail -c 8 out.raw | od -An -t" + type);
    }

    [[nodiscard]] std::string read(const std::string& name) const {
        std::ostringstream bytes;
        bytes << std::ifstream(path(name), std::ios::binary).rdbuf();
        return std::move(bytes).str();
    }
    void write(const std::string& name, const std::string& bytes) const {
        std::ofstream(path(name), std::ios::binary) << bytes;
    }
    [[nodiscard]] bool exists(const std::string& name) const { return std::filesystem::exists(path(name)); }
    // Names in the folder but for those of this class.
    [[nodiscard]] std::vector<std::string> files() const {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
            const std::string name = entry.path().filename().string();
            if (name != ".out" && name != ".err") names.push_back(name);
        }
        std::sort(names.begin(), names.end());
        return names;
    }

  private:
    std::string folder_;
};

// The bytes of elements; in the other byte order, words of `word` bytes are reversed.
template <class T>
std::string bytes_of(const std::vector<T>& elements, std::size_t word = 0) {
    std::string bytes(elements.size() * sizeof(T), '\0');
    if (!elements.empty()) std::memcpy(bytes.data(), static_cast<const void*>(elements.data()), bytes.size());
    for (std::size_t at = 0; word > 1 && at < bytes.size(); at += word)
        std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                     bytes.begin() + static_cast<std::ptrdiff_t>(at + word));
    return bytes;
}
template <class T>
std::vector<T> elements_of(const std::string& bytes) {
    std::vector<T> elements(bytes.size() / sizeof(T));
    if (!elements.empty())
        std::memcpy(static_cast<void*>(elements.data()), bytes.data(), elements.size() * sizeof(T));
    return elements;
}

// A .npy file as NumPy writes it. `shape` is the inside of the brackets: "5," or "2, 3".
inline std::string npy_file(const std::string& descr, const std::string& shape, const std::string& data,
                            bool fortran = false) {
    std::string header = "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
                         ", 'shape': (" + shape + "), }";
    while ((header.size() + 11) % 64 != 0) header += ' ';
    header += '\n';
    std::string file("\x93NUMPY\x01\x00", 8);
    file += static_cast<char>(header.size() & 0xff);
    file += static_cast<char>(header.size() >> 8);
    return file + header + data;
}
// What stands behind the header.
inline std::string npy_data(const std::string& file) {
    if (file.size() < 10) return {};
    const auto byte = [&](std::size_t i) {
        return static_cast<std::size_t>(static_cast<unsigned char>(file[i]));
    };
    return file.substr(10 + byte(8) + 256 * byte(9));
}
inline std::string npy_header(const std::string& file) { return file.substr(10, file.find('}') - 9); }

// `file` must hold one dimension of elements with those bytes.
inline void expect_npy(const std::string& file, const std::string& descr, const std::string& data,
                       std::size_t element_bytes) {
    EXPECT_EQ(npy_header(file), "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" +
                                    std::to_string(data.size() / element_bytes) + ",), }");
    EXPECT_EQ((file.size() - npy_data(file).size()) % 64, 0u);
    EXPECT_TRUE(npy_data(file) == data) << npy_data(file).size() << " and " << data.size() << " bytes";
}
template <class T>
void expect_npy(const std::string& file, const std::string& descr, const std::vector<T>& data) {
    expect_npy(file, descr, bytes_of(data), sizeof(T));
}

}  // namespace upsweep::test
