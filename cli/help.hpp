// Help pages: written once as data, shown as text for the terminal, as man pages and as Markdown for
// docs/commands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace upsweep::cli {

struct help_section {
    std::string title;
    std::vector<std::string> paragraphs;  // reflowed; those that start with two spaces stay as they are
};

struct help_example {
    std::string command;  // may have several lines
    std::string meaning;
};

struct help_page {
    std::string name;     // "upsweep scan"
    std::string summary;  // one line, lower case, no full stop
    std::vector<std::string> synopsis;
    std::string description;
    std::vector<help_section> sections;
    std::vector<help_example> examples;
    std::vector<std::string> see_also;
};

// Options and commands come from `app`, so that no page can miss one.
[[nodiscard]] std::string help_text(const help_page& page, const CLI::App& app);
[[nodiscard]] std::string help_man(const help_page& page, const CLI::App& app);
[[nodiscard]] std::string help_markdown(const help_page& page, const CLI::App& app);

}  // namespace upsweep::cli
