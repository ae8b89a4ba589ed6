// A trace as a picture: a row for each step, the cells of its array in columns, and lines from what was
// combined or moved to what came of it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "cli/commands/trace_job.hpp"
#include "cli/plot/canvas.hpp"
#include "cli/plot/palette.hpp"
#include "cli/plot/stroke_font.hpp"
#include "cli/usage.hpp"

namespace upsweep::cli {
namespace {

using registry::trace_action;
using registry::trace_cell;
using registry::trace_report;
using registry::trace_request;
using registry::trace_step;

// CSS pixels.
constexpr double margin = 24;
constexpr double cell_height = 26;
constexpr double cell_gap = 10;
constexpr double value_size = 13, step_label_size = 13, heading_size = 19, small_size = 12;
constexpr double most_pixels = 8192;  // of width or height

constexpr plot_color paper = {0xff, 0xff, 0xff};
constexpr plot_color made_fill = {0xdd, 0xec, 0xf7};
constexpr plot_color made_edge = {0x00, 0x72, 0xb2};
constexpr plot_color kept_edge = {0xc4, 0xca, 0xd2};
constexpr plot_color kept_line = {0xdf, 0xe3, 0xe8};
constexpr plot_color move_line = {0x9a, 0xa2, 0xad};

struct placed_row {
    const trace_step* step;
    double top;
};

class trace_drawing {
  public:
    trace_drawing(const trace_request& request, const trace_report& report)
        : request_(request), report_(report) {
        const auto& columns = report.arrays[report.steps.front().array].columns;
        is_named_ = !columns.empty();
        double widest = text_width("00", value_size);
        for (const trace_step& step : report.steps) {
            most_cells_ = std::max(most_cells_, step.cells.size());
            label_width_ = std::max(label_width_, text_width(step.label, step_label_size));
            for (const auto& cell : step.cells)
                widest = std::max(widest, text_width(text_of(cell), value_size));
        }
        for (const std::string& column : columns) widest = std::max(widest, text_width(column, small_size));
        cell_width_ = std::ceil(widest * 1.15 + 14);
        left_ = margin + std::ceil(label_width_ * 1.1) + 50;
        width_ = left_ + static_cast<double>(most_cells_) * (cell_width_ + cell_gap) - cell_gap + margin;
        for (const std::string& words : count_words(report)) counts_ += (counts_.empty() ? "" : "; ") + words;
        place_rows();
    }

    std::string draw(picture_format format) {
        if (width_ > most_pixels || height_ > most_pixels) {
            throw usage_error(
                fmt::format("--plot: a picture of {} steps with {} cells would have {:.0f} by {:.0f} "
                            "pixels, at most {:.0f} are drawn; trace fewer elements",
                            report_.steps.size(), most_cells_, width_, height_, most_pixels));
        }
        const std::string title(info(request_.algorithm).title);
        out_ = format == picture_format::svg ? make_svg_canvas(picture_width(), height_, title)
                                             : make_png_canvas(picture_width(), height_);
        out_->text(margin, margin + heading_size, title, {heading_size, ink, text_anchor::start, true});
        out_->text(margin, margin + heading_size + 22, trace_words(request_, report_),
                   {small_size + 1, soft_ink});
        for (std::size_t i = 0; i < most_cells_; ++i) draw_header(i);
        for (std::size_t k = 1; k < rows_.size(); ++k) draw_kept(k);
        for (const bool combines : {false, true}) {
            for (std::size_t k = 1; k < rows_.size(); ++k) draw_actions(k, combines);
        }
        for (const placed_row& row : rows_) draw_cells(row);
        out_->text(margin, height_ - margin + 4, counts_, {small_size, soft_ink});
        return out_->finish();
    }

  private:
    static std::string text_of(const std::optional<registry::value>& cell) {
        return cell ? format_value(*cell) : std::string();
    }
    [[nodiscard]] double center(std::size_t index) const {
        return left_ + static_cast<double>(index) * (cell_width_ + cell_gap) + cell_width_ / 2;
    }
    // Words above and below the steps want room too.
    [[nodiscard]] double picture_width() const {
        const double words = std::max(text_width(trace_words(request_, report_), small_size + 1),
                                      text_width(counts_, small_size));
        return std::max(width_, std::min(most_pixels, words * 1.1 + 2 * margin));
    }

    // Steep lines are read more easily, so wide steps stand farther apart.
    void place_rows() {
        double y = margin + heading_size + 62;
        for (const trace_step& step : report_.steps) {
            if (!rows_.empty()) {
                double reach = 0;
                for (const trace_action& action : step.actions) {
                    for (const trace_cell& from : operands(action))
                        reach = std::max(reach, std::abs(center(from.index) - center(action.to.index)));
                }
                const double gap = is_named_ ? 16.0 : std::clamp(reach * 0.22, 22.0, 110.0);
                y += cell_height + gap;
            }
            rows_.push_back({&step, y});
        }
        height_ = y + cell_height + 30 + margin;
    }

    static std::vector<trace_cell> operands(const trace_action& action) {
        if (action.right) return {action.left, *action.right};
        return {action.left};
    }

    // The row above row k that shows the array last. The first row shows the elements, where they have none
    // of their own.
    [[nodiscard]] std::optional<std::size_t> row_of(unsigned array, std::size_t k) const {
        for (std::size_t above = k; above-- > 0;) {
            if (rows_[above].step->array == array) return above;
        }
        if (array == 0) return 0;
        return std::nullopt;
    }

    void draw_header(std::size_t index) {
        const auto& columns = report_.arrays[report_.steps.front().array].columns;
        out_->text(center(index), rows_.front().top - 8, is_named_ ? columns[index] : std::to_string(index),
                   {small_size - 1, axis_color, text_anchor::middle});
    }

    // From where a cell is shown last to a cell of row k.
    void line(const trace_cell& from, std::size_t k, unsigned to, double width, plot_color color) {
        const std::optional<std::size_t> above = row_of(from.array, k);
        if (!above) return;
        const plot_point ends[] = {{center(from.index), rows_[*above].top + cell_height},
                                   {center(to), rows_[k].top}};
        out_->polyline(ends, width, color);
    }

    // What stays and what is carried on at the same index, below all other lines.
    void draw_kept(std::size_t k) {
        const trace_step& step = *rows_[k].step;
        if (step.actions.empty()) return;
        std::vector<trace_cell> from;
        for (unsigned i = 0; i < step.cells.size(); ++i) from.push_back({step.array, i});
        for (const trace_action& action : step.actions) {
            if (!makes_news(report_, action)) from[action.to.index] = action.left;
        }
        const std::vector<bool> marked = marked_cells(report_, step);
        for (unsigned i = 0; i < step.cells.size(); ++i) {
            if (!marked[i] && step.cells[i] && !is_outside_tree(i)) line(from[i], k, i, 1, kept_line);
        }
    }

    void draw_actions(std::size_t k, bool combines) {
        const trace_step& step = *rows_[k].step;
        for (const trace_action& action : step.actions) {
            if (action.right.has_value() != combines || !makes_news(report_, action)) continue;
            if (is_outside_tree(action.to.index)) continue;
            for (const trace_cell& from : operands(action)) {
                if (report_.arrays[from.array].constant || is_in_this_row(step, action, from)) continue;
                line(from, k, action.to.index, combines ? 1.6 : 1.3, combines ? made_edge : move_line);
            }
        }
    }

    // The tree's rows are elements; each begins with one and ends with a prefix, of what stands in the row.
    [[nodiscard]] bool is_outside_tree(std::size_t index) const {
        return is_named_ && (index == 0 || index + 1 == most_cells_);
    }
    // Its steps do one thing after the other: no line leads to what was made in the same row.
    [[nodiscard]] bool is_in_this_row(const trace_step& step, const trace_action& action,
                                      const trace_cell& from) const {
        if (!is_named_) return false;
        if (is_outside_tree(from.index)) return true;
        for (const trace_action& other : step.actions) {
            if (&other == &action) return false;
            if (other.to == from) return true;
        }
        return false;
    }

    void draw_cells(const placed_row& row) {
        const trace_step& step = *row.step;
        const double base = row.top + cell_height / 2 + value_size * 0.36;
        out_->text(margin, base, step.label, {step_label_size, ink});
        out_->text(left_ - 14, base, report_.arrays[step.array].name,
                   {step_label_size, soft_ink, text_anchor::end, true});
        const std::vector<bool> marked = marked_cells(report_, step);
        for (std::size_t i = 0; i < step.cells.size(); ++i) {
            if (is_named_ && !step.cells[i]) continue;
            const double x = center(i) - cell_width_ / 2;
            const plot_rectangle box{x, row.top, cell_width_, cell_height};
            out_->rectangles({&box, 1}, marked[i] ? made_fill : paper);
            const plot_point edge[] = {{x, row.top},
                                       {x + cell_width_, row.top},
                                       {x + cell_width_, row.top + cell_height},
                                       {x, row.top + cell_height},
                                       {x, row.top}};
            out_->polyline(edge, marked[i] ? 1.4 : 1, marked[i] ? made_edge : kept_edge);
            out_->text(center(i), base, text_of(step.cells[i]),
                       {value_size, marked[i] ? ink : soft_ink, text_anchor::middle, marked[i]});
        }
    }

    const trace_request& request_;
    const trace_report& report_;
    std::unique_ptr<canvas> out_;
    std::vector<placed_row> rows_;
    std::string counts_;
    std::size_t most_cells_ = 1;
    double label_width_ = 0, cell_width_ = 0, left_ = 0, width_ = 0, height_ = 0;
    bool is_named_ = false;  // the cells, instead of being numbered
};

}  // namespace

std::string trace_picture(const trace_request& request, const trace_report& report, picture_format format) {
    return trace_drawing(request, report).draw(format);
}

}  // namespace upsweep::cli
