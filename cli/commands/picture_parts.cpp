#include "cli/commands/picture_parts.hpp"

#include <fmt/format.h>

#include "cli/io/byte_source.hpp"
#include "cli/io/message.hpp"
#include "registry/visit.hpp"

namespace upsweep::cli {

void add_points(plot_accumulator& points, registry::dtype type, const void* elements, std::uint64_t first,
                std::size_t count) {
    registry::visit_type(type, [&]<class T>(std::type_identity<T>) {
        if constexpr (!is_complex<T>) {
            const T* values = static_cast<const T*>(elements);
            for (std::size_t i = 0; i < count; ++i) {
                double y = 0;
                if constexpr (is_half<T>)
                    y = static_cast<double>(static_cast<float>(values[i]));
                else
                    y = static_cast<double>(values[i]);
                points.add(static_cast<double>(first + i), y);
            }
        }
    });
}

void add_picture_section(help_page& page) {
    page.sections.push_back(
        {"Pictures",
         {"--plot draws what the ending of FILE says, .svg or .png. What is not finite is left out, and what "
          "is above 1e300 or below -1e300 is drawn there. The letters of a .png are the tool's own: those of "
          "ASCII and signs of units such as the degree, and an empty box for any other. Those of a .svg are "
          "the viewer's."}});
}

std::string capital(std::string words) {
    if (!words.empty() && words.front() >= 'a' && words.front() <= 'z')
        words.front() = static_cast<char>(words.front() - 'a' + 'A');
    return words;
}

std::string file_words(const std::string& input, std::uint64_t count) {
    const std::string file = source_words(input);
    return fmt::format("{}, {} {}", printable(file.substr(file.rfind('/') + 1)), count,
                       count == 1 ? "value" : "values");
}

}  // namespace upsweep::cli
