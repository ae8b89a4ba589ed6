// Words of the command line turned into values, with errors that name the option; the options that several
// commands have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/plot/figure.hpp"
#include "registry/device.hpp"
#include "registry/dtype.hpp"
#include "registry/operation.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace upsweep::cli {

registry::operation parse_op(const std::string& word);
registry::dtype parse_type(const char* option, const std::string& word);
// A whole number in decimal, as a cell of a table has it; nothing if the word is something else.
std::optional<std::int64_t> whole_number(const std::string& word);
// One from `least` to `most`. Throws usage_error.
std::int64_t parse_whole(const char* option, const std::string& word, std::int64_t least, std::int64_t most);

// A number of bytes from `least` on, or of powers of 1024 of them: parse_bytes("--memory", "64K", 1) ==
// 65536; so with M, G and T. Throws usage_error.
std::uint64_t parse_bytes(const char* option, const std::string& word, std::uint64_t least);

// An option whose value may be the empty word, which CLI11 takes for none where it fills an optional itself.
CLI::Option* add_name_option(CLI::App& app, const char* option, std::optional<std::string>& name,
                             const char* meaning);
// The same of an option that may be given several times.
CLI::Option* add_names_option(CLI::App& app, const char* option, std::vector<std::string>& names,
                              const char* meaning);

// --device and --threads.
struct device_choice {
    std::string name = "cpu";
    std::string threads;

    void add_to(CLI::App& app);
    // --threads alone, for what the CPU alone does.
    void add_threads_to(CLI::App& app);
    // Throws usage_error for words, and upsweep::error for devices that are not there.
    // `sequences`: only such are to be scanned, as other devices than the CPU can.
    [[nodiscard]] registry::device open(const CLI::App& app, bool sequences = true) const;
};

// The file that --plot names, by its ending.
picture_format plot_format(const std::string& file);

}  // namespace upsweep::cli
