// The reader of conditions.
#include "cli/commands/condition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "cli/io/message.hpp"
#include "cli/usage.hpp"
#include "upsweep/error.hpp"

namespace upsweep::cli {
namespace {

constexpr std::string_view blanks = " \t";
constexpr std::size_t longest_problem = 300;

// Longer ones before those that they start with.
constexpr std::array<std::pair<std::string_view, comparison>, 6> operators = {{
    {"<=", comparison::less_equal},
    {">=", comparison::greater_equal},
    {"==", comparison::equal},
    {"!=", comparison::not_equal},
    {"<", comparison::less},
    {">", comparison::greater},
}};
// What people type for them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> mistaken = {
    {{"=<", "<="}, {"=>", ">="}, {"<>", "!="}, {"=", "=="}, {"!", "!="}}};

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

class where_reader {
  public:
    explicit where_reader(const std::string& text) : rest_(text) {
        condition_.text = text;
        condition_.words = "--where " + in_quotes(text);
    }

    where_condition read() && {
        skip_blanks();
        read_name();
        skip_blanks();
        read_operator();
        const std::string_view number = trimmed(rest_);
        if (number.empty()) fail("the number is missing");
        condition_.test.number = number;
        return std::move(condition_);
    }

  private:
    [[noreturn]] void fail(std::string_view problem) const {
        throw usage_error(
            fmt::format("{}: {}; expected NAME OP NUMBER as in 'x < 5'", condition_.words, problem));
    }
    void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(blanks), rest_.size())); }

    void read_name() {
        if (rest_.starts_with('"')) return read_quoted_name();
        const std::size_t end = std::min(rest_.find_first_of("<>=!"), rest_.size());
        condition_.name = trimmed(rest_.substr(0, end));
        if (condition_.name.empty()) fail("the name is missing");
        rest_.remove_prefix(end);
    }
    void read_quoted_name() {
        condition_.quoted = true;
        for (std::size_t i = 1; i < rest_.size(); ++i) {
            if (rest_[i] == '"' && (++i == rest_.size() || rest_[i] != '"')) return rest_.remove_prefix(i);
            condition_.name += rest_[i];
        }
        fail("a quoted name that nothing closes");
    }
    void read_operator() {
        for (const auto& [typed, meant] : mistaken) {
            if (!rest_.starts_with(typed) || rest_.starts_with("==") || rest_.starts_with("!=")) continue;
            fail(fmt::format("{} is no comparison, {} is", typed, meant));
        }
        for (const auto& [word, how] : operators) {
            if (!rest_.starts_with(word)) continue;
            rest_.remove_prefix(word.size());
            condition_.test.how = how;
            return;
        }
        fail("a comparison (< <= == != >= >) is missing");
    }

    std::string_view rest_;
    where_condition condition_;
};

}  // namespace

where_condition parse_where(const std::string& text) { return where_reader(text).read(); }

where_condition pivot_condition(const std::string& number) {
    return {"x < " + number, "--pivot " + in_quotes(number), "x", false, {comparison::less, number}};
}

std::unique_ptr<registry::chooser> make_chooser(const registry::device& device, registry::dtype type,
                                                const std::vector<where_condition>& conditions) {
    std::vector<registry::condition> tests;
    for (const where_condition& one : conditions) {
        tests.push_back(one.test);
        try {  // alone, so that it is the one at fault
            static_cast<void>(registry::make_chooser(device, type, std::span(&one.test, 1)));
        } catch (const error& problem) {
            if (problem.code() != errc::invalid_argument) throw;
            throw usage_error(fmt::format("{}: {}", one.words, printable(problem.what(), longest_problem)));
        }
    }
    return registry::make_chooser(device, type, tests);
}

}  // namespace upsweep::cli
