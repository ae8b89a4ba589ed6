// A directory of its own for each test, removed afterwards, and the comparison of error messages.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "upsweep/error.hpp"

class scratch_test : public testing::Test {
  protected:
    scratch_test() {
        std::string name = (std::filesystem::temp_directory_path() / "upsweep-test-XXXXXX").string();
        directory_ = ::mkdtemp(name.data()) == nullptr ? "" : name;
    }
    ~scratch_test() override {
        std::error_code ignored;
        std::filesystem::remove_all(directory_, ignored);
    }

    [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }
    [[nodiscard]] std::string file(std::string_view name) const { return (directory_ / name).string(); }
    // Writes a file and returns its path.
    std::string put(std::string_view name, std::string_view bytes) const {
        std::ofstream(file(name), std::ios::binary)
            .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        return file(name);
    }
    [[nodiscard]] static std::string contents(const std::string& path) {
        std::ostringstream all;
        all << std::ifstream(path, std::ios::binary).rdbuf();
        return all.str();
    }

  private:
    std::filesystem::path directory_;
};

// `action` throws upsweep::error with exactly this one-line message.
template <class Action>
void expect_error(Action action, const std::string& message) {
    try {
        static_cast<void>(action());
        ADD_FAILURE() << "nothing was thrown; expected: " << message;
    } catch (const upsweep::error& e) {
        EXPECT_EQ(std::string(e.what()), message);
        EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
    }
}
