// What OpenGL's and Vulkan's devices have in common in the registry: scans of held accumulators (held.hpp) by
// the GLSL stages. Elements and results are converted on the CPU, so the stages need no types but their own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "registry/back_end.hpp"
#include "registry/operation.hpp"
#include "upsweep/shader/conformance.hpp"
#include "upsweep/shader/operation.hpp"

namespace upsweep::registry {

// A scan of one piece. Words are those of shader::words_of.
struct shader_scan {
    shader::operation op{};
    bool exclusive = false;
    bool reverse = false;
    std::optional<std::array<std::uint32_t, 4>> initial{};
};

// An array of accumulators in host memory: all bytes that it spans, and which accumulator of them has indices
// 0.
struct shader_array {
    std::span<std::byte> bytes;
    std::size_t first = 0;
    std::span<const std::int64_t> shape, strides;
};

class shader_device : public accelerator {
  public:
    [[nodiscard]] const std::string& model() const final { return model_; }
    [[nodiscard]] const std::vector<std::string>& findings() final { return conformance().findings; }
    [[nodiscard]] std::unique_ptr<scanner> make_scanner(const scan_request& request,
                                                        const std::string& name) final;
    [[nodiscard]] std::unique_ptr<timed_scan> prepare(operation op, dtype held, std::size_t n,
                                                      bool exclusive) final;
    [[nodiscard]] std::size_t copy_bytes() const final { return std::size_t{128} << 20; }

    // Accumulators of host memory to the device, their scan back, and its total. in.size() == out.size() >= 1
    // accumulators; `in` and `out` may be the same memory. Waits for the device.
    virtual void scan(const shader_scan& how, std::span<const std::byte> in, std::span<std::byte> out,
                      std::span<std::byte> total) = 0;
    // `in` to the device, its scan along an axis back to `out`, of which all bytes are results; they may be
    // the same array. Waits for the device.
    virtual void scan_axis(const shader_scan& how, const shader_array& in, const shader_array& out,
                           int axis) = 0;

  protected:
    explicit shader_device(std::string model) : model_(std::move(model)) {}

    [[nodiscard]] virtual const shader::conformance& conformance() = 0;
    [[nodiscard]] virtual bool supports(const shader::operation& op) const = 0;
    // A scan of n accumulators of which all are like `element`.
    [[nodiscard]] virtual std::unique_ptr<timed_scan> make_timing(const shader_scan& how,
                                                                  std::span<const std::byte> element,
                                                                  std::size_t n) = 0;

  private:
    // Throws upsweep::error (unsupported) where the stages or the driver lack it.
    [[nodiscard]] shader::operation checked_operation(operation op, dtype held, const std::string& words);

    std::string model_;
};

// An element many times over, for memory that is filled by copies of it; at most 16 MiB, whole elements.
[[nodiscard]] std::vector<std::byte> repeated(std::span<const std::byte> element, std::size_t n);

}  // namespace upsweep::registry
