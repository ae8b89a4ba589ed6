// The entry of the command-line tool.
#include "cli/program.hpp"

int main(int argc, char** argv) { return upsweep::cli::run_program(argc, argv); }
