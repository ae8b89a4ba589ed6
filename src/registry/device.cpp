// Opening and listing devices.
#include "registry/device.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <optional>
#include <utility>

#include "registry/back_end.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/error.hpp"

namespace upsweep::registry {
namespace {

constexpr std::array<std::string_view, 5> names = {"auto", "cpu", "cuda", "gl", "vulkan"};
constexpr std::size_t first_accelerator = 2;
constexpr std::string_view automatic = names.front();
constexpr std::string_view preferred = "cuda";  // by `automatic`
constexpr const char* absent = "this build has no back end for it";

std::vector<back_end>& back_ends() {
    static std::vector<back_end> added;
    return added;
}
// Null if it was not added.
const back_end* find_back_end(std::string_view name) {
    for (const back_end& one : back_ends()) {
        if (one.name == name) return &one;
    }
    return nullptr;
}

// The first device of a kind; null where there is none that can be used.
std::unique_ptr<accelerator> open_if_there(std::string_view kind) {
    const back_end* const found = find_back_end(kind);
    if (found == nullptr) return nullptr;
    try {
        return found->open(0);
    } catch (const error&) {
        return nullptr;
    }
}

// The first device of a kind is called by the kind alone.
std::string device_name(std::string_view kind, std::size_t number) {
    return std::string(kind) + (number == 0 ? "" : ":" + std::to_string(number));
}

// The number behind the colon; nothing if it is none.
std::optional<std::size_t> parse_number(std::string_view text) {
    std::size_t number = 0;
    const char* const last = text.data() + text.size();
    const auto [end, problem] = std::from_chars(text.data(), last, number);
    if (problem != std::errc() || end != last) return std::nullopt;
    return number;
}

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

device_info processor() {
    const device cpu("cpu");
    device_info info;
    info.name = "cpu";
    info.model = processor_model();
    info.available = true;
    std::vector<std::string> levels;
    for (const cpu::simd_level level : cpu::supported_simd_levels()) levels.emplace_back(cpu::name(level));
    std::string list;
    for (const std::string& level : levels) list += (list.empty() ? "" : ", ") + level;
    info.details = std::to_string(cpu.threads()) + (cpu.threads() == 1 ? " thread" : " threads") +
                   ", instructions: " + std::string(cpu.simd()) + " (supported: " + list + ")";
    info.facts = {{"threads", std::uint64_t{cpu.threads()}},
                  {"simd", std::string(cpu.simd())},
                  {"simd_levels", std::move(levels)}};
    return info;
}

}  // namespace

void throw_no_such_device(std::size_t count) {
    throw_error(errc::device,
                "there is no such device; the last of its kind has number " + std::to_string(count - 1));
}

void add_back_end(const back_end& made) {
    if (find_back_end(made.name) == nullptr) back_ends().push_back(made);
}

device::device(std::string_view name, std::size_t threads) : name_(name) {
    const std::size_t colon = name.find(':');
    const std::string_view kind = name.substr(0, colon);
    const auto* const known = std::find(names.begin(), names.end(), kind);
    const bool accelerates =
        known != names.end() && known - names.begin() >= std::ptrdiff_t{first_accelerator};
    const std::optional<std::size_t> number =
        colon == std::string_view::npos ? 0 : parse_number(name.substr(colon + 1));
    if (known == names.end() || !number || (!accelerates && colon != std::string_view::npos)) {
        throw_error(errc::invalid_argument, "device: expected one of " + device_names() +
                                                ", or the second of a kind as in cuda:1, but it is " +
                                                std::string(name));
    }
    if (accelerates) {
        name_ = device_name(kind, *number);
        const back_end* const found = find_back_end(kind);
        if (found == nullptr) throw_error(errc::unsupported, "device " + name_ + ": " + absent);
        try {
            accelerator_ = found->open(*number);
        } catch (const error& problem) {
            throw_error(static_cast<errc>(problem.code().value()), "device " + name_ + ": " + problem.what());
        }
    } else {
        if (kind == automatic) accelerator_ = open_if_there(preferred);
        name_ = accelerator_ ? preferred : "cpu";
    }
    executor_ = std::make_unique<cpu::executor>(threads);
}
device::device(device&&) noexcept = default;
device& device::operator=(device&&) noexcept = default;
device::~device() = default;

std::string device::summary() const {
    if (accelerator_) return accelerator_->model();
    return std::to_string(threads()) + (threads() == 1 ? " thread, " : " threads, ") + std::string(simd());
}
std::size_t device::threads() const { return executor_->threads(); }
std::string_view device::simd() const { return cpu::name(executor_->simd()); }
std::vector<std::string> device::findings() const {
    return accelerator_ ? accelerator_->findings() : std::vector<std::string>();
}

std::string device_names() {
    std::string text;
    for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
    return text;
}

std::vector<device_info> list_devices() {
    std::vector<device_info> all = {processor()};
    for (std::size_t k = first_accelerator; k < names.size(); ++k) {
        std::vector<device_info> there(1);
        there.front().reason = absent;
        if (const back_end* found = find_back_end(names[k])) there = found->list();
        for (std::size_t number = 0; number < there.size(); ++number) {
            there[number].name = device_name(names[k], number);
            all.push_back(std::move(there[number]));
        }
    }
    return all;
}

}  // namespace upsweep::registry
