// A progress bar on standard error: only on a terminal, only for what takes longer than a second.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace upsweep::cli {

class progress_bar {
  public:
    // `total` in bytes, where it is known.
    progress_bar(std::string label, std::optional<std::uint64_t> total);
    progress_bar(const progress_bar&) = delete;
    progress_bar& operator=(const progress_bar&) = delete;
    // Removes the bar from the terminal.
    ~progress_bar();

    // From one thread at a time. Costs a look at the clock.
    void advance(std::uint64_t bytes);

  private:
    void draw(double seconds);

    std::string label_;
    std::optional<std::uint64_t> total_;
    bool terminal_;
    bool colors_;
    bool drawn_ = false;
    std::uint64_t done_ = 0;
    std::chrono::steady_clock::time_point start_;
    double next_ = 1;  // seconds after start_ at which it is drawn again
};

// "1.50 GB"
[[nodiscard]] std::string bytes_text(double bytes);

}  // namespace upsweep::cli
