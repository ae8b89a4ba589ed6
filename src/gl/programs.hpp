// The programs of an executor, each compiled when it is first asked for, and the users' texts that go into
// them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gl/functions.hpp"
#include "gl/program.hpp"
#include "shader/stages.hpp"

namespace upsweep::gl {

class program_cache {
  public:
    program_cache(const functions& gl, bool es) : gl_(gl), es_(es) {}
    program_cache(const program_cache&) = delete;
    program_cache& operator=(const program_cache&) = delete;

    // Throws upsweep::error, errc::device, with the driver's log.
    GLuint get(shader::program_key key, std::uint32_t user_text);

    // Numbers a text, with a number other than 0 that no other cache has, once that program compiles with it.
    // Throws as get() does.
    std::uint32_t add_text(std::string text, const shader::program_key& proof);
    // Throws upsweep::error, invalid_argument, unless `user_text` is 0 or such a number.
    void check_text(std::uint32_t user_text) const;

  private:
    struct entry {
        shader::program_key key;
        std::uint32_t user_text;
        compute_program program;
    };
    struct numbered_text {
        std::uint32_t number;
        std::string text;
    };

    // Null if there is none.
    [[nodiscard]] const numbered_text* find_text(std::uint32_t number) const;

    const functions& gl_;
    bool es_;
    std::vector<entry> entries_;  // some dozens at most, so a search through them is short
    std::vector<numbered_text> texts_;
};

}  // namespace upsweep::gl
