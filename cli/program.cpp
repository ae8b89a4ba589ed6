// Parsing of the command line, dispatch to the commands, and one line for every error.
#include "cli/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/io/message.hpp"
#include "cli/usage.hpp"
#include "registry/back_end.hpp"
#include "upsweep/error.hpp"
#include "upsweep/version.hpp"

namespace upsweep::cli {
namespace {

help_page program_page() {
    help_page page;
    page.name = "upsweep";
    page.summary = "running totals (prefix sums, scans) at the speed of a copy";
    page.synopsis = {"upsweep COMMAND [options]", "upsweep COMMAND --help", "upsweep --version"};
    page.description =
        "Computes running sums, products, minima, maxima and more of the numbers in NumPy arrays, tables and "
        "raw files of any size, and linear recurrences of them, packs or parts what satisfies conditions, "
        "counts into bins, and sorts. "
        "Results have the same bits on every machine and with any number of threads. Data goes to standard "
        "output or to -o FILE, words "
        "go to standard error; - as a file name is standard input or output.";
    page.sections.push_back(
        {"Exit status", {"0: done. 1: failure on data, files or device. 2: wrong usage."}});
    page.examples = {
        {"upsweep scan x.npy -o sums.npy", "Running sums of an array:"},
        {"upsweep scan weather.csv --column precipitation --by year",
         "Of a column of a table, for each year by itself:"},
        {"upsweep reduce x.npy", "The sum of an array:"},
        {"upsweep recurrence weather.csv --column temp_max --smooth 0.1",
         "Of a column, exponentially smoothed:"},
        {"upsweep compact x.npy --where 'x < 5' -o small.npy", "What is less than 5:"},
        {"upsweep histogram x.npy --bins 8 --range 0:1", "How many are in each of eight bins:"},
        {"upsweep sort x.npy -o sorted.npy", "All from the smallest to the largest:"},
        {"upsweep trace blelloch 3 1 7 0 4 1 6 3", "How a GPU computes running sums, step by step:"},
        {"upsweep bench", "How fast that is here, beside a copy of memory:"}};
    page.see_also = {"upsweep scan",      "upsweep reduce",    "upsweep recurrence", "upsweep compact",
                     "upsweep partition", "upsweep histogram", "upsweep bins",       "upsweep sort",
                     "upsweep trace",     "upsweep bench",     "upsweep devices"};
    return page;
}

struct known_command {
    std::string_view name;
    command (*add)(CLI::App& program);
};
constexpr auto known_commands = std::to_array<known_command>({{"scan", add_scan},
                                                              {"reduce", add_reduce},
                                                              {"recurrence", add_recurrence},
                                                              {"compact", add_compact},
                                                              {"partition", add_partition},
                                                              {"histogram", add_histogram},
                                                              {"bins", add_bins},
                                                              {"sort", add_sort},
                                                              {"trace", add_trace},
                                                              {"bench", add_bench},
                                                              {"devices", add_devices}});

struct help_request {
    std::string topic;
    bool man = false;
    bool markdown = false;
};

class program {
  public:
    // To add all commands' options takes longer than to compute a small file: where the first word is a
    // command, no other has to know its own.
    explicit program(std::string_view first_word) : app_("", "upsweep") {
        app_.set_help_flag("-h,--help", "show this page");
        app_.set_version_flag("--version", "upsweep " UPSWEEP_VERSION_STRING, "show the version");
        app_.require_subcommand(0, 1);
        registry::add_back_ends();
        const auto is_first = [first_word](const known_command& one) { return one.name == first_word; };
        const bool is_command = std::ranges::any_of(known_commands, is_first);
        for (const known_command& one : known_commands) {
            if (!is_command || is_first(one)) commands_.push_back(one.add(app_));
        }
        for (command& one : commands_) {
            one.app->set_help_flag("-h,--help", "show this page");
            one.app->allow_extras(false);
        }
        help_ = app_.add_subcommand("help", "show the help page of a command");
        help_->add_option("COMMAND", wanted_.topic, "command to explain");
        help_->add_flag("--man", wanted_.man, "as a man page")->group("");
        help_->add_flag("--markdown", wanted_.markdown, "as Markdown")->group("");
        help_->set_help_flag("-h,--help", "show this page");
    }

    int run(int argc, const char* const* argv) {
        std::string where = "upsweep";
        try {
            try {
                app_.parse(argc, argv);
            } catch (const CLI::CallForHelp&) {
                return show(active());
            } catch (const CLI::CallForVersion&) {
                return put("upsweep " UPSWEEP_VERSION_STRING "\n");
            } catch (const CLI::ParseError& problem) {
                if (const command* one = active()) where = one->page.name;
                const bool has_extras = dynamic_cast<const CLI::ExtrasError*>(&problem) != nullptr;
                return misused(where, has_extras ? words_of_extras() : words_of(problem));
            }
            if (help_->parsed()) return run_help();
            const command* one = active();
            if (one == nullptr) return misused(where, "a command is missing: " + command_names());
            where = one->page.name;
            refuse_empty_words(*one->app);
            one->run();
            return finished();
        } catch (const usage_error& problem) {
            return misused(where, problem.what());
        } catch (const error& problem) {
            return failed(problem.what());
        } catch (const std::bad_alloc&) {
            return failed("out of memory");
        } catch (const std::exception& problem) {
            return failed(problem.what());
        }
    }

  private:
    [[nodiscard]] const command* active() const {
        for (const command& one : commands_) {
            if (one.app->parsed()) return &one;
        }
        return nullptr;
    }
    [[nodiscard]] const command* named(const std::string& topic) const {
        for (const command& one : commands_) {
            if (one.app->get_name() == topic) return &one;
        }
        return nullptr;
    }

    // "scan, reduce, ... or devices"
    [[nodiscard]] std::string command_names() const {
        std::string names;
        for (const command& one : commands_) {
            if (!names.empty()) names += &one == &commands_.back() ? " or " : ", ";
            names += one.app->get_name();
        }
        return names;
    }

    // Of what nothing has a use for, in the order in which it was typed.
    [[nodiscard]] std::string words_of_extras() const {
        const std::vector<std::string> extras = app_.remaining(true);
        if (active() == nullptr && !help_->parsed() && !extras.front().starts_with('-'))
            return fmt::format("{}: there is no such command; expected {}", in_quotes(extras.front()),
                               command_names());
        return fmt::format("unknown argument{}: {}", extras.size() == 1 ? "" : "s", fmt::join(extras, " "));
    }

    // An empty word, what a variable that is not set leaves of "$TYPE", is no value: a command would take the
    // option for one that is not given. The name of a column may be empty; arguments have words of their own.
    static void refuse_empty_words(const CLI::App& app) {
        constexpr std::array<std::string_view, 4> of_columns{"--column", "--by", "--coefficients",
                                                             "--weights"};
        for (const CLI::Option* option : app.get_options()) {
            const std::string name = option->get_name();
            if (option->get_positional() || std::ranges::find(of_columns, name) != of_columns.end()) continue;
            if (option->get_items_expected_max() > 0 && std::ranges::count(option->results(), "") != 0)
                throw usage_error(fmt::format("{}: {} is missing", name, option->get_type_name()));
        }
    }

    // What CLI11 counts, in words: "--op: At Most 1 required but received 2", "--op: 1 required NAME
    // missing".
    static std::string words_of(const CLI::ParseError& problem) {
        std::string words = problem.what();
        const std::size_t name_end = words.find(": ");
        const std::size_t received = words.find(" 1 required but received ");
        const std::size_t lacks = words.find(": 1 required ");
        if (received != std::string::npos && name_end != std::string::npos) {
            words = fmt::format("{} is given {} times; expected once", words.substr(0, name_end),
                                words.substr(words.rfind(' ') + 1));
        } else if (lacks != std::string::npos && words.ends_with(" missing")) {
            words.insert(words.size() - 7, "is ");
            words.replace(lacks, 13, ": ");
        }
        std::replace(words.begin(), words.end(), '\n', ' ');
        words.erase(words.find_last_not_of(' ') + 1);
        return words;
    }

    int misused(const std::string& where, const std::string& words) const {
        say(fmt::format("{}: {} (see '{} --help')", where, words, where));
        return wrong_usage;
    }
    static int failed(const std::string& words) {
        say("upsweep: " + words);
        return failure;
    }
    // Text that could not be written, on a full disk for instance, is a failure too.
    static int finished() {
        if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return success;
        return failed("standard output: cannot be written");
    }
    static int put(const std::string& text) {
        std::fputs(text.c_str(), stdout);
        return finished();
    }

    int show(const command* one) const {
        if (one == nullptr) return put(help_text(program_page(), app_));
        return put(help_text(one->page, *one->app));
    }

    int run_help() const {
        const command* one = named(wanted_.topic);
        if (one == nullptr && !wanted_.topic.empty() && wanted_.topic != "upsweep") {
            throw usage_error("help " + wanted_.topic + ": there is no such command");
        }
        if (!wanted_.man && !wanted_.markdown) return show(one);
        const help_page page = one == nullptr ? program_page() : one->page;
        const CLI::App& app = one == nullptr ? app_ : *one->app;
        return put(wanted_.man ? help_man(page, app) : help_markdown(page, app));
    }

    CLI::App app_;
    std::vector<command> commands_;
    CLI::App* help_ = nullptr;
    help_request wanted_;
};

// A file that is opened while a standard stream is closed takes its number, and would be read or written in
// its stead. What is opened here instead can only be used the wrong way round, so that using it is an error.
void occupy_closed_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(stream, F_GETFD) < 0)
            static_cast<void>(::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
    }
}

}  // namespace

int run_program(int argc, const char* const* argv) {
    occupy_closed_streams();
    // A file beyond the process's limit is an error of the write that meets it, like a full disk.
    static_cast<void>(std::signal(SIGXFSZ, SIG_IGN));
    return program(argc > 1 ? argv[1] : "").run(argc, argv);
}

}  // namespace upsweep::cli
