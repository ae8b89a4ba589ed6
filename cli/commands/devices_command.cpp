// `upsweep devices`: what scans can run on here.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/json.hpp"
#include "cli/progress.hpp"
#include "registry/device.hpp"
#include "registry/measure.hpp"

namespace upsweep::cli {
namespace {

void print_devices(bool as_json) {
    json_writer json;
    json.begin_array();
    for (const registry::device_info& info : registry::list_devices()) {
        const double bandwidth = info.available ? registry::copy_bandwidth(registry::device(info.name)) : 0;
        json.begin_object().key("name").text(info.name).key("available").boolean(info.available);
        if (!info.available) {
            json.key("reason").text(info.reason).end_object();
            if (!as_json) fmt::print("{:8} not available: {}\n", info.name, info.reason);
            continue;
        }
        json.key("model").text(info.model).key("threads").integer(info.threads).key("simd").text(info.simd);
        json.key("simd_levels").begin_array();
        for (const std::string& level : info.simd_levels) json.text(level);
        json.end_array().key("copy_bytes_per_second").number(bandwidth).end_object();
        if (as_json) continue;
        fmt::print("{:8} {}\n", info.name, info.model.empty() ? "processor of unknown model" : info.model);
        fmt::print("{:8} {} thread{}, instructions: {} (supported: {})\n", "", info.threads,
                   info.threads == 1 ? "" : "s", info.simd, fmt::join(info.simd_levels, ", "));
        fmt::print("{:8} copies {}/s (read and written, all threads)\n", "", bytes_text(bandwidth));
    }
    json.end_array();
    if (as_json) fmt::print("{}\n", json.result());
}

}  // namespace

command add_devices(CLI::App& program) {
    command made;
    made.page.name = "upsweep devices";
    made.page.summary = "what scans can run on here";
    made.page.synopsis = {"upsweep devices [--json]"};
    made.page.description =
        "Lists the devices of this machine with the names that --device takes, the processor's instruction "
        "sets (the environment variable "
        "UPSWEEP_SIMD forces one by name), and how fast memory is copied: the limit of any scan. Takes about "
        "half a second, because the "
        "copy is measured.";
    made.page.examples = {{"upsweep devices", "What this machine has:"},
                          {"UPSWEEP_SIMD=portable upsweep devices", "Without vector instructions:"}};
    made.page.see_also = {"upsweep", "upsweep scan", "upsweep bench"};
    made.app = program.add_subcommand("devices", made.page.summary);
    const auto as_json = std::make_shared<bool>(false);
    made.app->add_flag("--json", *as_json, "a JSON array of objects on standard output");
    made.run = [as_json] { print_devices(*as_json); };
    return made;
}

}  // namespace upsweep::cli
