// Buckets that double their width when x leaves them.
#include "cli/plot/accumulator.hpp"

#include <algorithm>
#include <utility>

#include "cli/plot/marks.hpp"

namespace upsweep::cli {

plot_accumulator::plot_accumulator(std::size_t buckets)
    : bucket_count_(std::max<std::size_t>(buckets + buckets % 2, 2)) {}

void plot_accumulator::bucket::merge(const bucket& other) {
    if (other.empty) return;
    for (const plot_point p : {other.first, other.lowest, other.highest, other.last}) add(p);
}

void plot_accumulator::add_elsewhere(double x, double y) {
    ++count_;
    if (!std::isfinite(x) || !std::isfinite(y)) {
        ++not_finite_;
        return;
    }
    const plot_point p{bounded_coordinate(x), bounded_coordinate(y)};
    if (!buckets_.empty()) return place(p);
    exact_.push_back(p);
    if (exact_.size() > 4 * bucket_count_) start_buckets();
}

void plot_accumulator::start_buckets() {
    const auto [left, right] = std::minmax_element(exact_.begin(), exact_.end(),
                                                   [](plot_point a, plot_point b) { return a.x < b.x; });
    const double range = right->x - left->x;
    origin_ = left->x;
    width_ = 2 * range / static_cast<double>(bucket_count_);
    // Wide enough that adding it moves any coordinate.
    const double smallest = std::max({std::abs(left->x), std::abs(right->x), 1e-280}) * 1e-12;
    width_ = std::max(width_, smallest);
    buckets_.resize(bucket_count_);
    for (const plot_point p : exact_) place(p);
    exact_ = {};
}

void plot_accumulator::place(plot_point p) {
    const auto limit = static_cast<double>(bucket_count_);
    while (p.x < origin_) coarsen(true);
    while ((p.x - origin_) / width_ >= limit) coarsen(false);
    current_ = std::min(static_cast<std::size_t>((p.x - origin_) / width_), bucket_count_ - 1);
    current_begin_ = origin_ + static_cast<double>(current_) * width_;
    current_end_ = current_begin_ + width_;
    buckets_[current_].add(p);
}

// Doubles the width; the old buckets become the lower half of the new ones, or the upper half when the room
// is needed below.
void plot_accumulator::coarsen(bool downwards) {
    const std::size_t half = bucket_count_ / 2;
    std::vector<bucket> wide(bucket_count_);
    for (std::size_t i = 0; i < bucket_count_; ++i) wide[i / 2 + (downwards ? half : 0)].merge(buckets_[i]);
    if (downwards) origin_ -= static_cast<double>(bucket_count_) * width_;
    width_ *= 2;
    buckets_ = std::move(wide);
}

std::vector<plot_point> plot_accumulator::points() const {
    std::vector<plot_point> result = exact_;
    for (const bucket& one : buckets_) {
        if (one.empty) continue;
        const std::size_t start = result.size();
        for (const plot_point p : {one.first, one.lowest, one.highest, one.last}) {
            const auto same = [p](plot_point q) { return p.x == q.x && p.y == q.y; };
            if (std::none_of(result.begin() + static_cast<std::ptrdiff_t>(start), result.end(), same))
                result.push_back(p);
        }
    }
    std::stable_sort(result.begin(), result.end(), [](plot_point a, plot_point b) { return a.x < b.x; });
    return result;
}

}  // namespace upsweep::cli
