// Vulkan's devices in the registry: GPUs first, then drivers that run on the processor, each in the loader's
// order. The loader is opened when a device is asked for, so the program runs where there is none.
#include "registry/back_end.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "registry/shader/device.hpp"
#include "upsweep/error.hpp"
#include "upsweep/vulkan/axis_scan.hpp"
#include "upsweep/vulkan/conformance.hpp"
#include "upsweep/vulkan/executor.hpp"
#include "upsweep/vulkan/run.hpp"
#include "upsweep/vulkan/scan.hpp"
#include "upsweep/vulkan/standalone.hpp"

namespace upsweep::registry {
namespace {

constexpr const char* none = "no Vulkan driver is installed, or its loader (libvulkan.so.1) is missing";

// Memory of a scan: the data, its total and the workspace; kept from piece to piece.
class scan_memory {
  public:
    explicit scan_memory(vulkan::standalone_device& device) : device_(device) {}

    const vulkan::standalone_device::memory& at_least(VkDeviceSize bytes) {
        if (!memory_ || memory_->bytes() < bytes) {
            memory_.reset();
            memory_.emplace(device_, bytes);
        }
        return *memory_;
    }

  private:
    vulkan::standalone_device& device_;
    std::optional<vulkan::standalone_device::memory> memory_;
};

vulkan::workspace_requirements workspace_of(const vulkan::executor& ex, const shader_scan& how,
                                            std::size_t n) {
    return vulkan::detail::scan_workspace(ex, how.op, n, vulkan::scan_algorithm::tree, 0);
}

class vulkan_device final : public shader_device {
  public:
    explicit vulkan_device(std::size_t place, const std::string& name)
        : shader_device(name), device_(place) {}

    void scan(const shader_scan& how, std::span<const std::byte> in, std::span<std::byte> out,
              std::span<std::byte> total) override {
        const std::size_t n = in.size() / total.size();
        const auto& data = data_.at_least(in.size());
        const auto& last = total_.at_least(total.size());
        device_.upload(data, 0, in);
        const vulkan::commands commands = prepared(how, data, data, &last, workspace_, n, total.size());
        vulkan::run(executor_, device_.queue(), commands);
        device_.download(data, 0, out);
        device_.download(last, 0, total);
    }

    void scan_axis(const shader_scan& how, const shader_array& in, const shader_array& out,
                   int axis) override {
        const std::size_t size = 4 * how.op.element_words;
        const auto& data = data_.at_least(in.bytes.size());
        const auto& results = results_.at_least(out.bytes.size());
        device_.upload(data, 0, in.bytes);
        vulkan::detail::axis_scan_arguments arguments{};
        arguments.op = how.op;
        arguments.in = {data.handle(), in.first * size, in.shape, in.strides};
        arguments.out = {results.handle(), out.first * size, out.shape, out.strides};
        arguments.axis = axis;
        arguments.exclusive = how.exclusive;
        arguments.reverse = how.reverse;
        arguments.has_initial = how.initial.has_value();
        if (how.initial) arguments.initial = *how.initial;
        const VkDeviceSize room = vulkan::detail::axis_scan_workspace(executor_, arguments).bytes;
        arguments.workspace = workspace_.at_least(room).span<std::byte>(room);
        const vulkan::commands commands = vulkan::detail::prepare_axis_scan(executor_, arguments);
        vulkan::run(executor_, device_.queue(), commands);
        device_.download(results, 0, out.bytes);
    }

    // The commands of a scan of n accumulators of `size` bytes. total: null for none. They use `scratch`,
    // which must not grow before they have run.
    vulkan::commands prepared(const shader_scan& how, const vulkan::standalone_device::memory& in,
                              const vulkan::standalone_device::memory& out,
                              const vulkan::standalone_device::memory* total, scan_memory& scratch,
                              std::size_t n, std::size_t size) {
        const VkDeviceSize room = workspace_of(executor_, how, n).bytes;
        vulkan::workspace_span workspace;
        if (room != 0) workspace = scratch.at_least(room).span<std::byte>(room);
        vulkan::detail::scan_arguments arguments{};
        arguments.op = how.op;
        arguments.exclusive = how.exclusive;
        arguments.reverse = how.reverse;
        arguments.has_initial = how.initial.has_value();
        if (how.initial) arguments.initial = *how.initial;
        arguments.algorithm = vulkan::scan_algorithm::tree;
        arguments.in = in.span<const std::byte>(n * size);
        arguments.out = out.span<std::byte>(n * size);
        arguments.workspace = workspace;
        if (total != nullptr) arguments.total = total->span<std::byte>(size);
        arguments.element_count = arguments.out_count = n;
        return vulkan::detail::prepare_scan(executor_, arguments);
    }
    [[nodiscard]] vulkan::standalone_device& device() { return device_; }
    [[nodiscard]] vulkan::executor& executor() { return executor_; }

  protected:
    const shader::conformance& conformance() override {
        if (!conformance_) conformance_ = vulkan::check_conformance(executor_, device_.queue());
        return *conformance_;
    }
    bool supports(const shader::operation& op) const override { return executor_.supports(op); }
    std::unique_ptr<timed_scan> make_timing(const shader_scan& how, std::span<const std::byte> element,
                                            std::size_t n) override;

  private:
    vulkan::standalone_device device_;
    vulkan::executor executor_{device_.handles(), device_.options()};
    scan_memory data_{device_}, total_{device_}, workspace_{device_}, results_{device_};
    std::optional<shader::conformance> conformance_;
};

// By the clock of the host, from the recording of the commands to their end.
class vulkan_timing final : public timed_scan {
  public:
    vulkan_timing(vulkan_device& device, const shader_scan& how, std::span<const std::byte> element,
                  std::size_t n)
        : device_(device),
          in_(device.device(), n * element.size()),
          out_(device.device(), n * element.size()),
          commands_(device.prepared(how, in_, out_, nullptr, workspace_, n, element.size())) {
        const std::vector<std::byte> piece = repeated(element, n);
        for (VkDeviceSize done = 0; done < in_.bytes(); done += piece.size()) {
            const VkDeviceSize bytes = std::min<VkDeviceSize>(piece.size(), in_.bytes() - done);
            device.device().upload(in_, done, std::span(piece).first(bytes));
        }
    }

    double scan(std::size_t times) override {
        const std::vector<const vulkan::commands*> sequence(times, &commands_);
        return sample([&] { vulkan::run(device_.executor(), device_.device().queue(), sequence); });
    }
    double copy(std::size_t times) override {
        return sample([&] { device_.device().copy(in_, out_, times); });
    }

  private:
    template <class Work>
    static double sample(const Work& work) {
        const auto start = std::chrono::steady_clock::now();
        work();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    vulkan_device& device_;
    vulkan::standalone_device::memory in_, out_;
    scan_memory workspace_{device_.device()};
    vulkan::commands commands_;
};

std::unique_ptr<timed_scan> vulkan_device::make_timing(const shader_scan& how,
                                                       std::span<const std::byte> element, std::size_t n) {
    return std::make_unique<vulkan_timing>(*this, how, element, n);
}

// A device and its place in the loader's order.
struct placed {
    vulkan::device_info info;
    std::size_t place;
};

// In the registry's order: a number names the same device when it is listed and when it is opened.
std::vector<placed> find_devices() {
    std::vector<placed> all;
    for (const vulkan::device_info& info : vulkan::list_devices()) all.push_back({info, all.size()});
    std::stable_sort(all.begin(), all.end(), [](const placed& a, const placed& b) {
        const auto rank = [](const placed& each) {
            return !each.info.usable ? 2 : each.info.is_processor ? 1 : 0;
        };
        return rank(a) < rank(b);
    });
    return all;
}

std::string version_text(std::uint32_t version) {
    return std::to_string(VK_API_VERSION_MAJOR(version)) + "." +
           std::to_string(VK_API_VERSION_MINOR(version));
}

std::unique_ptr<accelerator> open_vulkan(std::size_t number) {
    const std::vector<placed> all = find_devices();
    if (all.empty()) throw_error(errc::device, none);
    if (number >= all.size()) throw_no_such_device(all.size());
    return std::make_unique<vulkan_device>(all[number].place, all[number].info.name);
}

std::vector<device_info> list_vulkan() {
    std::vector<device_info> infos;
    try {
        for (const auto& [found, place] : find_devices()) {
            const std::string type = found.is_processor ? "software" : "GPU";
            const std::string version = version_text(found.api_version);
            device_info& info = infos.emplace_back();
            info.model = found.name;
            info.available = found.usable;
            if (!found.usable) info.reason = found.name + " lacks Vulkan 1.1 or a queue for compute";
            info.details = type;
            info.details.append(", Vulkan ").append(version).append(", driver ").append(found.driver);
            info.facts = {{"type", type}, {"api_version", version}, {"driver", found.driver}};
        }
        if (infos.empty()) infos.emplace_back().reason = none;
    } catch (const error& problem) {
        infos.clear();
        infos.emplace_back().reason = problem.what();
    }
    return infos;
}

}  // namespace

void add_vulkan() { add_back_end({"vulkan", &open_vulkan, &list_vulkan}); }

}  // namespace upsweep::registry
