// Words of the command line turned into values, with errors that name the option; the options that several
// commands have.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

#include "cli/io/message.hpp"
#include "cli/plot/figure.hpp"
#include "cli/usage.hpp"
#include "registry/device.hpp"
#include "registry/dtype.hpp"
#include "registry/operation.hpp"
#include "upsweep/error.hpp"

namespace upsweep::cli {

inline registry::operation parse_op(const std::string& word) {
    if (const auto op = registry::parse_operation(word)) return *op;
    throw usage_error(
        fmt::format("--op {}: expected one of {}", cli::quoted(word), registry::operation_names()));
}

inline registry::dtype parse_type(const char* option, const std::string& word) {
    if (const auto type = registry::parse_dtype(word)) return *type;
    throw usage_error(
        fmt::format("{} {}: expected one of {}", option, cli::quoted(word), registry::dtype_names()));
}

// --device and --threads.
struct device_choice {
    std::string name = "cpu";
    std::size_t threads = 0;

    void add_to(CLI::App& app) {
        app.add_option(
               "--device", name,
               "cpu (the default), cuda, gl or vulkan; cuda:1 is the second GPU; auto is cuda where a GPU "
               "is there and does the work, else cpu")
            ->type_name("NAME");
        app.add_option("--threads", threads, "most threads to use; default: all processors")->type_name("N");
    }
    // Throws usage_error for words, and upsweep::error for devices that are not there.
    // `sequences`: only such are to be scanned, as other devices than the CPU can.
    [[nodiscard]] registry::device open(const CLI::App& app, bool sequences = true) const {
        constexpr std::size_t most = 4096;
        if (app.count("--threads") != 0 && (threads < 1 || threads > most))
            throw usage_error(fmt::format("--threads {}: expected a number from 1 to {}", threads, most));
        try {
            return registry::device(name == "auto" && !sequences ? "cpu" : name, threads);
        } catch (const error& problem) {
            if (problem.code() != errc::invalid_argument) throw;
            throw usage_error(fmt::format("--{}", problem.what()));
        }
    }
};

// The file that --plot names, by its ending.
inline picture_format plot_format(const std::string& file) {
    if (const auto format = picture_format_of(file)) return *format;
    throw usage_error(fmt::format("--plot {}: expected a name that ends in .svg or .png", file));
}

}  // namespace upsweep::cli
