// Opening and listing devices.
#include "registry/device.hpp"

#include <algorithm>
#include <array>
#include <fstream>

#include "upsweep/cpu/executor.hpp"
#include "upsweep/error.hpp"

namespace upsweep::registry {
namespace {

constexpr std::array<std::string_view, 5> names = {"auto", "cpu", "cuda", "gl", "vulkan"};
constexpr std::array<std::string_view, 3> later = {"cuda", "gl", "vulkan"};
constexpr const char* absent = "this version has no back end for it";

// Linux only; other systems show no model.
std::string processor_model() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.rfind("model name", 0) != 0) continue;
        const std::size_t colon = line.find(':');
        if (colon != std::string::npos && colon + 2 < line.size()) return line.substr(colon + 2);
    }
    return {};
}

}  // namespace

device::device(std::string_view name, std::size_t threads) {
    if (std::find(later.begin(), later.end(), name) != later.end()) {
        throw_error(errc::unsupported, "device " + std::string(name) + ": " + absent);
    }
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        throw_error(errc::invalid_argument,
                    "device: expected one of " + device_names() + ", but it is " + std::string(name));
    }
    executor_ = std::make_unique<cpu::executor>(threads);
}
device::device(device&&) noexcept = default;
device& device::operator=(device&&) noexcept = default;
device::~device() = default;

std::size_t device::threads() const { return executor_->threads(); }
std::string_view device::simd() const { return cpu::name(executor_->simd()); }

std::string device_names() {
    std::string text;
    for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
    return text;
}

std::vector<device_info> list_devices() {
    const device cpu("cpu");
    device_info processor;
    processor.name = "cpu";
    processor.model = processor_model();
    processor.available = true;
    processor.threads = cpu.threads();
    processor.simd = cpu.simd();
    for (const cpu::simd_level level : cpu::supported_simd_levels())
        processor.simd_levels.emplace_back(cpu::name(level));
    std::vector<device_info> all = {std::move(processor)};
    for (const std::string_view name : later) {
        device_info info;
        info.name = name;
        info.reason = absent;
        all.push_back(std::move(info));
    }
    return all;
}

}  // namespace upsweep::registry
