// The devices that scans run on, by name, and what this machine has of them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::cpu {
class executor;
}

namespace upsweep::registry {

// An opened device. Only "cpu" exists in this version; its executor is used by the scanners.
class device {
  public:
    // name: auto, cpu, cuda, gl or vulkan; threads = 0 takes every processor this process may use. Throws
    // upsweep::error: unsupported for a device that this build lacks, invalid_argument for an unknown name.
    explicit device(std::string_view name = "auto", std::size_t threads = 0);
    device(device&&) noexcept;
    device& operator=(device&&) noexcept;
    ~device();

    [[nodiscard]] std::string_view name() const { return "cpu"; }
    [[nodiscard]] std::size_t threads() const;
    // The instruction set in use: "avx2".
    [[nodiscard]] std::string_view simd() const;
    [[nodiscard]] cpu::executor& executor() const { return *executor_; }

  private:
    std::unique_ptr<cpu::executor> executor_;
};

// "auto, cpu, cuda, gl, vulkan"
[[nodiscard]] std::string device_names();

struct device_info {
    std::string name;   // for --device
    std::string model;  // what the machine calls it; empty if unknown
    bool available = false;
    std::string reason;  // why it is not available
    std::size_t threads = 0;
    std::string simd;                      // in use
    std::vector<std::string> simd_levels;  // supported, worst first
};
[[nodiscard]] std::vector<device_info> list_devices();

}  // namespace upsweep::registry
