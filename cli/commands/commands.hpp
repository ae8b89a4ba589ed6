// The commands of the tool. Each adds itself to the program with its help page and the function that runs it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/help.hpp"

namespace CLI {
class App;
}

namespace upsweep::cli {

struct command {
    help_page page;
    CLI::App* app = nullptr;
    std::function<void()> run;  // once the arguments are parsed; throws usage_error and upsweep::error
};

[[nodiscard]] command add_scan(CLI::App& program);
[[nodiscard]] command add_reduce(CLI::App& program);
[[nodiscard]] command add_recurrence(CLI::App& program);
[[nodiscard]] command add_compact(CLI::App& program);
[[nodiscard]] command add_partition(CLI::App& program);
[[nodiscard]] command add_histogram(CLI::App& program);
[[nodiscard]] command add_bins(CLI::App& program);
[[nodiscard]] command add_sort(CLI::App& program);
[[nodiscard]] command add_trace(CLI::App& program);
[[nodiscard]] command add_bench(CLI::App& program);
[[nodiscard]] command add_devices(CLI::App& program);

}  // namespace upsweep::cli
