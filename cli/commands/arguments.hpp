// Words of the command line turned into values, with errors that name the option.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

#include "cli/io/message.hpp"
#include "cli/usage.hpp"
#include "registry/dtype.hpp"
#include "registry/operation.hpp"

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

inline void check_threads(std::size_t threads) {
    constexpr std::size_t most = 4096;
    if (threads < 1 || threads > most)
        throw usage_error(fmt::format("--threads {}: expected a number from 1 to {}", threads, most));
}

}  // namespace upsweep::cli
