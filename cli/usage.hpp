// Errors in what was typed, as opposed to errors in data: exit code 2, and a pointer to the help.
#pragma once

#include <stdexcept>
#include <string>

namespace upsweep::cli {

class usage_error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// The exit codes of every command.
enum exit_code : int { success = 0, failure = 1, wrong_usage = 2 };

}  // namespace upsweep::cli
