// Drawing of the progress bar, ten times a second at most.
#include "cli/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace upsweep::cli {

std::string bytes_text(double bytes) {
    constexpr std::array<const char*, 6> units = {"B", "kB", "MB", "GB", "TB", "PB"};
    std::size_t unit = 0;
    for (; bytes >= 999.5 && unit + 1 < units.size(); ++unit) bytes /= 1000;
    return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.3g} {}", bytes, units[unit]);
}

progress_bar::progress_bar(std::string label, std::optional<std::uint64_t> total)
    : label_(std::move(label)),
      total_(total),
      terminal_(::isatty(STDERR_FILENO) != 0),
      start_(std::chrono::steady_clock::now()) {
    const char* no_color = std::getenv("NO_COLOR");
    colors_ = no_color == nullptr || *no_color == '\0';
}

progress_bar::~progress_bar() {
    if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void progress_bar::advance(std::uint64_t bytes) {
    done_ += bytes;
    if (!terminal_) return;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    if (seconds < next_) return;
    next_ = seconds + 0.1;
    draw(seconds);
}

void progress_bar::draw(double seconds) {
    winsize window{};
    const std::size_t columns =
        ::ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 ? window.ws_col : 80;
    const double rate = static_cast<double>(done_) / seconds;
    std::string words;
    if (total_ && *total_ != 0) {
        const double share = std::min(1.0, static_cast<double>(done_) / static_cast<double>(*total_));
        const double left = share > 0 ? seconds * (1 - share) / share : 0;
        words = fmt::format(" {:3.0f} %  {} of {}  {}/s  {:.0f} s left", 100 * share,
                            bytes_text(static_cast<double>(done_)), bytes_text(static_cast<double>(*total_)),
                            bytes_text(rate), left);
        const std::size_t room =
            columns > words.size() + label_.size() + 2 ? columns - words.size() - label_.size() - 2 : 0;
        const std::size_t cells = std::min<std::size_t>(room, 30);
        const auto full = static_cast<std::size_t>(share * static_cast<double>(cells));
        const std::string bar = std::string(full, '#') + std::string(cells - full, '.');
        words = " " + (colors_ ? "\x1b[36m" + bar + "\x1b[0m" : bar) + words;
    } else {
        words = fmt::format(" {}  {}/s  {:.0f} s", bytes_text(static_cast<double>(done_)), bytes_text(rate),
                            seconds);
    }
    if (label_.size() + words.size() < columns + 12)
        std::fputs(("\r\x1b[K" + label_ + words).c_str(), stderr);
    std::fflush(stderr);
    drawn_ = true;
}

}  // namespace upsweep::cli
