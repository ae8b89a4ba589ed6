// What a back end beside the CPU brings to the registry. A program adds those it was linked with before it
// opens devices; the library itself knows none, so that whoever wants the CPU alone links nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "registry/device.hpp"
#include "registry/scanner.hpp"

namespace upsweep::registry {

// A scan and a copy of as many bytes in the device's own memory, ready to be timed. Each call runs one of
// them `times` times, waits for the last and returns the seconds of all.
class timed_scan {
  public:
    virtual ~timed_scan() = default;
    virtual double scan(std::size_t times) = 0;
    virtual double copy(std::size_t times) = 0;
};

// An opened device that is not the CPU. For use by one thread at a time.
class accelerator {
  public:
    virtual ~accelerator() = default;

    // What the machine calls it: "NVIDIA H200".
    [[nodiscard]] virtual const std::string& model() const = 0;
    // In what its scans differ from the bits of docs/numerics.md, one line each; empty: in nothing. The first
    // call may ask the device.
    [[nodiscard]] virtual const std::vector<std::string>& findings() = 0;
    // The scanner of host memory for a request whose types fit; `name` is the device's, for errors. Throws
    // upsweep::error (unsupported) for what the device does not do with the CPU's bits. Outlived by the
    // device.
    [[nodiscard]] virtual std::unique_ptr<scanner> make_scanner(const scan_request& request,
                                                                const std::string& name) = 0;
    // A scan of n >= 1 accumulators that are held as they are (held.hpp).
    [[nodiscard]] virtual std::unique_ptr<timed_scan> prepare(operation op, dtype held, std::size_t n,
                                                              bool exclusive) = 0;
    // Bytes of a copy that exceeds the device's caches.
    [[nodiscard]] virtual std::size_t copy_bytes() const = 0;
};

struct back_end {
    std::string_view name;
    // Opens the device with that number, from 0. Throws upsweep::error with the reason if it is not there.
    std::unique_ptr<accelerator> (*open)(std::size_t number);
    // What there is, by number, or else one entry with the reason; the names are the registry's. Does not
    // throw upsweep::error.
    std::vector<device_info> (*list)();
};

// For open(): throws upsweep::error (device) where there are `count` >= 1 devices and another was asked for.
[[noreturn]] void throw_no_such_device(std::size_t count);

// To be called before devices are opened, not while another thread uses the registry. The name is one of
// device_names(); a second back end of the same name is ignored.
void add_back_end(const back_end& made);

// Adds every back end of this build. Defined in the library upsweep-back-ends (cmake/Registry.cmake), which
// links them.
void add_back_ends();

}  // namespace upsweep::registry
