// Options that several commands have, read and checked.
#include "cli/commands/arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string_view>

#include "cli/io/message.hpp"
#include "cli/io/number.hpp"
#include "cli/usage.hpp"
#include "upsweep/error.hpp"

namespace upsweep::cli {

registry::operation parse_op(const std::string& word) {
    if (const auto op = registry::parse_operation(word)) return *op;
    throw usage_error(
        fmt::format("--op {}: expected one of {}", in_quotes(word), registry::operation_names()));
}

registry::dtype parse_type(const char* option, const std::string& word) {
    if (const auto type = registry::parse_dtype(word)) return *type;
    throw usage_error(
        fmt::format("{} {}: expected one of {}", option, in_quotes(word), registry::dtype_names()));
}

std::optional<std::int64_t> whole_number(const std::string& word) {
    csv_number number;
    if (parse_number(word, number) != number_problem::none || !number.integer) return std::nullopt;
    return number.whole;
}

std::int64_t parse_whole(const char* option, const std::string& word, std::int64_t least, std::int64_t most) {
    const auto number = whole_number(word);
    if (number && *number >= least && *number <= most) return *number;
    throw usage_error(
        fmt::format("{} {}: expected a number from {} to {}", option, printable(word), least, most));
}

std::uint64_t parse_bytes(const char* option, const std::string& word, std::uint64_t least) {
    constexpr std::string_view units = "KMGT";
    const std::size_t unit = word.empty() ? std::string_view::npos : units.find(word.back());
    const bool has_unit = unit != std::string_view::npos;
    const auto number = whole_number(has_unit ? word.substr(0, word.size() - 1) : word);
    const std::uint64_t factor = has_unit ? std::uint64_t{1} << (10 * (unit + 1)) : 1;
    if (number && *number >= 0 && static_cast<std::uint64_t>(*number) <= INT64_MAX / factor &&
        static_cast<std::uint64_t>(*number) * factor >= least)
        return static_cast<std::uint64_t>(*number) * factor;
    throw usage_error(
        fmt::format("{} {}: expected a number of bytes from {} to 2^63, such as 512M or 4G; K, M, G and T "
                    "are powers of 1024",
                    option, printable(word), least));
}

CLI::Option* add_name_option(CLI::App& app, const char* option, std::optional<std::string>& name,
                             const char* meaning) {
    const auto take = [&name](const std::string& word) { name = word; };
    return app.add_option_function<std::string>(option, take, meaning);
}

CLI::Option* add_names_option(CLI::App& app, const char* option, std::vector<std::string>& names,
                              const char* meaning) {
    const auto take = [&names](const std::vector<std::string>& words) { names = words; };
    return app.add_option_function<std::vector<std::string>>(option, take, meaning)->allow_extra_args(false);
}

void device_choice::add_to(CLI::App& app) {
    app.add_option(
           "--device", name,
           "cpu (the default), cuda, gl or vulkan; cuda:1 is the second GPU; auto is cuda where a GPU "
           "is there and does the work, else cpu")
        ->type_name("NAME");
    add_threads_to(app);
}

void device_choice::add_threads_to(CLI::App& app) {
    app.add_option("--threads", threads, "most threads to use; default: all processors")->type_name("N");
}

registry::device device_choice::open(const CLI::App& app, bool sequences) const {
    constexpr std::int64_t most = 4096;
    const auto used = app.count("--threads") == 0
                          ? std::size_t{0}
                          : static_cast<std::size_t>(parse_whole("--threads", threads, 1, most));
    try {
        return registry::device(name == "auto" && !sequences ? "cpu" : name, used);
    } catch (const error& problem) {
        if (problem.code() != errc::invalid_argument) throw;
        throw usage_error(fmt::format("--{}", problem.what()));
    }
}

picture_format plot_format(const std::string& file) {
    if (const auto format = picture_format_of(file)) return *format;
    throw usage_error(fmt::format("--plot {}: expected a name that ends in .svg or .png", file));
}

}  // namespace upsweep::cli
