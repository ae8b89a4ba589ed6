// Where scans run, chosen by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace upsweep::cpu {
class executor;
}

namespace upsweep::registry {

class accelerator;

// An opened device: the CPU, or a device of a back end that was added (back_end.hpp).
class device {
  public:
    // name: auto, cpu, cuda, gl or vulkan; with several devices of a kind, cuda:1 is the second one. auto is
    // the first CUDA GPU where there is one, else the CPU. threads = 0 takes every processor this process may
    // use. Throws upsweep::error: unsupported for a device that this build lacks, device for one that this
    // machine lacks, invalid_argument for an unknown name.
    explicit device(std::string_view name = "cpu", std::size_t threads = 0);
    device(device&&) noexcept;
    device& operator=(device&&) noexcept;
    ~device();

    // As the constructor takes it: "cpu", "cuda", "vulkan:1".
    [[nodiscard]] const std::string& name() const { return name_; }
    // For people: "2 threads, avx2", or the model.
    [[nodiscard]] std::string summary() const;
    // The CPU's, whatever the device.
    [[nodiscard]] std::size_t threads() const;
    // The instruction set in use: "avx2".
    [[nodiscard]] std::string_view simd() const;
    [[nodiscard]] cpu::executor& executor() const { return *executor_; }
    // Null: the CPU.
    [[nodiscard]] accelerator* accelerated() const { return accelerator_.get(); }
    // As accelerator::findings(); of the CPU there are none.
    [[nodiscard]] std::vector<std::string> findings() const;

  private:
    std::string name_;
    std::unique_ptr<cpu::executor> executor_;
    std::unique_ptr<accelerator> accelerator_;
};

// "auto, cpu, cuda, gl, vulkan"
[[nodiscard]] std::string device_names();

// Something known of a device, for programs: ("memory_bytes", 150754820096).
struct device_fact {
    std::string key;
    std::variant<std::uint64_t, std::string, std::vector<std::string>> value;
};

struct device_info {
    std::string name;
    std::string model;  // what the machine calls it; empty if unknown
    bool available = false;
    std::string reason;   // why it is not available
    std::string details;  // one line for people
    std::vector<device_fact> facts;
};
// The CPU, then what each back end has; a back end without devices is one entry that is not available.
[[nodiscard]] std::vector<device_info> list_devices();

}  // namespace upsweep::registry
