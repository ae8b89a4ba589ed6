// Links followed one by one, as far as the folder of this process's descriptors.
#include "cli/io/open_descriptor.hpp"

#include <charconv>
#include <filesystem>
#include <system_error>

namespace upsweep::cli {
namespace {

constexpr int most_links = 40;  // as the kernel follows at most

std::optional<int> descriptor_number(const std::string& digits) {
    int number = -1;
    const char* const last = digits.data() + digits.size();
    const auto [end, problem] = std::from_chars(digits.data(), last, number);
    if (problem != std::errc() || end != last || number < 0) return std::nullopt;
    return number;
}

}  // namespace

std::optional<int> descriptor_of(const std::string& output) {
    if (output == "-") return STDOUT_FILENO;
    std::error_code problem;
    const auto descriptors = std::filesystem::canonical("/proc/self/fd", problem);
    std::filesystem::path path = output;
    for (int links = 0; !problem && links <= most_links; ++links) {
        const auto parent = path.parent_path();
        const auto folder = std::filesystem::canonical(parent.empty() ? "." : parent, problem);
        if (problem) break;
        if (folder == descriptors) return descriptor_number(path.filename().string());
        const auto target = std::filesystem::read_symlink(path, problem);  // a problem, where it is no link
        path = folder / target;
    }
    return std::nullopt;
}

}  // namespace upsweep::cli
