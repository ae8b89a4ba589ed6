// `upsweep devices`: what scans can run on here.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>
#include <variant>

#include "cli/commands/commands.hpp"
#include "cli/json.hpp"
#include "cli/progress.hpp"
#include "registry/device.hpp"
#include "registry/measure.hpp"
#include "upsweep/error.hpp"

namespace upsweep::cli {
namespace {

void write_fact(json_writer& json, const registry::device_fact& fact) {
    json.key(fact.key);
    if (const auto* number = std::get_if<std::uint64_t>(&fact.value)) {
        json.integer(*number);
    } else if (const auto* text = std::get_if<std::string>(&fact.value)) {
        json.text(*text);
    } else {
        json.begin_array();
        for (const std::string& each : std::get<std::vector<std::string>>(fact.value)) json.text(each);
        json.end_array();
    }
}

// What is only known of a device that has been opened.
struct examination {
    std::vector<std::string> findings;  // in what its bits differ from the CPU's
    double bandwidth = 0;               // bytes a second
};

// A device that is listed but cannot be used is one that is not available.
examination examine(registry::device_info& info) {
    if (!info.available) return {};
    try {
        const registry::device device(info.name);
        return {device.findings(), registry::copy_bandwidth(device)};
    } catch (const error& problem) {
        info.available = false;
        info.reason = problem.what();
        return {};
    }
}

void write_device(json_writer& json, const registry::device_info& info, const examination& seen) {
    json.begin_object().key("name").text(info.name).key("available").boolean(info.available);
    if (info.available) {
        json.key("model").text(info.model);
        for (const registry::device_fact& fact : info.facts) write_fact(json, fact);
        json.key("bit_conforming").boolean(seen.findings.empty());
        write_fact(json, {"findings", seen.findings});
        json.key("copy_bytes_per_second").number(seen.bandwidth);
    } else {
        json.key("reason").text(info.reason);
    }
    json.end_object();
}

void print_device(const registry::device_info& info, const examination& seen) {
    bool first = true;
    const auto line = [&](const std::string& text) {
        fmt::print("{:8} {}\n", std::exchange(first, false) ? info.name : "", text);
    };
    if (!info.available) return line("not available: " + info.reason);
    line(info.model.empty() ? "processor of unknown model" : info.model);
    line(info.details);
    line(fmt::format("copies {}/s in its memory (read and written)", bytes_text(seen.bandwidth)));
    line(seen.findings.empty() ? "bit-conforming" : "not bit-conforming; such scans are refused:");
    for (const std::string& finding : seen.findings) line("  " + finding);
}

void print_devices(bool as_json) {
    json_writer json;
    json.begin_array();
    for (registry::device_info& info : registry::list_devices()) {
        const examination seen = examine(info);
        if (as_json)
            write_device(json, info, seen);
        else
            print_device(info, seen);
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
        "Lists the devices of this machine with the names that --device takes, what is known of each, and "
        "how fast it copies its memory: the limit of any scan. The environment variable UPSWEEP_SIMD forces "
        "one of the processor's instruction sets by name. Takes about half a second a device, because the "
        "copy is measured. A device is bit-conforming if its sums and products have the bits of the CPU's, "
        "which is tried on gl and vulkan: drivers may turn subnormal numbers into zero or fuse a product and "
        "a sum. What a driver gets wrong is listed and not scanned there.";
    made.page.sections.push_back(
        {"JSON",
         {"With --json, an array of objects with the fields name and available. Those that are not available "
          "have reason; the others have model, bit_conforming, findings (what is not conforming, a text "
          "each), copy_bytes_per_second and what their kind is known by: threads, simd and simd_levels of "
          "the CPU; memory_bytes, multiprocessors and compute_capability on cuda; type (GPU or software) and "
          "driver on gl and vulkan, api_version on vulkan."}});
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
