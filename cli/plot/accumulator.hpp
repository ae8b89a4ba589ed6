// Reduces any number of points to what a picture can show: up to four points a bucket of x (first, last,
// lowest, highest), which draws the same pixels as all points would. (M4: Jugel et al., VLDB 2014.)
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cli/plot/figure.hpp"

namespace upsweep::cli {

class plot_accumulator {
  public:
    // Memory: 72 bytes a bucket, whatever is added. Between half and all of the buckets are in use; with
    // twice as many as the picture has pixel columns, no difference is visible.
    explicit plot_accumulator(std::size_t buckets = 2048);

    // In any order of x, though ascending or descending is fastest. A point that is not finite is counted
    // only.
    void add(double x, double y) {
        if (x >= current_begin_ && x < current_end_ && std::isfinite(y)) {
            ++count_;
            return buckets_[current_].add({x, y});
        }
        add_elsewhere(x, y);
    }

    // Points added; those not finite too.
    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] std::uint64_t not_finite() const { return not_finite_; }
    // By ascending x; exactly the points added while these are no more than four a bucket.
    [[nodiscard]] std::vector<plot_point> points() const;

  private:
    struct bucket {
        plot_point first, last, lowest, highest;
        bool empty = true;

        void add(plot_point p) {
            if (empty) {
                first = last = lowest = highest = p;
                empty = false;
                return;
            }
            if (p.y < lowest.y) lowest = p;
            if (p.y > highest.y) highest = p;
            if (p.x < first.x) first = p;
            if (p.x >= last.x) last = p;
        }
        void merge(const bucket& other);
    };

    void add_elsewhere(double x, double y);
    void start_buckets();
    void place(plot_point p);
    void coarsen(bool downwards);

    std::size_t bucket_count_;
    std::vector<plot_point> exact_;  // everything, until there is too much
    std::vector<bucket> buckets_;    // bucket i holds x in [origin_ + i width_, origin_ + (i + 1) width_)
    double origin_ = 0;
    double width_ = 0;
    std::size_t current_ = 0;  // bucket of the last point, and its limits
    double current_begin_ = 0;
    double current_end_ = 0;
    std::uint64_t count_ = 0;
    std::uint64_t not_finite_ = 0;
};

}  // namespace upsweep::cli
