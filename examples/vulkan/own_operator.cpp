// An operator of your own on Vulkan: pairs of brackets, a few lines of GLSL (brackets.glsl) compiled with the
// stages when the program is built. The scan says of every prefix of a text how many of its brackets are
// without a partner, which is what a parallel parser begins with.
#include <upsweep/upsweep.hpp>
#include <upsweep/vulkan/run.hpp>
#include <upsweep/vulkan/scan.hpp>
#include <upsweep/vulkan/standalone.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include "brackets.hpp"  // upsweep::vulkan::user_operator brackets, made by upsweep_vulkan_operator()

namespace {

struct unpaired {
    std::uint32_t closing, opening;
    friend bool operator==(const unpaired&, const unpaired&) = default;
};

// The same in C++, to compare with.
struct take_out_pairs {
    unpaired operator()(const unpaired& a, const unpaired& b) const {
        const std::uint32_t pairs = std::min(a.opening, b.closing);
        return {a.closing + b.closing - pairs, a.opening + b.opening - pairs};
    }
    static unpaired identity() { return {0, 0}; }
};

}  // namespace

int main() {
    namespace vulkan = upsweep::vulkan;
    // Any device of yours will do; this helper takes the first one.
    vulkan::standalone_device device;
    vulkan::executor gpu(device.handles(), device.options());
    upsweep::cpu::executor cpu;

    // A text of 300000 brackets that closes one too many now and then.
    std::vector<unpaired> text(300000);
    std::uint32_t random = 1;
    for (unpaired& each : text) {
        random = random * 1664525u + 1013904223u;
        each = (random >> 16) % 100 < 51 ? unpaired{0, 1} : unpaired{1, 0};
    }

    const std::size_t n = text.size();
    const vulkan::standalone_device::memory memory(device, n * sizeof(unpaired));
    device.upload(memory, 0, std::as_bytes(std::span(text)));
    const vulkan::workspace_requirements needed = vulkan::scan_workspace<unpaired>(gpu, n, brackets);
    const vulkan::standalone_device::memory workspace(device, needed.bytes);
    const auto span = memory.span<unpaired>(n);
    const vulkan::commands scan =
        vulkan::prepare_inclusive_scan(gpu, span, span, workspace.span<std::byte>(needed.bytes), brackets);
    vulkan::run(gpu, device.queue(), scan);

    std::vector<unpaired> on_gpu(n), on_cpu(n);
    device.download(memory, 0, std::as_writable_bytes(std::span(on_gpu)));
    upsweep::inclusive_scan(cpu, text, on_cpu, take_out_pairs{});
    const auto wrong =
        std::find_if(on_gpu.begin(), on_gpu.end(), [](const unpaired& u) { return u.closing != 0; });
    std::printf("%s: the first closing bracket without a partner is number %td; at the end %u lack one\n",
                device.info().name.c_str(), wrong - on_gpu.begin(), on_gpu.back().closing);
    const bool same = on_cpu == on_gpu;
    std::puts(same ? "CPU and Vulkan agree" : "CPU and Vulkan differ");
    return same ? 0 : 1;
}
