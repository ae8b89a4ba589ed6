// One benchmark program: its command line, its cells (a work, a type, a size), and a line of JSON for every
// contender of a cell. A contender whose result is wrong is reported and left out, and the program then ends
// with status 1.
#pragma once

#include "measure.hpp"

#include <unistd.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <regex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace bench {

struct cell {
    std::string work;   // "inclusive", "axis 0", ...
    std::string type;   // "float", ...
    std::size_t n;      // elements of the input
    std::size_t bytes;  // read and written by the work, each byte once
    std::string shape{};
    std::string label() const {
        return work + "/" + type + "/" + (shape.empty() ? std::to_string(n) : shape);
    }
};

class session {
  public:
    session(int argc, char** argv) {
        for (int i = 1; i < argc; ++i) {
            const std::string word = argv[i];
            const auto value = [&]() -> std::string {
                if (i + 1 < argc) return argv[++i];
                throw std::invalid_argument(word + " needs a value");
            };
            if (word == "--quick")
                quick_ = true;
            else if (word == "--list")
                list_ = true;
            else if (word == "--filter")
                filter_ = std::regex(value());
            else if (word == "--threads")
                threads_ = std::stoul(value());
            else if (word == "--json")
                open(value());
            else
                throw std::invalid_argument(
                    "usage: [--quick] [--list] [--filter REGEX on work/type/n] [--threads N] [--json FILE, "
                    "appended]");
        }
        if (quick_) budget_ = {100e-6, 0.15, 5, 15};
    }
    ~session() {
        if (output_ != nullptr && output_ != stdout) std::fclose(output_);
    }
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    bool quick() const { return quick_; }
    std::size_t threads() const { return threads_; }
    int status() const { return failed_ ? 1 : 0; }
    // Whether so many bytes are at most half of the machine's memory.
    bool fits(std::size_t bytes) const {
        const auto pages = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES));
        return bytes <= pages / 2 * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    }

    bool wants(const cell& which) {
        if (!std::regex_search(which.label(), filter_)) return false;
        if (list_) std::puts(which.label().c_str());
        return !list_;
    }

    void measure(const cell& which, std::vector<contender> contenders) {
        std::erase_if(contenders, [&](const contender& one) { return !is_right(which, one); });
        report(which, contenders, interleaver(budget_).measure(contenders));
    }

    // Writes one line for every contender. Of copies and of peers, the fastest by median is the one compared
    // against.
    void report(const cell& which, const std::vector<contender>& contenders, const timings& times) {
        const std::size_t copy = fastest(role::copy, contenders, times);
        const std::size_t rival = fastest(role::peer, contenders, times);
        for (std::size_t i = 0; i < contenders.size(); ++i) {
            const std::vector<double> own = present(times[i]);
            const double middle = median(own);
            std::string line = "{\"work\": " + quoted(which.work) + ", \"type\": " + quoted(which.type) +
                               ", \"n\": " + std::to_string(which.n);
            if (!which.shape.empty()) line += ", \"shape\": " + quoted(which.shape);
            line += ", \"contender\": " + quoted(contenders[i].name) +
                    ", \"role\": " + quoted(name(contenders[i].kind)) +
                    ", \"threads\": " + std::to_string(contenders[i].threads) +
                    ", \"samples\": " + std::to_string(own.size()) +
                    ", \"bytes\": " + std::to_string(which.bytes);
            line += number("seconds", middle) + number("p10", percentile(own, 0.1)) +
                    number("p90", percentile(own, 0.9)) +
                    number("bytes_per_second", static_cast<double>(which.bytes) / middle);
            if (copy != none) {
                line += ", \"copy\": " + quoted(contenders[copy].name) +
                        number("ratio_to_copy", median(each_round(times[copy], times[i], std::divides<>{})));
            }
            if (rival != none) {
                line += ", \"best_peer\": " + quoted(contenders[rival].name) +
                        number("ratio_to_best_peer",
                               median(each_round(times[rival], times[i], std::divides<>{}))) +
                        number("seconds_behind_best_peer",
                               median(each_round(times[i], times[rival], std::minus<>{})));
            }
            std::fprintf(output_, "%s}\n", line.c_str());
        }
        std::fflush(output_);
    }

  private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    void open(const std::string& path) {
        output_ = path == "-" ? stdout : std::fopen(path.c_str(), "a");
        if (output_ == nullptr) throw std::runtime_error("cannot write " + path);
    }

    bool is_right(const cell& which, const contender& one) {
        if (!one.correct || one.correct()) return true;
        std::fprintf(stderr, "%s: wrong result of %s\n", which.label().c_str(), one.name.c_str());
        failed_ = true;
        return false;
    }

    static std::size_t fastest(role kind, const std::vector<contender>& contenders, const timings& times) {
        std::size_t best = none;
        for (std::size_t i = 0; i < contenders.size(); ++i)
            if (contenders[i].kind == kind &&
                (best == none || median(present(times[i])) < median(present(times[best]))))
                best = i;
        return best;
    }

    static std::vector<double> present(std::vector<double> values) {
        std::erase_if(values, [](double value) { return std::isnan(value); });
        return values;
    }

    template <class Combine>
    static std::vector<double> each_round(const std::vector<double>& a, const std::vector<double>& b,
                                          Combine combine) {
        std::vector<double> result;
        for (std::size_t i = 0; i < a.size(); ++i) result.push_back(combine(a[i], b[i]));
        return present(std::move(result));
    }

    static std::string quoted(const std::string& text) { return '"' + text + '"'; }
    static std::string number(const char* key, double value) {
        char text[64];
        std::snprintf(text, sizeof text, ", \"%s\": %.5g", key, value);
        return text;
    }

    bool quick_ = false;
    bool list_ = false;
    bool failed_ = false;
    std::size_t threads_ = std::max(1u, std::thread::hardware_concurrency());
    std::regex filter_{""};  // finds itself in every label; a default-constructed one in none
    effort budget_;
    std::FILE* output_ = stdout;
};

// Runs a program's body; a bad command line or a failed allocation ends in one line and status 2.
template <class Body>
int run_session(int argc, char** argv, Body body) {
    try {
        session current(argc, argv);
        body(current);
        return current.status();
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "%s: %s\n", argv[0], problem.what());
        return 2;
    }
}

}  // namespace bench
