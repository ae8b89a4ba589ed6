// A trace as text: a line for each step with the cells of its array in columns, and below it what was made of
// what.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "cli/commands/trace_job.hpp"

namespace upsweep::cli {
namespace {

using registry::trace_action;
using registry::trace_report;
using registry::trace_request;
using registry::trace_step;

std::string number_of(std::uint64_t count, const char* one, const char* several) {
    return fmt::format("{} {}", count, count == 1 ? one : several);
}

class trace_printer {
  public:
    trace_printer(const trace_request& request, const trace_report& report, const text_shape& shape)
        : request_(request), report_(report), shape_(shape) {
        for (const trace_step& step : report.steps) {
            label_width_ = std::max(label_width_, step.label.size());
            most_cells_ = std::max(most_cells_, step.cells.size());
            for (const auto& cell : step.cells)
                cell_width_ = std::max(cell_width_, cell_text_of(cell).size());
        }
        const auto& columns = report.arrays[report.steps.front().array].columns;
        is_named_ = !columns.empty();
        for (const std::string& column : columns) cell_width_ = std::max(cell_width_, column.size());
        cell_width_ = std::max(cell_width_, std::to_string(most_cells_ - 1).size());
        // Cells have a place for the mark in front, and a space.
        const std::size_t before = label_width_ + 2;
        const std::size_t room = shape.width > before + 8 ? shape.width - before - 8 : 0;
        cells_in_line_ = std::max<std::size_t>(1, room / (cell_width_ + 2));
        if (is_named_ || most_cells_ <= cells_in_line_) cells_in_line_ = most_cells_;
        for (const trace_step& step : report.steps) {
            for (std::size_t first = 0; first < step.cells.size(); first += cells_in_line_)
                name_width_ = std::max(name_width_, name_of(step, first).size());
        }
    }

    std::string print() {
        header();
        for (const trace_step& step : report_.steps) {
            row(step);
            list_actions(step);
        }
        line("");
        for (const std::string& words : count_words(report_)) line(words);
        return std::move(out_);
    }

  private:
    static std::string cell_text_of(const std::optional<registry::value>& cell) {
        return cell ? format_value(*cell) : std::string(".");
    }

    void line(std::string text) {
        while (!text.empty() && text.back() == ' ') text.pop_back();
        out_ += text + "\n";
    }

    void header() {
        const auto& about = info(request_.algorithm);
        line(std::string(about.title));
        line(trace_words(request_, report_));
        std::size_t widest_name = 0;
        for (const trace_step& step : report_.steps)
            widest_name = std::max(widest_name, report_.arrays[step.array].name.size());
        std::vector<bool> seen(report_.arrays.size());
        for (const trace_step& step : report_.steps) {
            const registry::trace_array& array = report_.arrays[step.array];
            if (seen[step.array] || array.meaning.empty()) continue;
            seen[step.array] = true;
            line(fmt::format("  {:{}}  {}", array.name, widest_name, array.meaning));
        }
        line("");
        if (cells_in_line_ < most_cells_) return;
        std::string text(label_width_ + 2 + name_width_, ' ');
        const auto& columns = report_.arrays[report_.steps.front().array].columns;
        for (std::size_t i = 0; i < most_cells_; ++i)
            text += fmt::format("  {:>{}}", is_named_ ? columns[i] : std::to_string(i), cell_width_);
        line(text);
    }

    // Of an array that has no room in one line, each line says where it begins.
    [[nodiscard]] std::string name_of(const trace_step& step, std::size_t first) const {
        const std::string& name = report_.arrays[step.array].name;
        return cells_in_line_ < most_cells_ ? fmt::format("{}[{}]", name, first) : name;
    }

    void row(const trace_step& step) {
        const std::vector<bool> marked = marked_cells(report_, step);
        for (std::size_t first = 0; first < step.cells.size(); first += cells_in_line_) {
            std::string text = fmt::format("{:{}}  {:{}}", first == 0 ? step.label : "", label_width_,
                                           name_of(step, first), name_width_);
            const std::size_t last = std::min(step.cells.size(), first + cells_in_line_);
            for (std::size_t i = first; i < last; ++i) text += cell(step.cells[i], marked[i]);
            line(text);
        }
    }

    [[nodiscard]] std::string cell(const std::optional<registry::value>& held, bool marked) const {
        const std::string words = cell_text_of(held);
        const std::string space(cell_width_ + 1 - words.size(), ' ');
        if (!marked) return space + " " + words;
        return shape_.bold ? space + " \x1b[1m" + words + "\x1b[0m" : space + "*" + words;
    }

    // Whether the operator is written as max(a, b).
    [[nodiscard]] bool is_call() const {
        return request_.op == registry::operation::minimum || request_.op == registry::operation::maximum;
    }

    // "t5: s[5] = s[3] + s[5]" for each. What goes on from what was just made, as sums of several parts do,
    // is told in one: "prefix = R + (V + L)".
    [[nodiscard]] std::vector<std::string> entries_of(const trace_step& step) const {
        struct entry {
            std::string front, words;
            registry::trace_cell to;
            bool combines;
        };
        std::vector<entry> all;
        for (const trace_action& action : step.actions) {
            if (!makes_news(report_, action)) continue;
            std::string words = cell_text(report_, action.left);
            if (action.right) {
                std::string right = cell_text(report_, *action.right);
                const bool goes_on = !all.empty() && all.back().to == action.to && *action.right == action.to;
                if (goes_on) {
                    right =
                        all.back().combines && !is_call() ? "(" + all.back().words + ")" : all.back().words;
                    all.pop_back();
                }
                words = combine_words(request_, words, right);
            }
            std::string front = is_named_ ? "" : fmt::format("t{}: ", action.thread);
            front += cell_text(report_, action.to) + " = ";
            all.push_back({std::move(front), std::move(words), action.to, action.right.has_value()});
        }
        std::vector<std::string> entries;
        entries.reserve(all.size());
        for (const entry& each : all) entries.push_back(each.front + each.words);
        return entries;
    }

    void list_actions(const trace_step& step) {
        const std::vector<std::string> entries = entries_of(step);
        std::size_t widest = 0;
        for (const std::string& entry : entries) widest = std::max(widest, entry.size());
        constexpr std::size_t indent = 4, gap = 3;
        const std::size_t in_line =
            std::max<std::size_t>(1, (shape_.width - std::min(shape_.width, indent) + gap) / (widest + gap));
        for (std::size_t first = 0; first < entries.size(); first += in_line) {
            std::string text(indent, ' ');
            for (std::size_t i = first; i < std::min(entries.size(), first + in_line); ++i)
                text += fmt::format("{:{}}", entries[i], widest + gap);
            line(text);
        }
    }

    const trace_request& request_;
    const trace_report& report_;
    text_shape shape_;
    std::string out_;
    std::size_t label_width_ = 0, name_width_ = 0, cell_width_ = 1;  // characters
    std::size_t most_cells_ = 1, cells_in_line_ = 1;
    bool is_named_ = false;  // the cells, instead of being numbered
};

}  // namespace

std::string trace_text(const trace_request& request, const trace_report& report, const text_shape& shape) {
    return trace_printer(request, report, shape).print();
}

std::string trace_words(const trace_request& request, const trace_report& report) {
    const auto& about = info(request.algorithm);
    const std::string what =
        fmt::format("{} {}", registry::name(request.type), request.elements.size() == 1 ? "value" : "values");
    std::string words;
    if (about.is_partition)
        words = fmt::format("x < {} first, of {} {}", request.pivot, request.elements.size(), what);
    else
        words = fmt::format("{}{} of {} {}",
                            about.is_scan ? (request.exclusive ? "exclusive " : "inclusive ") : "",
                            registry::name(request.op), request.elements.size(), what);
    if (request.initial) words += fmt::format(", from {}", format_value(*request.initial));
    if (!about.is_emulated) return words;
    return fmt::format("{}; {} in warps of {}", words, number_of(report.threads, "thread", "threads"),
                       request.warp_width);
}

std::vector<std::string> count_words(const trace_report& report) {
    const registry::trace_counts& counts = report.counts;
    std::vector<std::string> lines;
    std::string words;
    const auto add = [&](const std::string& more) { words += (words.empty() ? "" : "; ") + more; };
    if (report.left_count)
        add(number_of(*report.left_count, "element goes", "elements go") + " to the left");
    else
        add(fmt::format("{}, depth {}", number_of(counts.combines, "combine", "combines"), counts.depth));
    if (counts.shuffles != 0) add(number_of(counts.shuffles, "shuffle", "shuffles"));
    if (counts.ballots != 0) add(number_of(counts.ballots, "ballot", "ballots"));
    if (counts.writes != 0) add(number_of(counts.barriers, "barrier", "barriers"));
    lines.push_back(words);
    if (counts.writes == 0) return lines;
    words = fmt::format("shared memory: {}, {}, ", number_of(counts.reads, "read", "reads"),
                        number_of(counts.writes, "write", "writes"));
    if (counts.passes == counts.requests)
        words += "no bank conflicts";
    else
        words += fmt::format("bank conflicts cost {}, at worst {} in one access",
                             number_of(counts.passes - counts.requests, "further pass", "further passes"),
                             counts.worst_degree);
    lines.push_back(words);
    return lines;
}

std::string combine_words(const trace_request& request, const std::string& left, const std::string& right) {
    const auto between = [&](const char* sign) { return fmt::format("{} {} {}", left, sign, right); };
    if (info(request.algorithm).is_partition) return between("+");
    switch (request.op) {
        case registry::operation::plus:
            return between("+");
        case registry::operation::multiplies:
            return between("*");
        case registry::operation::minimum:
            return fmt::format("min({}, {})", left, right);
        case registry::operation::maximum:
            return fmt::format("max({}, {})", left, right);
        case registry::operation::bit_and:
            return between("&");
        case registry::operation::bit_or:
            return between("|");
        case registry::operation::bit_xor:
            return between("^");
        case registry::operation::logical_and:
            return between("and");
        case registry::operation::logical_or:
            return between("or");
    }
    return between("(+)");
}

std::vector<bool> marked_cells(const trace_report& report, const trace_step& step) {
    std::vector<bool> marked(step.cells.size());
    for (const trace_action& action : step.actions) {
        if (action.to.array == step.array && makes_news(report, action)) marked[action.to.index] = true;
    }
    return marked;
}

}  // namespace upsweep::cli
