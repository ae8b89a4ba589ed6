// The program as a function: arguments in, exit code out. Data and help go to standard output, words to
// standard error.
#pragma once

namespace upsweep::cli {

int run_program(int argc, const char* const* argv);

}  // namespace upsweep::cli
