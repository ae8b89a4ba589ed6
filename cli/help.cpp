// The three forms of a help page.
#include "cli/help.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <utility>

#include "upsweep/version.hpp"

namespace upsweep::cli {
namespace {

constexpr std::size_t page_width = 79;

struct entry {
    std::string name;  // "-o, --output FILE", "scan"
    std::string meaning;
};

// Column `indent` to `page_width`; the caller has written the first line up to `indent`.
std::string wrapped(const std::string& text, std::size_t indent) {
    std::istringstream words(text);
    std::string out;
    std::size_t column = indent;
    for (std::string word; words >> word;) {
        if (column > indent && column + 1 + word.size() > page_width) {
            out += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (column > indent) {
            out += ' ';
            ++column;
        }
        out += word;
        column += word.size();
    }
    return out;
}

std::vector<entry> options_of(const CLI::App& app) {
    std::vector<entry> found;
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_group().empty()) continue;
        if (option->get_positional() && option->get_lnames().empty()) {
            found.push_back({option->get_name(true), option->get_description()});
            continue;
        }
        std::string name;
        for (const std::string& letter : option->get_snames()) name += (name.empty() ? "-" : ", -") + letter;
        for (const std::string& word : option->get_lnames()) name += (name.empty() ? "--" : ", --") + word;
        if (option->get_items_expected_max() > 0) name += " " + option->get_type_name();
        found.push_back({std::move(name), option->get_description()});
    }
    return found;
}

std::vector<entry> commands_of(const CLI::App& app) {
    std::vector<entry> found;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        found.push_back({command->get_name(), command->get_description()});
    }
    return found;
}

std::string table_text(const std::string& title, const std::vector<entry>& entries) {
    if (entries.empty()) return {};
    std::size_t column = 0;
    for (const entry& one : entries) column = std::max(column, one.name.size() + 4);
    column = std::min<std::size_t>(column, 24);
    std::string out = title + ":\n";
    for (const entry& one : entries) {
        out += "  " + one.name;
        if (one.name.size() + 4 > column)
            out += "\n" + std::string(column, ' ');
        else
            out.append(column - one.name.size() - 2, ' ');
        out += wrapped(one.meaning, column) + "\n";
    }
    return out + "\n";
}

bool is_verbatim(const std::string& paragraph) { return paragraph.rfind("  ", 0) == 0; }

// What a line of roff must not begin with or contain bare.
std::string escaped(const std::string& text) {
    std::string out;
    for (const char character : text) {
        if (character == '\\')
            out += "\\e";
        else if (character == '-')
            out += "\\-";
        else if (character == '\'')
            out += "\\(aq";
        else
            out += character;
    }
    for (std::size_t at = 0; (at = out.find("\n.", at)) != std::string::npos; at += 4)
        out.insert(at + 1, "\\&");
    return !out.empty() && out.front() == '.' ? "\\&" + out : out;
}

std::string verbatim_roff(const std::string& text) {
    return ".PP\n.nf\n.RS 4\n" + escaped(text) + "\n.RE\n.fi\n";
}

std::string table_roff(const char* title, const std::vector<entry>& entries) {
    if (entries.empty()) return {};
    std::string out = fmt::format(".SH {}\n", title);
    for (const entry& one : entries)
        out += fmt::format(".TP\n\\fB{}\\fR\n{}\n", escaped(one.name), escaped(one.meaning));
    return out;
}

std::string joined(const std::vector<std::string>& parts, const char* separator) {
    return fmt::format("{}", fmt::join(parts, separator));
}

std::string dashed(std::string name) {
    std::replace(name.begin(), name.end(), ' ', '-');
    return name;
}

std::string upper(std::string text) {
    for (char& character : text) {
        if (character >= 'a' && character <= 'z') character = static_cast<char>(character - 'a' + 'A');
    }
    return text;
}

}  // namespace

std::string help_text(const help_page& page, const CLI::App& app) {
    std::string out = page.name + " - " + page.summary + "\n\n";
    for (std::size_t i = 0; i < page.synopsis.size(); ++i)
        out += (i == 0 ? "usage: " : "       ") + page.synopsis[i] + "\n";
    out += "\n" + wrapped(page.description, 0) + "\n\n";
    out += table_text("Commands", commands_of(app));
    out += table_text("Arguments and options", options_of(app));
    for (const help_section& section : page.sections) {
        out += section.title + ":\n";
        for (const std::string& paragraph : section.paragraphs) {
            out += is_verbatim(paragraph) ? paragraph + "\n" : "  " + wrapped(paragraph, 2) + "\n";
        }
        out += "\n";
    }
    if (!page.examples.empty()) out += "Examples:\n";
    for (const help_example& example : page.examples) {
        out += "  " + wrapped(example.meaning, 2) + "\n    " + example.command + "\n";
    }
    if (!page.examples.empty()) out += "\n";
    if (!page.see_also.empty()) out += "See also: " + joined(page.see_also, ", ") + "\n";
    return out;
}

std::string help_man(const help_page& page, const CLI::App& app) {
    std::string out = fmt::format(".TH \"{}\" 1 \"\" \"upsweep {}\" \"User Commands\"\n",
                                  upper(dashed(page.name)), UPSWEEP_VERSION_STRING);
    out += fmt::format(".SH NAME\n{} \\- {}\n", escaped(dashed(page.name)), escaped(page.summary));
    out += ".SH SYNOPSIS\n";
    for (std::size_t i = 0; i < page.synopsis.size(); ++i)
        out += (i == 0 ? "" : ".br\n") + escaped(page.synopsis[i]) + "\n";
    out += ".SH DESCRIPTION\n" + escaped(page.description) + "\n";
    out += table_roff("COMMANDS", commands_of(app));
    out += table_roff("OPTIONS", options_of(app));
    for (const help_section& section : page.sections) {
        out += fmt::format(".SH {}\n", upper(section.title));
        for (const std::string& paragraph : section.paragraphs) {
            out += is_verbatim(paragraph) ? verbatim_roff(paragraph.substr(2))
                                          : ".PP\n" + escaped(paragraph) + "\n";
        }
    }
    if (!page.examples.empty()) out += ".SH EXAMPLES\n";
    for (const help_example& example : page.examples) {
        out += ".PP\n" + escaped(example.meaning) + "\n" + verbatim_roff(example.command);
    }
    std::vector<std::string> others;
    for (const std::string& other : page.see_also)
        others.push_back("\\fB" + escaped(dashed(other)) + "\\fR(1)");
    if (!others.empty()) out += ".SH SEE ALSO\n" + joined(others, ", ") + "\n";
    return out;
}

std::string help_markdown(const help_page& page, const CLI::App& app) {
    const auto table = [](const std::string& title, const std::vector<entry>& entries) {
        if (entries.empty()) return std::string();
        std::string out = "## " + title + "\n\n| | |\n|---|---|\n";
        for (const entry& one : entries) out += fmt::format("| `{}` | {} |\n", one.name, one.meaning);
        return out + "\n";
    };
    std::string out = fmt::format("# {}\n\nThis page is `{} --help`, made by `upsweep help --markdown`.\n\n",
                                  page.name, page.name);
    out += upper(page.summary.substr(0, 1)) + page.summary.substr(1) + ".\n\n```\n" +
           joined(page.synopsis, "\n") + "\n```\n\n" + page.description + "\n\n";
    out += table("Commands", commands_of(app)) + table("Arguments and options", options_of(app));
    for (const help_section& section : page.sections) {
        out += "## " + section.title + "\n\n";
        for (const std::string& paragraph : section.paragraphs) {
            out += is_verbatim(paragraph) ? "```\n" + paragraph + "\n```\n\n" : paragraph + "\n\n";
        }
    }
    if (!page.examples.empty()) out += "## Examples\n\n";
    for (const help_example& example : page.examples)
        out += example.meaning + "\n\n```\n" + example.command + "\n```\n\n";
    out += "See also: ";
    std::vector<std::string> others;
    for (const std::string& other : page.see_also) others.push_back("`" + other + "`");
    return out + joined(others, ", ") + "\n";
}

}  // namespace upsweep::cli
