// The table of file name endings.
#include "cli/io/format.hpp"

#include <string>
#include <utility>

namespace upsweep::cli {

std::optional<file_format> format_of(std::string_view path) {
    const std::size_t dot = path.rfind('.');
    if (dot == std::string_view::npos) return std::nullopt;
    std::string ending(path.substr(dot + 1));
    for (char& character : ending) {
        if (character >= 'A' && character <= 'Z') character = static_cast<char>(character - 'A' + 'a');
    }
    constexpr std::pair<std::string_view, file_format> endings[] = {
        {"npy", file_format::npy}, {"raw", file_format::raw}, {"bin", file_format::raw},
        {"csv", file_format::csv}, {"tsv", file_format::tsv}, {"tab", file_format::tsv},
    };
    for (const auto& [known, format] : endings) {
        if (ending == known) return format;
    }
    return std::nullopt;
}

}  // namespace upsweep::cli
